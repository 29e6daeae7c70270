// SPDX-License-Identifier: MIT
#include "core/spec/wording.h"

#include "core/base/parsenumber.h"
#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/spec/schema.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace ringside::spec {

namespace {

constexpr std::size_t kLongestQuote = 60;
constexpr std::size_t kLongestList = 12;

std::string cut(std::string text)
{
    return text.size() <= kLongestQuote ? text : std::string(beginning(text, kLongestQuote)) + "…";
}

/// Words that begin as this one does, up to its first underscore; only those: “data” says less than “data_path”.
std::vector<std::string> relatives(std::string_view word, const std::vector<std::string>& known)
{
    std::vector<std::string> related;
    const std::string_view beginning = word.substr(0, word.find('_') + 1);
    for (const std::string& candidate : known)
        if (!beginning.empty() && candidate.starts_with(beginning))
            related.push_back(inQuotes(candidate));
    return related;
}

std::string allButLast(const std::vector<std::string>& words)
{
    return joined(std::span(words).first(words.size() - 1), ", ");
}

std::string alternatives(const std::vector<std::string>& words)
{
    return words.size() == 1 ? words.front() : Words::tr("{} or {}", allButLast(words), words.back());
}

/// Quoted; empty if nothing is like the word.
std::vector<std::string> alike(std::string_view word, const std::vector<std::string>& known)
{
    if (const auto close = closestWord(word, known))
        return {inQuotes(*close)};
    return relatives(word, known);
}

std::optional<double> realWithoutFraction(const Value& value)
{
    constexpr double kLargestExact = 9007199254740992.0; // 2^53: beyond it the digits would not be those written
    const auto* real = std::get_if<double>(&value);
    return real && std::trunc(*real) == *real && std::abs(*real) <= kLargestExact ? std::optional(*real) : std::nullopt;
}

} // namespace

std::string inQuotes(std::string_view text)
{
    std::string plain = plainText(text);
    std::ranges::replace(plain, '\n', ' ');
    return Words::tr("“{}”", cut(std::move(plain)));
}

std::string listed(const std::vector<std::string>& words)
{
    if (words.size() < 2)
        return words.empty() ? std::string{} : words.front();
    return Words::tr("{} and {}", allButLast(words), words.back());
}

std::string about(std::string_view key, std::string_view message)
{
    return Words::tr("{}: {}", shownLabelOf(key), message);
}

std::string foundInstead(const Value& value)
{
    if (const auto real = realWithoutFraction(value))
        return inQuotes(fmt::format("{:.1f}", *real));
    return unquoting(value).empty() ? inQuotes(toText(value)) : Words::tr("the text {}", inQuotes(toText(value)));
}

std::string unquoting(const Value& value)
{
    const auto* text = std::get_if<std::string>(&value);
    return text && parseNumber<double>(*text) ? Words::tr("Write {} without quotes.", *text) : std::string{};
}

std::string writtenWhole(const Value& value)
{
    const auto real = realWithoutFraction(value);
    return real ? Words::tr("Write {:.0f}.", *real) : unquoting(value);
}

std::string likelyMeant(std::string_view word, const std::vector<std::string>& known)
{
    const std::vector<std::string> meant = alike(word, known);
    return meant.empty() ? std::string() : Words::tr("Did you mean {}?", alternatives(meant));
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known)
{
    std::string text = likelyMeant(word, known);
    if (!known.empty() && known.size() <= kLongestList)
        text.append(text.empty() ? "" : " ").append(Words::tr("Known: {}.", listed(known)));
    return text;
}

} // namespace ringside::spec
