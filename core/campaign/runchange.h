// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ids.h"
#include "core/protocol/reason.h"
#include "core/protocol/states.h"

#include <cstdint>
#include <optional>

namespace ringside::campaign {

/// The state that an attempt of a run has reached. An attempt that has ended stays as it ended; the run follows its
/// latest attempt.
struct RunChange
{
    RunId run;
    int attempt = 0; ///< 0: before the first
    RunState state = RunState::queued;
    Cause cause = Cause::none;
    Reason reason = {};
    std::optional<int> lostRank;
    std::int64_t atNs = 0; ///< wall clock
    bool operator==(const RunChange&) const = default;
};

} // namespace ringside::campaign
