// SPDX-License-Identifier: MIT
// Finds the process of an attempt that the others wait for. Pure.
#pragma once

#include "core/protocol/sample.h"

#include <optional>
#include <span>

namespace ringside::runner {

/// One that has made no progress for long, by its last heartbeat. A server has no progress to make.
struct Stalled
{
    int process = 0; ///< its rank; servers are behind those that train
    bool trains = true;
    Phase phase = Phase::other;
    std::optional<Communication> communication = {};
};

/// The only one, if others get on. Else the one that does not wait while they wait for it; where all wait, the one that
/// has entered fewer calls than others, which have gone on without it. Nothing: none has stopped, or all are in the
/// same call and no rank is to blame.
std::optional<int> hungRank(std::span<const Stalled> stalled);

} // namespace ringside::runner
