// SPDX-License-Identifier: MIT
// Reading JSON that may be hostile: bounded in size and depth, every refusal names the field.
#pragma once

#include "core/base/error.h"
#include "core/base/words.h"
#include "core/protocol/names.h"

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringside {

inline constexpr std::size_t kMaxJsonText = 4096; ///< bytes of a text that people or programs wrote into a field

/// One JSON object of at most `limit` bytes and 16 levels. `where` names the file in messages.
Result<nlohmann::json> parseJsonObject(std::string_view text, std::size_t limit, std::string_view where);

/// Canonical text: keys sorted, no spaces; bytes that are no UTF-8 become U+FFFD.
std::string dumpJson(const nlohmann::json& json);

/// Reads named members of one JSON object into variables. The first refusal is kept and later reads do nothing, so a
/// decoder reads straight down and asks once. Members that nobody reads are ignored. The object must outlive this.
class JsonFields
{
public:
    JsonFields(const nlohmann::json& object, std::string where);

    bool has(const char* key) const { return m_object.contains(key); }

    /// Refuses a missing "format", and one above `known` as newerVersion.
    void format(int known);
    template <std::integral T> void integer(const char* key, T& out, T low, T high);
    /// Any JSON number from `low` to `high`.
    void number(const char* key, double& out, double low, double high);
    void text(const char* key, std::string& out, std::size_t limit = kMaxJsonText);
    void textMap(const char* key, std::map<std::string, std::string>& out);
    /// An array of at most `limit` texts of at most kMaxJsonText bytes.
    void texts(const char* key, std::size_t limit, std::vector<std::string>& out);
    template <class T> void id(const char* key, T& out);
    /// An enumerator by its name.
    template <NamedEnum E> void named(const char* key, E& out);
    /// An object that `parse` turns into a value.
    template <class T> void part(const char* key, T& out, Result<T> (*parse)(const nlohmann::json&));
    /// Calls `read` with the fields of each object of an array, at most `limit` of them.
    void each(const char* key, std::size_t limit, const std::function<void(JsonFields&)>& read);

    void refuse(std::string_view key, std::string_view why, ErrorCode code = ErrorCode::damaged);
    Result<void> result() const;

private:
    const nlohmann::json* find(const char* key);

    const nlohmann::json& m_object;
    std::string m_where;
    std::optional<Error> m_error;
};

template <std::integral T> void JsonFields::integer(const char* key, T& out, T low, T high)
{
    const nlohmann::json* member = find(key);
    if (!member)
        return;
    const bool isUnsigned = member->is_number_unsigned();
    const auto within = [&](auto value) {
        return std::cmp_greater_equal(value, low) && std::cmp_less_equal(value, high);
    };
    if (isUnsigned && within(member->get<std::uint64_t>()))
        out = static_cast<T>(member->get<std::uint64_t>());
    else if (!isUnsigned && member->is_number_integer() && within(member->get<std::int64_t>()))
        out = static_cast<T>(member->get<std::int64_t>());
    else
        refuse(key, Words::tr("expected a whole number from {} to {}", low, high));
}

template <class T> void JsonFields::id(const char* key, T& out)
{
    std::string content;
    text(key, content);
    if (m_error)
        return;
    if (auto parsed = T::parse(content))
        out = std::move(*parsed);
    else
        refuse(key, parsed.error().message);
}

template <NamedEnum E> void JsonFields::named(const char* key, E& out)
{
    std::string content;
    text(key, content);
    if (m_error)
        return;
    if (const auto value = valueNamed<E>(content))
        out = *value;
    else
        refuse(key, Words::tr("“{}” is not known here", content.substr(0, 40)));
}

template <class T> void JsonFields::part(const char* key, T& out, Result<T> (*parse)(const nlohmann::json&))
{
    const nlohmann::json* member = find(key);
    if (!member)
        return;
    if (auto value = parse(*member))
        out = std::move(*value);
    else
        refuse(key, value.error().message, value.error().code);
}

} // namespace ringside
