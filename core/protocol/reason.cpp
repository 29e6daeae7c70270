// SPDX-License-Identifier: MIT
#include "core/protocol/reason.h"

#include "core/base/text.h"
#include "core/protocol/jsonfields.h"

#include <algorithm>

namespace ringside {

namespace {

constexpr std::size_t kMaxText = 2000;
constexpr std::size_t kMaxTexts = 4000; // of all arguments: escaped, they still fit into a line of the journal
constexpr std::size_t kMaxArguments = 16;
constexpr std::size_t kMaxName = 40;        // of a code, and of an argument
constexpr std::size_t kMaxJson = 64u << 10; // escaping makes a text up to six times as long
constexpr const char* kCode = "code";
constexpr const char* kText = "text";

bool isName(std::string_view text)
{
    return !text.empty() && text.size() <= kMaxName && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
}

/// nullopt for a type that only a later version knows.
std::optional<Reason::Argument> argumentOf(const nlohmann::json& value)
{
    if (value.is_number_integer())
        return value.get<std::int64_t>();
    if (value.is_string())
        return std::string(beginning(value.get_ref<const std::string&>(), kMaxText));
    return std::nullopt;
}

/// Code and text have members of their own.
bool isArgument(std::string_view name)
{
    return isName(name) && name != kCode && name != kText;
}

} // namespace

std::optional<std::int64_t> Reason::number(std::string_view argument) const
{
    const auto found = about.find(argument);
    const auto* value = found == about.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
    return value ? std::optional(*value) : std::nullopt;
}

std::string Reason::word(std::string_view argument) const
{
    const auto found = about.find(argument);
    const auto* value = found == about.end() ? nullptr : std::get_if<std::string>(&found->second);
    return value ? *value : std::string();
}

void Reason::add(std::string_view argument, Argument value)
{
    const auto* word = std::get_if<std::string>(&value);
    if (!word || !word->empty())
        about.insert_or_assign(std::string(argument), std::move(value));
}

Reason because(std::string_view code, std::initializer_list<std::pair<std::string_view, Reason::Argument>> about)
{
    Reason reason{std::string(code)};
    for (const auto& [argument, value] : about)
        reason.add(argument, value);
    return reason;
}

Reason becauseOf(const Error& error)
{
    return {std::string(why::kError), {}, error.text()};
}

nlohmann::json toJson(const Reason& reason)
{
    nlohmann::json json = nlohmann::json::object();
    std::size_t left = kMaxTexts;
    const auto fitted = [&left](const std::string& text) {
        const std::string_view part = beginning(text, std::min(left, kMaxText));
        left -= part.size();
        return std::string(part);
    };
    if (!reason.code.empty())
        json[kCode] = reason.code;
    if (!reason.text.empty())
        json[kText] = fitted(reason.text);
    for (const auto& [name, value] : reason.about)
        if (const auto* text = std::get_if<std::string>(&value))
            json[name] = fitted(*text);
        else
            json[name] = std::get<std::int64_t>(value);
    return json;
}

Result<Reason> reasonFromJson(const nlohmann::json& json)
{
    if (!json.is_object())
        return fail(ErrorCode::damaged, Words::tr("expected an object"));
    Reason reason;
    JsonFields fields(json, "reason");
    if (fields.has(kCode))
        fields.text(kCode, reason.code);
    if (fields.has(kText))
        fields.text(kText, reason.text, kMaxJson);
    if (!reason.code.empty() && !isName(reason.code))
        fields.refuse(kCode, Words::tr("expected letters and underscores"));
    TRY(fields.result());
    reason.text.resize(beginning(reason.text, kMaxText).size());
    if (reason.code.empty())
        return reason;
    for (const auto& [name, member] : json.items())
        if (auto value = argumentOf(member); value && isArgument(name) && reason.about.size() < kMaxArguments)
            reason.about.emplace(name, std::move(*value));
    return reason;
}

std::string toText(const Reason& reason)
{
    return reason.empty() ? std::string() : dumpJson(toJson(reason));
}

Reason reasonFromText(std::string_view text)
{
    if (text.starts_with('{'))
        if (const auto json = parseJsonObject(text, kMaxJson, "reason"))
            if (auto reason = reasonFromJson(*json))
                return std::move(*reason);
    return {{}, {}, std::string(beginning(text, kMaxText))};
}

bool isOrdinaryWait(const Reason& reason)
{
    return reason.code == why::kHandover || reason.code == why::kConfirmation || reason.code == why::kTurn;
}

} // namespace ringside
