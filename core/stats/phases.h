// SPDX-License-Identifier: MIT
// Sums up where an iteration spends its time: means, because means add up (STATISTICS.md, 5; DESIGN section 11).
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
    std::int64_t readNs = 0;          ///< of its loader threads together; so the next
    std::int64_t decodeNs = 0;
    PhaseSet told = PhaseSet::all(); ///< by each of them; what some report beside that belongs to the rest
};

/// The mean iteration of a run, or of several.
struct MeanIteration
{
    PhaseMeans phases{};      ///< ms
    double communication = 0; ///< ms inside collectives, exposed or hidden
    /// ms that a rank's loader threads together read files and decode. They work beside the phases, several at once:
    /// what is waited for is in input_wait.
    double read = 0, decode = 0;
    PhaseSet told = PhaseSet::all(); ///< by all ranks of all runs; the time of all other phases is in `other`

    double length() const; ///< ms: the phases' sum, added in their order
    /// ms of `communication` that no phase waits for; never negative. 0 where it is not reported which part of it one
    /// waits for.
    double hiddenCommunication() const;
};

/// Mean over each rank's steady iterations, then over the ranks. Ranks without iterations are left out.
MeanIteration meanIteration(const std::vector<RankPhaseSums>& ranks);

/// Mean over runs, each with the same weight. All zero without runs.
MeanIteration meanOverRuns(const std::vector<MeanIteration>& runs);

} // namespace ringside::stats
