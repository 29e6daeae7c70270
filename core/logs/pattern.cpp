// SPDX-License-Identifier: MIT
#include "core/logs/pattern.h"

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/logs/keyindex.h"
#include "core/protocol/phase.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <utility>

namespace ringside::logs {

namespace {

/// Stands for all phases in the records of Ringside's drivers.
constexpr std::string_view kEachPhase = "{phases}";

bool isBlank(char c)
{
    return c == ' ' || c == '\t';
}

void dropBlanks(const char*& at, const char* end)
{
    while (at != end && isBlank(*at))
        ++at;
}

/// Texts are short: a call would take longer.
bool beginsWith(const char* at, const char* end, std::string_view text)
{
    const std::size_t size = text.size();
    if (static_cast<std::size_t>(end - at) < size)
        return false;
    const auto isSame = [&](auto word, std::size_t offset) {
        auto other = word;
        std::memcpy(&word, at + offset, sizeof word);
        std::memcpy(&other, text.data() + offset, sizeof other);
        return word == other;
    };
    std::size_t done = 0;
    for (; done + 8 <= size; done += 8)
        if (!isSame(std::uint64_t{}, done))
            return false;
    if (size >= 8)
        return isSame(std::uint64_t{}, size - 8);
    if (size >= 4)
        return isSame(std::uint32_t{}, 0) && isSame(std::uint32_t{}, size - 4);
    for (; done < size; ++done)
        if (at[done] != text[done])
            return false;
    return true;
}

bool takeText(std::string_view text, const char*& at, const char* end)
{
    const bool fits = beginsWith(at, end, text);
    at += fits ? text.size() : 0;
    return fits;
}

/// Returns the place of the character that is rarest in lines of logs: capitals and most signs before what words and
/// numbers are made of.
std::size_t rarestOf(std::string_view text)
{
    constexpr std::string_view kFromRare = "qjzxkvwbfy()#|/=gupdhmclsrniaote[],:-0123456789. ";
    const auto placeOf = [&](char c) { return kFromRare.find(c) + 1; }; // 0 of what is not there
    const auto rarest =
        std::min_element(text.begin(), text.end(), [&](char one, char other) { return placeOf(one) < placeOf(other); });
    return static_cast<std::size_t>(rarest - text.begin());
}

/// The bytes before the first that is no text.
std::size_t sizeOfText(std::string_view line)
{
    const auto isPlain = [](char c) { return (c >= ' ' && c <= '~') || c == '\t'; };
    if (std::ranges::all_of(line, isPlain)) // nearly every line: a copy would take longer than all else
        return line.size();
    const std::string plain = plainText(line);
    return static_cast<std::size_t>(std::ranges::mismatch(line, plain).in1 - line.begin());
}

/// Returns whether a bracket is opened and not closed.
bool isOpen(std::string_view line)
{
    const auto count = [&](std::string_view any) {
        return std::ranges::count_if(line, [&](char c) { return any.find(c) != std::string_view::npos; });
    };
    return count("([{") > count(")]}");
}

bool tellsTime(const LineValues& values)
{
    return std::ranges::any_of(kTimesAndRates, [&](Quantity quantity) { return values.has(quantity); });
}

/// Returns whether letters stand on both sides of the place.
bool isInWord(std::string_view text, std::size_t place)
{
    const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    return place > 0 && place < text.size() && isLetter(text[place - 1]) && isLetter(text[place]);
}

/// "a|b|" as "a", "b", "".
std::vector<std::string> alternatives(std::string_view text)
{
    std::vector<std::string> all;
    for (std::size_t end = 0; end != std::string_view::npos; text.remove_prefix(end + 1)) {
        end = text.find('|');
        all.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos)
            break;
    }
    return all;
}

} // namespace

/// Makes a pattern's parts of its text.
class PatternParser
{
public:
    explicit PatternParser(std::string_view text)
        : m_text(text)
        , m_rest(text)
    {
    }

    Result<LinePattern> parse()
    {
        m_pattern.m_isAnchored = takeMark('^');
        TRY_ASSIGN(LinePattern whole, parseOne());
        while (!m_rest.empty()) {
            m_optionalColumn = column();
            m_rest.remove_prefix(kOptional.size());
            m_pattern = {};
            add({.kind = Kind::skipped});
            TRY_ASSIGN(LinePattern optional, parseOne());
            whole.m_quantities |= optional.m_quantities;
            whole.m_optional.push_back(std::move(optional));
        }
        return whole;
    }

private:
    using Kind = LinePattern::Kind;
    using Part = LinePattern::Part;

    static constexpr std::string_view kOptional = "{?}";

    /// Up to the next optional part.
    Result<LinePattern> parseOne()
    {
        while (!m_rest.empty() && !m_rest.starts_with(kOptional))
            TRY(takePart());
        return finished();
    }

    std::size_t column() const { return m_text.size() - m_rest.size() + 1; }
    tl::unexpected<Error> wrong(std::string message, std::string hint) const
    {
        return fail(ErrorCode::usage, Words::tr("column {} of the pattern: {}", column(), message), std::move(hint));
    }

    bool takeMark(char mark)
    {
        const bool found = !m_rest.empty() && m_rest.front() == mark;
        m_rest.remove_prefix(found);
        return found;
    }

    Result<void> takePart()
    {
        if (isBlank(m_rest.front())) {
            m_rest.remove_prefix(std::min(m_rest.find_first_not_of(" \t"), m_rest.size()));
            add({.kind = Kind::blanks});
            return {};
        }
        if (m_rest == "$" || (m_rest.front() == '$' && m_rest.substr(1).starts_with(kOptional))) {
            m_rest.remove_prefix(1);
            add({.kind = Kind::end});
            return {};
        }
        const bool isDoubled = m_rest.size() > 1 && m_rest[0] == m_rest[1];
        if (m_rest.front() == '{' && !isDoubled)
            return takeBraces();
        if (m_rest.front() == '}' && !isDoubled)
            return wrong(Words::tr("“}}” closes nothing."), Words::tr("Write “}}}}” for the character itself."));
        addText(m_rest.front());
        m_rest.remove_prefix(m_rest.front() == '{' || m_rest.front() == '}' ? 2 : 1);
        return {};
    }

    Result<void> takeBraces()
    {
        const auto end = m_rest.find('}');
        if (end == std::string_view::npos)
            return wrong(Words::tr("“{{” is not closed."), Words::tr("Write “{{{{” for the character itself."));
        const std::string_view inside = m_rest.substr(1, end - 1);
        Part part{.kind = Kind::skipped};
        if (inside.find('|') != std::string_view::npos) {
            part = {.kind = Kind::choice, .choices = alternatives(inside)};
        } else if (!inside.empty()) {
            const FieldRow* field = findField(inside);
            if (!field)
                return unknownField(inside);
            part = {.kind = Kind::number, .field = field};
        }
        m_rest.remove_prefix(end + 1);
        add(std::move(part));
        return {};
    }

    Result<void> unknownField(std::string_view name) const
    {
        std::vector<std::string> known;
        for (const FieldRow& row : fieldRows())
            known.emplace_back(row.name);
        const auto closest = closestWord(name, known);
        return wrong(Words::tr("there is no field “{}”.", plainText(name)),
                     closest ? Words::tr("Did you mean “{}”?", *closest)
                             : Words::tr("Write “{{}}” for a part that is not to be read."));
    }

    void add(Part part) { m_pattern.m_parts.push_back(std::move(part)); }
    void addText(char c)
    {
        auto& parts = m_pattern.m_parts;
        if (parts.empty() || parts.back().kind != Kind::text)
            add({.kind = Kind::text});
        parts.back().text += c;
    }

    /// The text behind “{}” ends it, and a blank before that is part of it; before a field it is a blank.
    Result<void> bindSkipped()
    {
        auto& parts = m_pattern.m_parts;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (parts[i].kind != Kind::skipped)
                continue;
            if (i + 1 == parts.size()) {
                parts[i].kind = Kind::rest;
                break;
            }
            const bool isBlank = parts[i + 1].kind == Kind::blanks;
            const std::size_t next = i + 1 + isBlank;
            if (next < parts.size() && parts[next].kind == Kind::text) {
                parts[i].text = std::move(parts[next].text);
                parts[i].afterBlank = isBlank;
                parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                            parts.begin() + static_cast<std::ptrdiff_t>(next) + 1);
            } else if (isBlank && next < parts.size() && parts[next].kind == Kind::number) {
                parts[i].kind = Kind::word;
            } else {
                return fail(ErrorCode::usage,
                            Words::tr("after “{{}}” the pattern needs a text, at which the skipped part ends."),
                            Words::tr("Write what stands before the next field."));
            }
        }
        return {};
    }

    Result<LinePattern> finished()
    {
        if (auto bound = bindSkipped(); !bound)
            return tl::unexpected(std::move(bound.error()));
        auto& parts = m_pattern.m_parts;
        for (std::size_t i = 1; i < parts.size(); ++i) // numbers are padded with blanks, or fill their place
            if (parts[i].kind == Kind::number && parts[i - 1].kind == Kind::blanks)
                parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(--i));
        for (Part& part : parts) {
            part.rarest = rarestOf(part.text);
            if (part.text.size() > m_pattern.m_key.size())
                m_pattern.m_key = part.text;
            if (part.field)
                m_pattern.m_quantities |= bitOf(part.field->quantity);
        }
        if (m_pattern.m_key.size() < kLeastKey)
            return keyTooShort();
        m_pattern.m_isAnchored |= parts.front().kind != Kind::text;
        return std::exchange(m_pattern, {});
    }

    tl::unexpected<Error> keyTooShort() const
    {
        std::string hint = Words::tr("Write more of the line than its fields.");
        if (m_optionalColumn == 0)
            return fail(
                ErrorCode::usage,
                Words::tr("a pattern needs a text of at least {} characters, by which its lines are found.", kLeastKey),
                std::move(hint));
        return fail(ErrorCode::usage,
                    Words::tr("column {} of the pattern: what follows “{{?}}” needs a text of at least {} characters, "
                              "by which it is found.",
                              m_optionalColumn, kLeastKey),
                    std::move(hint));
    }

    std::string_view m_text;
    std::string_view m_rest;
    std::size_t m_optionalColumn = 0; ///< of the part that is being read, from 1; 0: it may not be missing
    LinePattern m_pattern;
};

namespace {

/// With each phase that a process can tell in the place of kEachPhase: a further phase is read without a further word.
std::string withPhases(std::string_view text)
{
    const std::size_t at = text.find(kEachPhase);
    if (at == std::string_view::npos)
        return std::string(text);
    std::string all(text.substr(0, at));
    for (const PhaseWords& words : kPhaseWords)
        if (words.phase != Phase::other) // what is left
            all += fmt::format("{{?}} {0}_ns={{{0}_nanoseconds}}", words.name);
    return all.append(text.substr(at + kEachPhase.size()));
}

} // namespace

Result<LinePattern> LinePattern::parse(std::string_view text)
{
    const std::string whole = withPhases(text);
    TRY_ASSIGN(LinePattern pattern, PatternParser(whole).parse());
    pattern.m_text = text;
    return pattern;
}

bool LinePattern::match(std::string_view line, LineValues& values) const
{
    const char* const end = line.data() + line.size();
    const char* const head = matchHead(line.data(), end, values);
    if (!head)
        return false;
    for (const LinePattern& optional : m_optional)
        optional.matchHead(head, end, values);
    return true;
}

bool LinePattern::fits(std::string_view line) const
{
    LineValues values;
    return matchHead(line.data(), line.data() + line.size(), values) != nullptr;
}

template <class Try> bool LinePattern::anyStart(const char* at, const char* end, Try tryAt) const
{
    if (m_isAnchored) {
        dropBlanks(at, end);
        return tryAt(at);
    }
    for (int start = 0; start < kMostStarts; ++start, ++at) {
        at = find(m_parts.front(), at, end);
        if (at == end)
            return false;
        if (tryAt(at))
            return true;
    }
    return false;
}

const char* LinePattern::matchHead(const char* at, const char* end, LineValues& values) const
{
    const char* head = nullptr;
    anyStart(at, end, [&](const char* start) {
        head = matchAt(start, end, values) ? start : nullptr;
        return head != nullptr;
    });
    return head;
}

bool LinePattern::matchAt(const char* at, const char* end, LineValues& values) const
{
    const std::uint64_t before = values.mark();
    for (const Part& part : m_parts)
        if (!take(part, at, end, values)) {
            values.goBack(before);
            return false;
        }
    return true;
}

std::string_view LinePattern::head() const
{
    return m_parts.front().kind == Kind::text ? std::string_view(m_parts.front().text) : std::string_view();
}

LineBreak LinePattern::breakOf(std::string_view line) const
{
    const char* const end = line.data() + line.size();
    LineBreak found = LineBreak::none;
    anyStart(line.data(), end, [&](const char* start) {
        found = std::max(found, breakAt(start, end));
        return found == LineBreak::certain;
    });
    return found;
}

LineBreak LinePattern::breakAt(const char* start, const char* end) const
{
    const std::string_view line(start, end);
    const std::string_view whole = line.substr(0, sizeOfText(line));
    LineValues values;
    const char* at = start;
    end = whole.data() + whole.size();
    for (const Part& part : m_parts) {
        const std::string_view rest(at, end);
        if (take(part, at, end, values))
            continue;
        const bool isSkipped = part.kind == Kind::skipped;
        const auto mayBe = [&](const std::string& text) { return text.starts_with(rest); };
        const bool isAtEnd = isSkipped || std::ranges::all_of(rest, isBlank) || mayBe(part.text) ||
                             std::ranges::any_of(part.choices, mayBe);
        if (!isAtEnd || values.isEmpty())
            return LineBreak::none;
        if (isOpen(whole) || (!isSkipped && tellsTime(values)) || isInWord(part.text, rest.size()))
            return LineBreak::certain;
        return isSkipped ? LineBreak::none : LineBreak::possible;
    }
    return LineBreak::none;
}

/// The end where the part's text, which has a character at least, is not there.
const char* LinePattern::find(const Part& part, const char* at, const char* end)
{
    if (static_cast<std::size_t>(end - at) < part.text.size())
        return end;
    const char c = part.text[part.rarest];
    const char* const behind = end - (part.text.size() - part.rarest) + 1;
    for (at += part.rarest; at != behind; ++at) {
        at = static_cast<const char*>(std::memchr(at, c, static_cast<std::size_t>(behind - at)));
        if (!at)
            break;
        if (beginsWith(at - part.rarest, end, part.text))
            return at - part.rarest;
    }
    return end;
}

bool LinePattern::take(const Part& part, const char*& at, const char* end, LineValues& values)
{
    switch (part.kind) {
    case Kind::text:
        return takeText(part.text, at, end);
    case Kind::choice:
        return std::any_of(part.choices.begin(), part.choices.end(),
                           [&](const std::string& text) { return takeText(text, at, end); });
    case Kind::blanks: {
        const bool any = at == end || isBlank(*at);
        dropBlanks(at, end);
        return any;
    }
    case Kind::number: {
        const auto number = takeNumber(at, end, part.field->form);
        if (number)
            values.set(part.field->quantity, *number * part.field->factor);
        return number.has_value();
    }
    case Kind::skipped:
        for (const char* found = at; (found = find(part, found, end)) != end; ++found)
            if (!part.afterBlank || (found != at && isBlank(found[-1]))) {
                at = found + part.text.size();
                return true;
            }
        return false;
    case Kind::word:
        at = std::find_if(at, end, isBlank);
        return true;
    case Kind::rest:
        return true;
    case Kind::end:
        dropBlanks(at, end);
        return at == end;
    }
    return false;
}

} // namespace ringside::logs
