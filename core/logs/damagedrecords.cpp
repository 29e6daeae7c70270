// SPDX-License-Identifier: MIT
#include "core/logs/damagedrecords.h"

#include "core/base/sequences.h"

#include <algorithm>
#include <utility>

namespace ringside::logs {

namespace {

bool isOfRecords(Meaning meaning)
{
    return meaning == Meaning::interval || meaning == Meaning::iteration || meaning == Meaning::mean ||
           meaning == Meaning::epoch || meaning == Meaning::part;
}

std::vector<const LinePattern*> patternsOf(const LogFormat& format)
{
    std::vector<const LinePattern*> patterns;
    for (const LineForm& form : format.lines)
        if (isOfRecords(form.meaning) && form.pattern.head().size() >= kLeastKey)
            patterns.push_back(&form.pattern);
    return patterns;
}

} // namespace

DamagedRecords::DamagedRecords(const LogFormat& format)
    : m_patterns(patternsOf(format))
    , m_heads(mapped(m_patterns, [](const LinePattern* pattern) { return pattern->head(); }))
{
}

std::optional<std::uint64_t> DamagedRecords::find(std::uint64_t number, std::string_view line)
{
    const bool isOther = m_begunNumber > 0 && m_begunNumber + 1 == number && isCompletedBy(line);
    const std::uint64_t begun = std::exchange(m_begunNumber, 0);
    if (isOther)
        return begun;
    LineBreak found = LineBreak::none;
    m_heads.find(line, m_candidates);
    for (const std::uint32_t form : m_candidates)
        found = std::max(found, m_patterns[form]->breakOf(line));
    if (found == LineBreak::possible) {
        m_begun = line;
        m_begunNumber = number;
    }
    return found == LineBreak::certain ? std::optional(number) : std::nullopt;
}

bool DamagedRecords::isCompletedBy(std::string_view line) const
{
    const std::string whole = m_begun + std::string(line);
    return std::ranges::any_of(m_patterns, [&](const LinePattern* pattern) { return pattern->fits(whole); });
}

} // namespace ringside::logs
