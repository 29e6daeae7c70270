// SPDX-License-Identifier: MIT
// The work of a server rank, in place of training.
#pragma once

#include "agent/worker/train/rank.h"

namespace ringside {

/// Serves until the ranks that train are done; the exit code. Says on stdout how much it has served, and of
/// asynchronous updates how stale their gradients were.
Outcome<int> serve(const TrainSettings& settings, Rank& rank);

} // namespace ringside
