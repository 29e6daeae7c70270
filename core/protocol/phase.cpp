// SPDX-License-Identifier: MIT
#include "core/protocol/phase.h"

#include "core/protocol/names.h"

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

} // namespace

const PhaseWords& wordsOf(Phase phase)
{
    return *std::ranges::find(kPhaseWords, phase, &PhaseWords::phase);
}

std::string_view nameOf(Phase phase)
{
    return wordsOf(phase).name;
}

std::optional<Phase> phaseFromName(std::string_view name)
{
    return valueNamed(name, kPhases);
}

} // namespace ringside
