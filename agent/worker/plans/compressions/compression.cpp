// SPDX-License-Identifier: MIT
#include "agent/worker/plans/compressions/compression.h"

#include <algorithm>

namespace ringside {

extern const CompressionKind kUncompressed, kFp16, kBf16, kOneBit, kTopK; // in files of their own

namespace {

/// All that a plan can say.
constexpr const CompressionKind* kKinds[] = {&kUncompressed, &kFp16, &kBf16, &kOneBit, &kTopK};
static_assert(std::size(kKinds) == std::size(kCompressions));

} // namespace

const CompressionKind& kindOf(Compression compression)
{
    return **std::ranges::find(kKinds, compression, &CompressionKind::compression);
}

Result<std::unique_ptr<Exchange>> makeExchange(const AggregationPlan& plan, Communicator& communicator,
                                               c10::Device device)
{
    return kindOf(plan.compression).makeExchange(plan, communicator, device);
}

std::unique_ptr<GradientCodec> makeCodec(const AggregationPlan& plan)
{
    return kindOf(plan.compression).makeCodec(plan);
}

std::uint64_t sumBytes(const AggregationPlan& plan, const ExchangedNumbers& numbers, std::size_t bytesOfNumber)
{
    const SummationKind* sum = findSummation(plan.collective);
    return sum ? sum->wireBytes(numbers, bytesOfNumber) : 0;
}

} // namespace ringside
