// SPDX-License-Identifier: MIT
#include "core/protocol/settings.h"

#include "core/base/words.h"

#include <nlohmann/json.hpp>

namespace ringside {

namespace {

constexpr std::size_t kMaxSettings = 1000;

template <class T> std::optional<T> find(const Settings& settings, std::string_view key)
{
    const T* value = std::get_if<T>(valueOf(settings, key));
    return value ? std::optional<T>(*value) : std::nullopt;
}

struct ToText
{
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
    std::string operator()(double value) const { return fmt::format("{}", value); }
    std::string operator()(const std::string& value) const { return value; }
};

bool fitsSigned(const nlohmann::json& json)
{
    return !json.is_number_unsigned() || json.get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX);
}

} // namespace

std::string toText(const Value& value)
{
    return std::visit(ToText{}, value);
}

const Value* valueOf(const Settings& settings, std::string_view key)
{
    const auto found = settings.find(key);
    return found == settings.end() ? nullptr : &found->second;
}

std::optional<std::int64_t> integerOf(const Settings& settings, std::string_view key)
{
    return find<std::int64_t>(settings, key);
}

std::optional<double> numberOf(const Settings& settings, std::string_view key)
{
    if (const auto integer = integerOf(settings, key))
        return static_cast<double>(*integer);
    return find<double>(settings, key);
}

std::optional<std::string> textOf(const Settings& settings, std::string_view key)
{
    return find<std::string>(settings, key);
}

nlohmann::json toJson(const Value& value)
{
    return std::visit([](const auto& content) { return nlohmann::json(content); }, value);
}

nlohmann::json toJson(const Settings& settings)
{
    nlohmann::json json = nlohmann::json::object();
    for (const auto& [key, value] : settings)
        json[key] = toJson(value);
    return json;
}

Result<Value> valueFromJson(const nlohmann::json& json)
{
    if (json.is_boolean())
        return Value(json.get<bool>());
    if (json.is_number_integer() && fitsSigned(json))
        return Value(json.get<std::int64_t>());
    if (json.is_number_float())
        return Value(json.get<double>());
    if (json.is_string())
        return Value(json.get<std::string>());
    return fail(ErrorCode::damaged, Words::tr("expected true, false, a number or a text"));
}

Result<Settings> settingsFromJson(const nlohmann::json& json)
{
    if (!json.is_object() || json.size() > kMaxSettings)
        return fail(ErrorCode::damaged, Words::tr("expected an object of at most {} settings", kMaxSettings));
    Settings settings;
    for (const auto& [key, member] : json.items()) {
        auto value = valueFromJson(member);
        if (!value)
            return fail(value.error().code, fmt::format("{}: {}", key, value.error().message));
        settings.emplace(key, std::move(*value));
    }
    return settings;
}

bool isEmulated(const Settings& settings)
{
    return textOf(settings, "compute") == "paced";
}

bool readsFiles(const Settings& settings)
{
    return textOf(settings, "data").value_or("synthetic") != "synthetic";
}

} // namespace ringside
