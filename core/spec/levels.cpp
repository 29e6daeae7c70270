// SPDX-License-Identifier: MIT
#include "core/spec/levels.h"

#include "core/base/parsenumber.h"
#include "core/base/sequences.h"
#include "core/spec/wording.h"

#include <algorithm>
#include <optional>

namespace ringside::spec {

namespace {

Value valueIn(std::string_view text)
{
    if (const auto integer = parseNumber<std::int64_t>(text))
        return *integer;
    if (const auto real = parseNumber<double>(text))
        return *real;
    return std::string(text);
}

constexpr std::string_view kBetween = ",;", kBlank = " \t\n\r", kAround = " \t\n\r\"'[]";

struct Piece
{
    std::string text;
    std::size_t position;
};

bool isOneOf(std::string_view characters, char c)
{
    return characters.find(c) != std::string_view::npos;
}

/// In double quotes, where a quote and a backslash have a backslash before them.
std::string inDoubleQuotes(std::string_view text)
{
    std::string quoted = "\"";
    for (const char c : text) {
        if (isOneOf("\"\\", c))
            quoted += '\\';
        quoted += c;
    }
    return quoted + '"';
}

/// The piece in double quotes that begins at `begin`, where only blanks follow it, and its end; nullopt:
/// it is not in quotes.
std::optional<std::pair<std::string, std::size_t>> quotedAt(std::string_view line, std::size_t begin)
{
    std::string text;
    std::size_t at = begin + 1;
    for (; at < line.size() && line[at] != '"'; ++at) {
        if (line[at] == '\\' && at + 1 < line.size() && isOneOf("\"\\", line[at + 1]))
            ++at;
        text += line[at];
    }
    const std::size_t end = std::min(line.find_first_not_of(" \t\n\r]", at + 1), line.size());
    if (at >= line.size() || (end < line.size() && !isOneOf(kBetween, line[end])))
        return std::nullopt;
    return std::pair(text, end);
}

Piece trimmed(std::string_view line, std::size_t begin, std::size_t end)
{
    while (begin < end && isOneOf(kAround, line[begin]))
        ++begin;
    while (end > begin && isOneOf(kAround, line[end - 1]))
        --end;
    return {std::string(line.substr(begin, end - begin)), begin};
}

std::vector<Piece> piecesOf(std::string_view line)
{
    std::vector<Piece> pieces;
    for (std::size_t begin = 0; begin <= line.size();) {
        const std::size_t first = std::min(line.find_first_not_of(" \t\n\r[", begin), line.size());
        const auto whole = first < line.size() && line[first] == '"' ? quotedAt(line, first) : std::nullopt;
        const std::size_t end = whole ? whole->second : std::min(line.find_first_of(kBetween, begin), line.size());
        Piece piece = whole ? Piece{whole->first, first} : trimmed(line, begin, end);
        if (!piece.text.empty())
            pieces.push_back(std::move(piece));
        begin = end + 1;
    }
    return pieces;
}

/// As it is read again: what would be parted or trimmed is in quotes.
std::string levelText(const Value& level)
{
    const auto* text = std::get_if<std::string>(&level);
    if (!text || text->empty())
        return toText(level);
    const bool isPlain = text->find_first_of(",;\"'[]") == std::string::npos && !isOneOf(kBlank, text->front()) &&
                         !isOneOf(kBlank, text->back());
    return isPlain ? *text : inDoubleQuotes(*text);
}

/// "a..b", "a..b+s", "a..b*f".
struct Range
{
    std::int64_t first = 0, last = 0, step = 1;
    bool multiply = false;
};

std::optional<Range> rangeIn(std::string_view text)
{
    const std::size_t dots = text.find("..");
    if (dots == std::string_view::npos)
        return std::nullopt;
    const std::size_t sign = text.find_first_of("+*", dots);
    const auto first = parseNumber<std::int64_t>(text.substr(0, dots));
    const auto last =
        parseNumber<std::int64_t>(text.substr(dots + 2, sign == std::string_view::npos ? sign : sign - dots - 2));
    const auto step = sign == std::string_view::npos ? std::optional<std::int64_t>(1)
                                                     : parseNumber<std::int64_t>(text.substr(sign + 1));
    if (!first || !last || !step)
        return std::nullopt;
    return Range{*first, *last, *step, sign != std::string_view::npos && text[sign] == '*'};
}

/// Returns why a range cannot be counted, or nothing.
std::string faultOf(const Range& range)
{
    if (range.first < 0 || range.first > range.last)
        return Words::tr("The first number is not below the last.");
    if (range.multiply ? range.step < 2 || range.first == 0 : range.step < 1)
        return range.multiply ? Words::tr("Multiply from 1 or more, by 2 or more.") : Words::tr("Count by 1 or more.");
    return {};
}

class LevelParser
{
public:
    LevelParser(const Setting& setting, const std::vector<std::string>& plans)
        : m_setting(setting)
        , m_plans(plans)
    {
    }

    LevelList parse(std::string_view line)
    {
        for (const Piece& piece : piecesOf(line))
            addPiece(piece);
        return std::move(m_list);
    }

private:
    void refuse(const Piece& piece, std::string message)
    {
        m_list.errors.push_back({piece.text, piece.position, std::move(message)});
    }

    void addPiece(const Piece& piece)
    {
        const bool counts = m_setting.type == SettingType::integer && piece.text.find("..") != std::string_view::npos;
        if (!counts)
            return addValue(piece, m_setting.type == SettingType::word || m_setting.type == SettingType::path
                                       ? Value(piece.text)
                                       : valueIn(piece.text));
        const auto range = rangeIn(piece.text);
        if (!range)
            return refuse(piece, Words::tr("{} is no range. Write 1..8, 2..8+2 or 1..16*2.", inQuotes(piece.text)));
        if (const std::string fault = faultOf(*range); !fault.empty())
            return refuse(piece, Words::tr("{}: {}", inQuotes(piece.text), fault));
        addRange(piece, *range);
    }

    void addRange(const Piece& piece, const Range& range)
    {
        const auto errorsBefore = m_list.errors.size();
        for (std::int64_t level = range.first;; level = range.multiply ? level * range.step : level + range.step) {
            addValue(piece, level);
            const bool end = range.multiply ? level > range.last / range.step : level > range.last - range.step;
            if (end || m_list.errors.size() > errorsBefore)
                return;
        }
    }

    void addValue(const Piece& piece, const Value& typed)
    {
        const auto value = canonicalValue(m_setting, typed);
        if (!value)
            return refuse(piece, value.error().text());
        if (m_setting.key == "plan" && !contains(m_plans, std::get<std::string>(*value)))
            return refuse(piece,
                          Words::tr("{} is not known. {}", inQuotes(piece.text), suggestion(piece.text, m_plans)));
        if (m_list.levels.size() >= kMaxLevels)
            return refuse(piece, Words::counted("More than {} levels.", "More than {} level.", kMaxLevels));
        if (!contains(m_list.levels, *value))
            m_list.levels.push_back(*value);
    }

    const Setting& m_setting;
    const std::vector<std::string>& m_plans;
    LevelList m_list;
};

} // namespace

LevelList parseLevels(const Setting& setting, std::string_view text, const std::vector<std::string>& plans)
{
    return LevelParser(setting, plans).parse(text);
}

std::vector<Value> levelsOfUnknown(std::string_view text)
{
    return mapped(piecesOf(text), [](const Piece& piece) { return valueIn(piece.text); });
}

std::string levelsToText(const std::vector<Value>& levels)
{
    return joined(levels, ", ", levelText);
}

} // namespace ringside::spec
