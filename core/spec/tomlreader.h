// SPDX-License-Identifier: MIT
// Walks a TOML tree: reads what has the right form and notes what has not, with line, column and what to write. The
// readers of the experiment file, and of the tables of adapters, are made of it.
#pragma once

#include "core/base/text.h"
#include "core/spec/check.h"
#include "core/spec/tomlplusplus.h"
#include "core/spec/wording.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace ringside::spec {

inline constexpr std::size_t kMaxListLength = 1'000;

/// A node with its place in the file.
struct TomlField
{
    std::string path;
    const toml::node* node;
};

Position placeOf(const toml::source_position& at);
std::optional<Value> scalarOf(const toml::node& node);
/// Names what is there, for a message: “2”, “a list”.
std::string foundText(const toml::node& node);

/// The tree of a file's text, or where it is none, and what was probably meant. Hostile text costs no depth.
tl::expected<toml::table, Check> parsedToml(std::string_view text);

class TomlReader
{
public:
    using Field = TomlField;
    using Handler = std::function<void(const Field&)>;
    using Handlers = std::vector<std::pair<std::string_view, Handler>>;

    /// Says where else in the file a key that is not known in its place belongs; empty: nowhere.
    void setHomeOf(std::function<std::string(const std::string& key)> homeOf) { m_homeOf = std::move(homeOf); }
    /// Findings so far, with the places of the fields.
    std::vector<Check>& checks() { return m_checks; }
    Positions& positions() { return m_positions; }

    void block(const Field& field, Position at, std::string value, std::string message, std::string hint = {});
    void expected(const Field& field, std::string_view what, std::string hint = {});
    void expectedNumber(const Field& field);
    void unknownKey(const Field& field, const std::string& name, const std::vector<std::string>& known);

    /// The entries of a table in the order of the file; notes their places.
    std::vector<std::pair<std::string, Field>> entriesOf(const Field& table);
    /// The same of settings: those of a table in it are named with its name, so mxnet.kvstore needs no quotes.
    std::vector<std::pair<std::string, Field>> settingsOf(const Field& table);
    void notePosition(const Field& field);

    void readTable(const Field& table, const Handlers& handlers);
    void readText(const Field& field, std::string& text);
    void readTexts(const Field& field, std::vector<std::string>& texts);
    /// Names and texts.
    void readTextTable(const Field& table, std::map<std::string, std::string>& texts);
    void readFlag(const Field& field, bool& flag);
    void readReal(const Field& field, double& number);
    /// A list of tables, [[NAME]] in files.
    void readEach(const Field& list, const Handler& readOne);
    template <class Number> void readWhole(const Field& field, Number& number);
    /// By its name. None of those before `first`.
    template <NamedEnum Word> void readWord(const Field& field, Word& word, Word first = Word{});
    /// A text that `parse` turns into a value: "25 MiB", "1 ms".
    template <class T>
    void readParsed(const Field& field, T& value, std::optional<T> (*parse)(std::string_view), std::string_view what,
                    std::string hint);

private:
    void tooLong(const Field& list, std::size_t length);

    std::vector<Check> m_checks;
    Positions m_positions, m_keyPositions;
    std::function<std::string(const std::string&)> m_homeOf = [](const std::string&) { return std::string{}; };
};

template <class Number> void TomlReader::readWhole(const Field& field, Number& number)
{
    const auto* value = field.node->as_integer(); // value<>() would read true as 1, and 6.0 as 6
    const bool fits = value && (std::is_unsigned_v<Number> ? value->get() >= 0
                                                           : value->get() >= std::numeric_limits<int>::min() &&
                                                                 value->get() <= std::numeric_limits<int>::max());
    if (!fits)
        return expectedNumber(field);
    number = static_cast<Number>(value->get());
}

template <NamedEnum Word> void TomlReader::readWord(const Field& field, Word& word, Word first)
{
    const auto text = field.node->value<std::string>();
    const auto read = field.node->is_string() ? valueNamed<Word>(*text) : std::nullopt;
    if (read && *read >= first)
        return void(word = *read);
    constexpr auto names = namesOf(Word{});
    const std::vector<std::string> known(names.begin() + static_cast<std::ptrdiff_t>(first), names.end());
    expected(field, Words::tr("one of {}", listed(known)), text ? likelyMeant(*text, known) : std::string{});
}

template <class T>
void TomlReader::readParsed(const Field& field, T& value, std::optional<T> (*parse)(std::string_view),
                            std::string_view what, std::string hint)
{
    const auto* text = field.node->as_string();
    const auto parsed = text ? parse(text->get()) : std::nullopt;
    if (!parsed)
        return expected(field, what, std::move(hint));
    value = *parsed;
}

} // namespace ringside::spec
