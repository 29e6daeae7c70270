// SPDX-License-Identifier: MIT
// Timing of short work, by itself and together with other ranks.
#pragma once

#include "agent/worker/collectives/communicator.h"
#include "core/protocol/calibration.h"

#include <chrono>
#include <functional>
#include <span>
#include <vector>

namespace ringside {

double median(std::vector<double> values);

/// Median seconds of one call, after one that is not counted: as many as fit into `budget`, three at least.
double medianSeconds(std::chrono::milliseconds budget, const std::function<void()>& work);

/// Median seconds of a collective call, of the slowest rank in each repetition, after one that is not counted: as many
/// as fit into `budget` (at least `fewest`, at most 400), the same number on all ranks. A barrier goes before
/// each. Collective.
Result<double> slowestSeconds(Communicator& communicator, std::chrono::milliseconds budget, int fewest,
                              const std::function<Result<void>()>& call);

/// Over the ranks that measured, those whose rate is above 0. The same on all ranks. Collective.
Result<RankRate> overRanks(Communicator& communicator, double rate);

} // namespace ringside
