// SPDX-License-Identifier: MIT
#include "core/spec/tomlreader.h"

#include "core/spec/syntaxhint.h"

#include <algorithm>

namespace ringside::spec {

namespace {

/// Together with TOML_MAX_NESTED_VALUES this bounds the depth of the tree, which is destroyed recursively.
constexpr std::ptrdiff_t kMaxDotsInKey = 64;

/// The most dots of one key in a line, or more: those of texts and comments are no keys', and a number has one. In a
/// line with a text over several lines all count.
std::ptrdiff_t mostDotsOfKey(std::string_view line)
{
    if (line.find("\"\"\"") != line.npos || line.find("'''") != line.npos)
        return std::ranges::count(line, '.');
    std::ptrdiff_t most = 0, dots = 0;
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quote) {
            i += c == '\\' && quote == '"';
            quote = c == quote ? '\0' : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '#') {
            break;
        } else if (c == ',' || c == '=' || c == '{' || c == '[') {
            dots = 0;
        } else if (c == '.') {
            most = std::max(most, ++dots);
        }
    }
    return most;
}

/// The first line with a key of so many dots that it could nest dangerously deep.
std::optional<int> lineTooDeep(std::string_view text)
{
    for (int line = 1; !text.empty(); ++line) {
        const std::string_view content = text.substr(0, text.find('\n'));
        if (mostDotsOfKey(content) > kMaxDotsInKey)
            return line;
        text.remove_prefix(std::min(text.size(), content.size() + 1));
    }
    return std::nullopt;
}

tl::unexpected<Check> unreadable(Position at, std::string message, std::string hint)
{
    return tl::unexpected(Check{Severity::blocking, "", "", at.line, at.column, std::move(message), std::move(hint)});
}

} // namespace

tl::expected<toml::table, Check> parsedToml(std::string_view text)
{
    if (const auto line = lineTooDeep(text))
        return unreadable(
            {*line, 0}, Words::counted("more than {} dots in one key.", "more than {} dot in one key.", kMaxDotsInKey),
            Words::tr("Keys have one or two parts."));
    toml::parse_result parsed = toml::parse(text);
    if (parsed)
        return std::move(parsed).table();
    SyntaxHint hint = syntaxHint(text, placeOf(parsed.error().source().begin), parsed.error().description());
    return unreadable(hint.at, std::move(hint.message), std::move(hint.hint));
}

Position placeOf(const toml::source_position& at)
{
    return {static_cast<int>(at.line), static_cast<int>(at.column)};
}

std::optional<Value> scalarOf(const toml::node& node)
{
    if (const auto* text = node.as_string())
        return Value(text->get());
    if (const auto* integer = node.as_integer())
        return Value(integer->get());
    if (const auto* real = node.as_floating_point())
        return Value(real->get());
    if (const auto* flag = node.as_boolean())
        return Value(flag->get());
    return std::nullopt;
}

std::string foundText(const toml::node& node)
{
    if (const auto scalar = scalarOf(node))
        return toText(*scalar);
    return node.is_table() ? Words::tr("a table") : node.is_array() ? Words::tr("a list") : Words::tr("a date or time");
}

void TomlReader::block(const Field& field, Position at, std::string value, std::string message, std::string hint)
{
    m_checks.push_back(
        {Severity::blocking, field.path, std::move(value), at.line, at.column, std::move(message), std::move(hint)});
}

void TomlReader::expected(const Field& field, std::string_view what, std::string hint)
{
    const std::string found = foundText(*field.node);
    block(field, placeOf(field.node->source().begin), found, Words::tr("expected {}, found {}.", what, inQuotes(found)),
          std::move(hint));
}

void TomlReader::expectedNumber(const Field& field)
{
    const auto scalar = scalarOf(*field.node);
    if (!scalar || writtenWhole(*scalar).empty())
        return expected(field, Words::tr("a whole number"));
    block(field, placeOf(field.node->source().begin), toText(*scalar),
          Words::tr("expected a whole number, found {}.", foundInstead(*scalar)), writtenWhole(*scalar));
}

void TomlReader::tooLong(const Field& list, std::size_t length)
{
    block(list, placeOf(list.node->source().begin), std::to_string(length),
          Words::tr("a list has at most {} entries, and this one has {}.", grouped(kMaxListLength), grouped(length)),
          Words::tr("Leave some out."));
}

std::vector<std::pair<std::string, TomlField>> TomlReader::entriesOf(const Field& table)
{
    const auto* entries = table.node->as_table();
    if (!entries) {
        expected(table, Words::tr("a table"));
        return {};
    }
    std::vector<std::pair<const toml::key*, const toml::node*>> ordered;
    for (const auto& [key, node] : *entries)
        ordered.emplace_back(&key, &node);
    std::ranges::sort(ordered,
                      [](const auto& a, const auto& b) { return a.first->source().begin < b.first->source().begin; });
    std::vector<std::pair<std::string, Field>> fields;
    for (const auto& [key, node] : ordered) {
        const std::string name(key->str());
        Field field{table.path.empty() ? name : table.path + "." + name, node};
        notePosition(field);
        m_keyPositions[field.path] = placeOf(key->source().begin);
        fields.emplace_back(name, std::move(field));
    }
    return fields;
}

std::vector<std::pair<std::string, TomlField>> TomlReader::settingsOf(const Field& table)
{
    std::vector<std::pair<std::string, Field>> settings;
    for (auto& [name, field] : entriesOf(table)) {
        if (!field.node->is_table()) {
            settings.emplace_back(std::move(name), std::move(field));
            continue;
        }
        for (auto& [inner, innerField] : entriesOf(field))
            settings.emplace_back(fmt::format("{}.{}", name, inner), std::move(innerField));
    }
    return settings;
}

void TomlReader::notePosition(const Field& field)
{
    m_positions[field.path] = placeOf(field.node->source().begin);
}

void TomlReader::unknownKey(const Field& field, const std::string& name, const std::vector<std::string>& known)
{
    const std::string home = m_homeOf(name);
    block(field, m_keyPositions[field.path], name, Words::tr("{} is not known here.", inQuotes(name)),
          home.empty() ? suggestion(name, known) : home);
}

void TomlReader::readTable(const Field& table, const Handlers& handlers)
{
    std::vector<std::string> known;
    for (const auto& [name, handler] : handlers)
        known.emplace_back(name);
    for (const auto& [name, field] : entriesOf(table)) {
        const auto found = std::ranges::find(known, name);
        if (found == known.end())
            unknownKey(field, name, known);
        else
            handlers[static_cast<std::size_t>(found - known.begin())].second(field);
    }
}

void TomlReader::readText(const Field& field, std::string& text)
{
    if (const auto* value = field.node->as_string())
        text = value->get();
    else
        expected(field, Words::tr("a text in quotes"));
}

void TomlReader::readTexts(const Field& field, std::vector<std::string>& texts)
{
    const auto* items = field.node->as_array();
    if (!items)
        return expected(field, Words::tr("a list of texts"));
    if (items->size() > kMaxListLength)
        return tooLong(field, items->size());
    for (std::size_t i = 0; i < items->size(); ++i) {
        const Field item{fmt::format("{}[{}]", field.path, i), items->get(i)};
        notePosition(item);
        readText(item, texts.emplace_back());
    }
}

void TomlReader::readTextTable(const Field& table, std::map<std::string, std::string>& texts)
{
    for (const auto& [name, field] : entriesOf(table))
        readText(field, texts[name]);
}

void TomlReader::readFlag(const Field& field, bool& flag)
{
    const auto* value = field.node->as_boolean();
    if (!value)
        return expected(field, Words::tr("true or false"));
    flag = value->get();
}

void TomlReader::readReal(const Field& field, double& number)
{
    if (const auto value = field.node->value<double>(); value && field.node->is_number())
        number = *value;
    else
        expected(field, Words::tr("a number"));
}

void TomlReader::readEach(const Field& list, const Handler& readOne)
{
    const auto* items = list.node->as_array();
    if (!items)
        return expected(list, Words::tr("a list of tables"), Words::tr("Write [[{}]].", list.path));
    if (items->size() > kMaxListLength)
        return tooLong(list, items->size());
    for (std::size_t i = 0; i < items->size(); ++i) {
        const Field item{fmt::format("{}[{}]", list.path, i), items->get(i)};
        notePosition(item);
        readOne(item);
    }
}

} // namespace ringside::spec
