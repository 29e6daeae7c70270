// SPDX-License-Identifier: MIT
// As what gradients travel: each compression with collectives, with servers, and in bytes.
#pragma once

#include "agent/worker/plans/compressions/exchange.h"
#include "agent/worker/plans/compressions/gradientcodec.h"
#include "agent/worker/plans/sums/summation.h"

#include <memory>

namespace ringside {

/// A compression as this engine carries it out: a file of its own.
struct CompressionKind
{
    Compression compression;
    /// For every collective but the parameter server; see makeExchange.
    Result<std::unique_ptr<Exchange>> (*makeExchange)(const AggregationPlan&, Communicator&, c10::Device);
    std::unique_ptr<GradientCodec> (*makeCodec)(const AggregationPlan&);
    /// Bytes that all ranks together send in one exchange.
    std::uint64_t (*wireBytes)(const AggregationPlan&, const ExchangedNumbers&);
    /// The largest error of gradients by rounding (relative norm of a tensor), where that is lost. Used by checks.
    double rounding = 0;
};

const CompressionKind& kindOf(Compression compression);

/// For the plan's collective, where so many bytes of each number are summed as they are.
std::uint64_t sumBytes(const AggregationPlan& plan, const ExchangedNumbers& numbers, std::size_t bytesOfNumber);

} // namespace ringside
