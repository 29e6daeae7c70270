// SPDX-License-Identifier: MIT
// One attempt of one run on one rank.
#pragma once

#include "agent/worker/train/trainsettings.h"

namespace ringside {

/// Trains and writes rank-r.spool (and, on rank 0, facts.json) into the attempt's folder; log lines for people on
/// stdout, the reason of a failure on stderr. Returns the exit code. Where ranks can no longer agree it does not return
/// but ends all of them.
int train(const TrainRequest& request);

} // namespace ringside
