// SPDX-License-Identifier: MIT
// The phases of an iteration, in one table: whatever names, stores, sums, shows or explains them is made from it. Their
// colours are in app/figures/marks.cpp.
#pragma once

#include "core/base/words.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ringside {

/// Every instant of the compute thread belongs to exactly one phase, so the phases of a sample add up to its length.
/// The values are those in files (record.h): a new phase comes last.
enum class Phase : std::uint8_t
{
    inputWait,
    h2d,
    forward,
    backward,
    commExposed,
    update,
    other
};

struct PhaseWords
{
    Phase phase;
    std::string_view name;    ///< in JSON and, with "_ns" behind it, of a column
    std::string_view title;   ///< marked for translation, as what follows is
    std::string_view heading; ///< the title where little room is, as of a table's column
    std::string_view during;  ///< ends a sentence about a rank: "Rank 3 has made no progress for 60 s, …"
};

/// As an iteration runs, which is how phases are stacked and listed.
inline constexpr auto kPhaseWords = std::to_array<PhaseWords>({
    {Phase::inputWait, "input_wait", Words::noop("Input wait"), Words::noop("Input wait"),
     Words::noop("while it waited for a batch")},
    {Phase::h2d, "h2d", Words::noop("Host to device"), Words::noop("Host to device"),
     Words::noop("while it copied its batch")},
    {Phase::forward, "forward", Words::noop("Forward"), Words::noop("Forward"), Words::noop("in its forward pass")},
    {Phase::backward, "backward", Words::noop("Backward"), Words::noop("Backward"),
     Words::noop("in its backward pass")},
    {Phase::commExposed, "comm_exposed", Words::noop("Communication, exposed"), Words::noop("Exposed"),
     Words::noop("while it exchanged gradients")},
    {Phase::update, "update", Words::noop("Update"), Words::noop("Update"), Words::noop("in its update")},
    {Phase::other, "other", Words::noop("Other"), Words::noop("Other"), Words::noop("outside its iterations")},
});

inline constexpr std::size_t kPhaseCount = kPhaseWords.size();
inline constexpr std::array<Phase, kPhaseCount> kPhases = [] {
    std::array<Phase, kPhaseCount> phases{};
    for (std::size_t i = 0; i < kPhaseCount; ++i)
        phases[i] = kPhaseWords[i].phase;
    return phases;
}();

const PhaseWords& wordsOf(Phase phase);
std::string_view nameOf(Phase phase);
std::optional<Phase> phaseFromName(std::string_view name);

/// Nanoseconds per phase, indexed by Phase.
using PhaseTimes = std::array<std::int64_t, kPhaseCount>;

} // namespace ringside
