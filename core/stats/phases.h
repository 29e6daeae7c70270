// SPDX-License-Identifier: MIT
// Where an iteration spends its time: means, because means add up (STATISTICS.md, 5; DESIGN section 11).
#pragma once

#include "core/protocol/sample.h"

#include <vector>

namespace ringside::stats {

/// Milliseconds per phase of a mean iteration, indexed by Phase.
using PhaseMeans = std::array<double, kPhaseCount>;

/// Sums over the steady iterations of one rank.
struct RankPhaseSums
{
    std::uint32_t iterations = 0;
    PhaseTimes phases{};              ///< ns
    std::int64_t communicationNs = 0; ///< inside collectives, hidden part included
};

/// The mean iteration of a run, or of several.
struct MeanIteration
{
    PhaseMeans phases{};      ///< ms
    double communication = 0; ///< ms inside collectives, exposed or hidden

    double length() const;              ///< ms: the phases' sum, added in their order
    double hiddenCommunication() const; ///< ms of `communication` that no phase waits for; never negative
};

/// Mean over each rank's steady iterations, then over the ranks. Ranks without iterations are left out.
MeanIteration meanIteration(const std::vector<RankPhaseSums>& ranks);

/// Mean over runs, each with the same weight. All zero without runs.
MeanIteration meanOverRuns(const std::vector<MeanIteration>& runs);

} // namespace ringside::stats
