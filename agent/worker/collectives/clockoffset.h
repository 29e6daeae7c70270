// SPDX-License-Identifier: MIT
// Measures the offsets between the clocks of the ranks' hosts: messages go to rank 0, which answers with its time.
#pragma once

#include "agent/worker/collectives/communicator.h"
#include "core/protocol/sample.h"

#include <functional>

namespace ringside {

/// Answers per rank. The quickest one counts: what delayed the others may have delayed one way only.
inline constexpr int kClockMessages = 40;

/// The offset of this rank's clock, right to half the time of the quickest answer; of rank 0, zero. Collective, one
/// rank after the other, some ten microseconds each on one host; `clock` is CLOCK_MONOTONIC, or another one in tests.
Result<ClockOffset> measureClockOffset(Communicator& communicator, const std::function<std::int64_t()>& clock);

} // namespace ringside
