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
#include <type_traits>
#include <utility>
#include <vector>

namespace ringside {

inline constexpr std::size_t kMaxJsonText = 4096; ///< bytes of a text that people or programs wrote into a field

/// One JSON object of at most `limit` bytes and 16 levels. `where` names the file in messages.
Result<nlohmann::json> parseJsonObject(std::string_view text, std::size_t limit, std::string_view where);

/// Canonical text: keys sorted, no spaces; bytes that are no UTF-8 become U+FFFD.
std::string dumpJson(const nlohmann::json& json);

/// Reads named members of one JSON object into variables. The first error is stored and later reads do nothing, so a
/// decoder reads straight down and checks once. Members that are not read are ignored. The object must outlive this.
class JsonFields
{
public:
    JsonFields(const nlohmann::json& object, std::string where);

    bool has(const char* key) const { return m_object.contains(key); }
    /// For JsonMembers, which asks whether there is something to be written.
    bool has(const char* key, bool) const { return has(key); }

    /// Refuses a missing "format", and one above `known` as newerVersion.
    void format(int known);
    template <std::integral T>
    void integer(const char* key, T& out, std::type_identity_t<T> low, std::type_identity_t<T> high);
    /// 0 or 1.
    void bit(const char* key, bool& out);
    /// true or false.
    void flag(const char* key, bool& out);
    /// True if the member is there, which has to be this word.
    void word(const char* key, std::string_view word, bool& out);
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
    /// An object whose members are named by membersOf().
    template <class T> void object(const char* key, T& out);
    /// Calls `read` with the fields of each object of an array, at most `limit` of them.
    void each(const char* key, std::size_t limit, const std::function<void(JsonFields&)>& read);
    /// An array of objects whose members are named by membersOf().
    template <class T> void list(const char* key, std::vector<T>& out, std::size_t limit);

    void refuse(std::string_view key, std::string_view why, ErrorCode code = ErrorCode::damaged);
    Result<void> result() const;

private:
    const nlohmann::json* find(const char* key);
    void refuseWord(const char* key, const std::string& word);

    const nlohmann::json& m_object;
    std::string m_where;
    std::optional<Error> m_error;
};

template <std::integral T>
void JsonFields::integer(const char* key, T& out, std::type_identity_t<T> low, std::type_identity_t<T> high)
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
        refuseWord(key, content);
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

template <class T> void JsonFields::object(const char* key, T& out)
{
    const nlohmann::json* member = find(key);
    if (!member)
        return;
    JsonFields fields(*member, fmt::format("{}: {}", m_where, key));
    if (!fields.m_error)
        membersOf(fields, out);
    m_error = fields.m_error;
}

template <class T> void JsonFields::list(const char* key, std::vector<T>& out, std::size_t limit)
{
    each(key, limit, [&](JsonFields& entry) { membersOf(entry, out.emplace_back()); });
}

/// Writes the members of one JSON object: the other way of JsonFields, of which it has the functions. So a function
///   void membersOf(auto& json, Either<Role> auto& role)
/// beside the value's type names its members once, for reading and for writing.
class JsonMembers
{
public:
    bool has(const char*, bool isThere) const { return isThere; }
    void format(int known) { m_object["format"] = known; }
    template <std::integral T> void integer(const char* key, T value, std::type_identity_t<T>, std::type_identity_t<T>)
    {
        m_object[key] = value;
    }
    void bit(const char* key, bool value) { m_object[key] = value ? 1 : 0; }
    void flag(const char* key, bool value) { m_object[key] = value; }
    void word(const char* key, std::string_view word, bool value)
    {
        if (value)
            m_object[key] = word;
    }
    void number(const char* key, double value, double, double) { m_object[key] = value; }
    void text(const char* key, const std::string& value, std::size_t = 0) { m_object[key] = value; }
    void textMap(const char* key, const std::map<std::string, std::string>& value) { m_object[key] = value; }
    void texts(const char* key, std::size_t, const std::vector<std::string>& value) { m_object[key] = value; }
    template <class T> void id(const char* key, const T& value) { m_object[key] = value.str(); }
    template <NamedEnum E> void named(const char* key, E value) { m_object[key] = nameOf(value); }
    template <class T> void part(const char* key, const T& value, Result<T> (*)(const nlohmann::json&))
    {
        m_object[key] = toJson(value);
    }
    template <class T> void object(const char* key, const T& value) { m_object[key] = of(value); }
    template <class T> void list(const char* key, const std::vector<T>& values, std::size_t)
    {
        m_object[key] = nlohmann::json::array();
        for (const T& value : values)
            m_object[key].push_back(of(value));
    }

    /// By membersOf().
    template <class T> static nlohmann::json of(const T& value)
    {
        JsonMembers members;
        membersOf(members, value);
        return std::move(members.m_object);
    }

private:
    nlohmann::json m_object = nlohmann::json::object();
};

/// The value by membersOf(); `where` names it in messages.
template <class T> Result<T> fromMembers(const nlohmann::json& json, std::string where)
{
    T value;
    JsonFields fields(json, std::move(where));
    membersOf(fields, value);
    TRY(fields.result());
    return value;
}

/// For members that may be absent: the value to be written, or a new one to be read into.
template <class T> const T& filled(const std::optional<T>& value)
{
    return *value;
}
template <class T> T& filled(std::optional<T>& value)
{
    return value.emplace();
}

} // namespace ringside
