// SPDX-License-Identifier: MIT
#include "core/protocol/phase.h"

#include <algorithm>

namespace ringside {

namespace {

/// So that each value is an index into PhaseTimes, and has words.
consteval bool haveEachOnce()
{
    for (std::size_t i = 0; i < kPhaseCount; ++i)
        if (std::ranges::count(kPhases, static_cast<Phase>(i)) != 1)
            return false;
    return true;
}
static_assert(haveEachOnce());

consteval bool differInColour()
{
    std::array<std::uint32_t, kPhaseCount> fills{};
    std::ranges::transform(kPhaseWords, fills.begin(), [](const PhaseWords& words) { return words.look.fill; });
    std::ranges::sort(fills);
    return std::ranges::adjacent_find(fills) == fills.end();
}
static_assert(differInColour());

constexpr PhaseWords kNotToldWords{Phase::other,
                                   "not_told",
                                   Words::noop("Not told"),
                                   Words::noop("Not told"),
                                   Words::noop("Not told, difference"),
                                   Words::noop("outside its iterations"),
                                   {0xD5DAE0, Hatch::backward, 0x6B747E, kDarkInk}};

constexpr auto kParts = [] {
    std::array<PhasePart, kPhaseCount + 1> parts{}; // the last stays as it is
    std::ranges::copy(kPhases, parts.begin());
    return parts;
}();
static_assert(kParts.back() == kNotTold);

} // namespace

std::span<const Phase> phasesUntil(Phase last)
{
    return {kPhases.begin(), std::ranges::find(kPhases, last) + 1};
}

std::span<const PhasePart> partsOf(PhaseSet told)
{
    return std::span(kParts).first(told.hasAll() ? kPhaseCount : kParts.size());
}

const PhaseWords& wordsOf(PhasePart part)
{
    return part.isTold ? *std::ranges::find(kPhaseWords, part.phase, &PhaseWords::phase) : kNotToldWords;
}

std::string_view nameOf(PhasePart part)
{
    return wordsOf(part).name;
}

std::optional<Phase> phaseFromName(std::string_view name)
{
    const auto* const found = std::ranges::find(kPhaseWords, name, &PhaseWords::name);
    return found == kPhaseWords.end() ? std::nullopt : std::optional(found->phase);
}

} // namespace ringside
