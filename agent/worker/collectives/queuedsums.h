// SPDX-License-Identifier: MIT
// Sums of a GPU's memory that are queued on the GPU, so that no host stands between one and the next.
#pragma once

#include "agent/worker/collectives/numbers.h"
#include "core/base/error.h"

#include <chrono>
#include <optional>

namespace ringside {

/// One thread at a time, that of the communicator's other calls. Every rank starts the same sums in the same order, and
/// they are carried out and settled in it. After an error nothing is summed any more.
class QueuedSums
{
public:
    virtual ~QueuedSums() = default;

    /// Each number becomes its sum over all ranks, in place, once this event of CUDA (a cudaEvent_t) has happened;
    /// null: at once. Does not wait for it.
    virtual Result<void> start(Numbers numbers, void* after) = 0;
    /// Of the oldest sum that was started and is not settled: how long it took, by the GPU, if it is complete; it is
    /// settled then. Does not wait.
    virtual Result<std::optional<std::chrono::nanoseconds>> settleOldest() = 0;
};

} // namespace ringside
