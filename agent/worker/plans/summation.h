// SPDX-License-Identifier: MIT
// The collectives by which numbers are summed over all ranks.
#pragma once

#include "agent/worker/collectives/communicator.h"
#include "core/protocol/aggregationplan.h"

#include <cstdint>
#include <memory>

namespace ringside {

class Summation
{
public:
    virtual ~Summation() = default;
    /// In place, on all ranks. Returns the bytes that this rank handed to the communicator.
    virtual Result<std::uint64_t> sum(Numbers numbers) = 0;
    /// Where one call of the communicator is all of a sum, and can be queued; else null.
    virtual QueuedSums* queuedSums() { return nullptr; }
};

/// Collective, since nodes get communicators of their own. Keeps the reference.
Result<std::unique_ptr<Summation>> makeSummation(Collective collective, Communicator& communicator);

} // namespace ringside
