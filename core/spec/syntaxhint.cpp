// SPDX-License-Identifier: MIT
#include "core/spec/syntaxhint.h"

#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/spec/wording.h"

#include <cctype>
#include <fmt/format.h>
#include <optional>
#include <vector>

namespace ringside::spec {

namespace {

constexpr std::string_view kBlank = " \t\r\"'[]";

std::string_view lineAt(std::string_view text, int line)
{
    for (; line > 1 && !text.empty(); --line)
        text.remove_prefix(
            std::min(text.size(), text.find('\n') == std::string_view::npos ? text.size() : text.find('\n') + 1));
    return text.substr(0, text.find('\n'));
}

/// The text right of the equals sign, without a comment.
struct BareValue
{
    std::string_view text;
    int column = 0;
};

std::optional<BareValue> bareValueIn(std::string_view line)
{
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos)
        return std::nullopt;
    const std::string_view value = trimmed(line.substr(equals + 1, line.find('#') - equals - 1), " \t\r");
    if (value.empty() || value.front() == '[' || value.front() == '{' || value.front() == '"' || value.front() == '\'')
        return std::nullopt;
    return BareValue{value, static_cast<int>(value.data() - line.data()) + 1};
}

bool isWord(std::string_view text)
{
    return std::isalpha(static_cast<unsigned char>(text.front())) != 0;
}

std::vector<std::string_view> pieces(std::string_view text)
{
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        if (const auto part = trimmed(text.substr(0, comma), kBlank); !part.empty())
            parts.push_back(part);
        text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    }
    return parts;
}

SyntaxHint unreadable(Position at, std::string_view description)
{
    return {at, Words::tr("this is not TOML: {}.", plainText(description)),
            Words::tr("Fix line {}: a key, “=” and a value, texts in quotes, lists in brackets.", at.line)};
}

} // namespace

SyntaxHint syntaxHint(std::string_view toml, Position at, std::string_view description)
{
    const auto value = bareValueIn(lineAt(toml, at.line));
    if (!value)
        return unreadable(at, description);
    const Position start{at.line, value->column};
    if (value->text.find(',') != std::string_view::npos)
        return {start, Words::tr("expected a list, found {}.", inQuotes(value->text)),
                Words::tr("Write {}.", asList(value->text, isWord(value->text)))};
    if (isWord(value->text) || parseSize(value->text))
        return {start, Words::tr("expected a text in quotes, found {}.", inQuotes(value->text)),
                Words::tr("Write \"{}\".", plainText(value->text))};
    return unreadable(at, description);
}

std::string asList(std::string_view text, bool words)
{
    const auto written = [&](std::string_view piece) {
        return words ? fmt::format("\"{}\"", plainText(piece)) : plainText(piece);
    };
    return "[" + joined(pieces(text), ", ", written) + "]";
}

} // namespace ringside::spec
