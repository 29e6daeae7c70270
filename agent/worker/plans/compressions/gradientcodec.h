// SPDX-License-Identifier: MIT
// Gradients as a message to a server, by a plan's compression, and back.
#pragma once

#include "core/protocol/aggregationplan.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace ringside {

/// One for each end; from one thread at a time.
class GradientCodec
{
public:
    virtual ~GradientCodec() = default;

    /// Length of the message of `count` numbers.
    virtual std::size_t bytesOf(std::size_t count) const = 0;
    /// The result stays valid until the next call for the same shard, as the gradients have to. Losses are carried over
    /// to that call, if the compression does so. `shard` names the gradients; their number never changes.
    virtual std::span<const std::byte> encode(std::uint32_t shard, std::span<float> gradients) = 0;
    /// Both expect messages of bytesOf(numbers.size()) bytes.
    virtual void decode(std::span<const std::byte> message, std::span<float> numbers) const = 0;
    virtual void decodeAndAdd(std::span<const std::byte> message, std::span<float> numbers) const = 0;
};

std::unique_ptr<GradientCodec> makeCodec(const AggregationPlan& plan);

} // namespace ringside
