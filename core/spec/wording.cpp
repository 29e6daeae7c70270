// SPDX-License-Identifier: MIT
#include "core/spec/wording.h"

#include "core/base/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace ringside::spec {

namespace {

constexpr std::size_t kLongestQuote = 60;
constexpr std::size_t kLongestList = 12;

std::string cut(std::string text)
{
    if (text.size() <= kLongestQuote)
        return text;
    std::size_t end = kLongestQuote;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
        --end; // not inside a UTF-8 sequence
    return text.substr(0, end) + "…";
}

} // namespace

std::string quoted(std::string_view text)
{
    std::string plain = plainText(text);
    std::replace(plain.begin(), plain.end(), '\n', ' ');
    return "“" + cut(std::move(plain)) + "”";
}

std::string grouped(std::uint64_t number)
{
    std::string digits = std::to_string(number);
    for (std::size_t at = digits.size(); at > 3;)
        digits.insert(at -= 3, ",");
    return digits;
}

std::string listed(const std::vector<std::string>& words)
{
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
    return text;
}

std::string counted(std::uint64_t count, std::string_view noun)
{
    return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known)
{
    std::string text;
    if (const auto close = closestWord(word, known))
        text = fmt::format("Did you mean {}?", quoted(*close));
    if (!known.empty() && known.size() <= kLongestList)
        text += fmt::format("{}Known: {}.", text.empty() ? "" : " ", listed(known));
    return text;
}

} // namespace ringside::spec
