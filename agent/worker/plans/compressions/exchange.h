// SPDX-License-Identifier: MIT
// Turns one unit of gradients (a bucket, a chunk) into its sum over all ranks: a collective of a plan with its
// compression.
#pragma once

#include "agent/worker/collectives/communicator.h"
#include "core/protocol/aggregationplan.h"

#include <c10/core/Device.h>
#include <cstdint>
#include <memory>
#include <span>

namespace ringside {

/// Used by the communication thread only. Every rank hands in the same units in the same order. Those in a GPU's memory
/// are exchanged on the communicator's stream, which is the current one then: all is enqueued there, and nothing waited
/// for.
class Exchange
{
public:
    virtual ~Exchange() = default;

    /// The gradients become the sum over all ranks, in place, the same bits on all of them. `unit` names the rounding
    /// errors that are carried over to the next iteration, if the compression has any; its size never changes. Returns
    /// the bytes that this rank handed to the communicator.
    virtual Result<std::uint64_t> sum(std::uint32_t unit, std::span<float> gradients) = 0;
    /// Allocates the memory for units of up to so many numbers, before the first of them: a lack of it throws here, an
    /// exception of libtorch, and not on the communication thread. Called by the thread that made this.
    virtual void reserve(std::size_t) {}
};

/// For every collective but the parameter server, which is no sum of this kind, and gradients in the memory of this
/// device, that of the communicator's stream or the host's. Collective; stores the reference.
Result<std::unique_ptr<Exchange>> makeExchange(const AggregationPlan& plan, Communicator& communicator,
                                               c10::Device device = c10::kCPU);

} // namespace ringside
