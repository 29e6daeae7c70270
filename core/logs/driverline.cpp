// SPDX-License-Identifier: MIT
#include "core/logs/driverline.h"

#include "core/base/parsenumber.h"
#include "core/base/text.h"
#include "core/logs/recordsamples.h"
#include "core/protocol/jsonfields.h"

#include <array>
#include <cmath>
#include <limits>

namespace ringside::logs {

namespace {

constexpr std::size_t kMaxFacts = 300, kMaxFactBytes = 1'000;
constexpr std::int64_t kMaxNs = std::int64_t{1} << 60;

/// The text up to a blank, which is removed with it.
std::string_view takeWord(std::string_view& rest)
{
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return word;
}

/// The words NAME=VALUE of a line.
class Numbers
{
public:
    /// Stops before the first word that is none.
    explicit Numbers(std::string_view& rest)
    {
        while (!rest.empty()) {
            const std::string_view word = rest.substr(0, rest.find(' '));
            const std::size_t sign = word.find('=');
            if (sign == std::string_view::npos || sign == 0)
                break;
            if (m_count < m_words.size())
                m_words[m_count++] = {word.substr(0, sign), word.substr(sign + 1)};
            takeWord(rest);
        }
    }

    /// Reads the number between NAME and the unit behind it.
    std::optional<std::int64_t> whole(std::string_view name, std::int64_t most, std::string_view unit = {}) const
    {
        const auto number = parseNumber<std::int64_t>(textOf(name, unit));
        return number && *number >= 0 && *number <= most ? number : std::nullopt;
    }
    /// Absent: empty.
    std::string_view word(std::string_view name) const { return textOf(name, {}); }
    std::optional<float> real(std::string_view name) const { return parseNumber<float>(textOf(name, {})); }

private:
    struct Word
    {
        std::string_view name, text;
    };
    /// Empty, which is no number: it has no such word.
    std::string_view textOf(std::string_view name, std::string_view unit) const
    {
        for (std::size_t i = 0; i < m_count; ++i)
            if (const std::string_view word = m_words[i].name;
                word.size() == name.size() + unit.size() && word.starts_with(name) && word.ends_with(unit))
                return m_words[i].text;
        return {};
    }

    std::array<Word, 32> m_words; ///< further ones are none that we know
    std::size_t m_count = 0;
};

std::optional<int> rankIn(const Numbers& numbers)
{
    const auto rank = numbers.whole("rank", std::numeric_limits<int>::max());
    return rank ? std::optional(static_cast<int>(*rank)) : std::nullopt;
}

/// {"a": {"b": 1}} is a.b = 1, a list its members with commas between them.
void addFacts(std::map<std::string, std::string>& facts, const std::string& name, const nlohmann::json& json)
{
    if (json.is_object()) {
        for (const auto& [key, member] : json.items())
            addFacts(facts, name.empty() ? key : name + "." + key, member);
        return;
    }
    if (facts.size() >= kMaxFacts || name.empty())
        return;
    const std::string text = json.is_string() ? json.get<std::string>() : dumpJson(json);
    facts[plainText(name.substr(0, kMaxFactBytes))] = plainText(text.substr(0, kMaxFactBytes));
}

std::optional<DriverLine> readBegin(std::string_view rest)
{
    const Numbers numbers(rest);
    const auto ranks = numbers.whole("ranks", std::numeric_limits<int>::max());
    const auto rank = numbers.whole("rank", ranks.value_or(0) - 1);
    const auto items = numbers.whole("batch", std::numeric_limits<std::uint32_t>::max());
    if (!ranks || !rank || !items)
        return std::nullopt;
    DriverBegin begin{static_cast<int>(*rank),
                      static_cast<int>(*ranks),
                      static_cast<std::uint32_t>(*items),
                      numbers.word("scope") == "all",
                      {}};
    if (rest.empty())
        return begin;
    if (!rest.starts_with('{'))
        return std::nullopt;
    if (const auto json = parseJsonObject(rest, rest.size(), "facts"))
        addFacts(begin.facts, "", *json);
    else // the numbers before them are what the run is checked by
        begin.facts["left_out"] = "all";
    return begin;
}

std::optional<DriverLine> readSample(std::string_view rest)
{
    const Numbers numbers(rest);
    const auto seq = numbers.whole("iteration", std::numeric_limits<std::uint32_t>::max());
    const auto start = numbers.whole("start_ns", kMaxNs), length = numbers.whole("length_ns", kMaxNs);
    const auto items = numbers.whole("items", std::numeric_limits<std::uint32_t>::max());
    if (!rest.empty() || !seq || !start || !length || !items)
        return std::nullopt;
    Sample sample;
    sample.seq = static_cast<std::uint32_t>(*seq);
    sample.startNs = *start;
    sample.items = static_cast<std::uint32_t>(*items);
    const auto loss = numbers.real("loss");
    sample.loss = loss ? toldLoss(*loss) : std::numeric_limits<float>::quiet_NaN();
    PhaseSet told{};
    std::int64_t left = *length;
    for (const PhaseWords& words : kPhaseWords) {
        const auto ns = numbers.whole(words.name, left, "_ns");
        if (!ns || words.phase == Phase::other)
            continue;
        told = told | PhaseSet{words.phase};
        sample.phases[static_cast<std::size_t>(words.phase)] = *ns;
        left -= *ns;
    }
    sample.phases[static_cast<std::size_t>(Phase::other)] = left;
    sample.told = told;
    return DriverIteration{sample, rankIn(numbers)};
}

std::optional<DriverLine> readEnd(std::string_view rest)
{
    const Numbers numbers(rest);
    const auto iterations = numbers.whole("iterations", std::numeric_limits<std::uint32_t>::max());
    if (!iterations)
        return std::nullopt;
    return DriverEnd{static_cast<std::uint32_t>(*iterations), rankIn(numbers)};
}

} // namespace

bool DriverBegin::leavesToLines() const
{
    const auto told = facts.find("iterations"), left = facts.find("left_out");
    const bool mayHaveToldIt = left != facts.end() && left->second == "all";
    return mayHaveToldIt || (told != facts.end() && told->second == "lines");
}

std::uint32_t DriverBegin::firstOfLines() const
{
    const auto told = facts.find("first_iteration");
    return told == facts.end() ? 0 : parseNumber<std::uint32_t>(told->second).value_or(0);
}

std::size_t beginOfDriverLine(std::string_view line)
{
    return std::min(line.starts_with(kDriverHead) ? 0 : line.rfind(kDriverHead), line.size());
}

std::optional<DriverLine> readDriverLine(std::string_view line)
{
    line.remove_prefix(beginOfDriverLine(line));
    if (line.empty())
        return std::nullopt;
    std::string_view rest = line.substr(kDriverHead.size()), word = rest;
    word = takeWord(word);
    if (word == "begin" || word == "end")
        takeWord(rest);
    if (word == "begin")
        return readBegin(rest);
    if (word != "end")
        return readSample(rest);
    return readEnd(rest);
}

} // namespace ringside::logs
