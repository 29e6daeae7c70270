// SPDX-License-Identifier: MIT
#include "agent/builder/report.h"

#include "core/base/text.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace ringside::builder {

namespace {

std::string oneLine(std::string text)
{
    std::ranges::replace(text, '\n', ' ');
    return text;
}

} // namespace

std::string lineOf(const Progress& progress)
{
    return fmt::format("{} {} {}", progress.phase, progress.percent, oneLine(progress.text));
}

std::optional<Progress> progressOf(std::string_view line)
{
    const std::size_t first = line.find(' ');
    const std::size_t second = first == std::string_view::npos ? first : line.find(' ', first + 1);
    if (second == std::string_view::npos)
        return std::nullopt;
    Progress progress{plainText(line.substr(0, first)), -1, plainText(line.substr(second + 1)), {}};
    std::from_chars(line.data() + first + 1, line.data() + second, progress.percent);
    if (progress.percent < 0 || progress.percent > 100)
        return std::nullopt;
    return progress;
}

std::string errorToJson(const Error& error)
{
    return nlohmann::json{{"code", static_cast<int>(error.code)}, {"message", error.message}, {"hint", error.hint}}
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Error errorFromJson(std::string_view text)
{
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object())
        return {ErrorCode::unavailable, plainText(text), {}};
    const int code = json.value("code", static_cast<int>(ErrorCode::internal));
    const bool known = code >= 0 && code <= static_cast<int>(ErrorCode::internal);
    return {known ? static_cast<ErrorCode>(code) : ErrorCode::internal, json.value("message", ""),
            json.value("hint", "")};
}

} // namespace ringside::builder
