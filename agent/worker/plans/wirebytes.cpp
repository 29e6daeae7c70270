// SPDX-License-Identifier: MIT
#include "agent/worker/plans/wirebytes.h"

#include "agent/worker/plans/compressions/compression.h"

#include <numeric>

namespace ringside {

std::size_t ExchangedNumbers::ranks() const
{
    return static_cast<std::size_t>(std::accumulate(ranksOfNodes.begin(), ranksOfNodes.end(), 0));
}

std::uint64_t wireBytes(const AggregationPlan& plan, std::size_t gradients, std::span<const int> ranksOfNodes,
                        const SumAlgorithms& sums)
{
    const ExchangedNumbers numbers{gradients, ranksOfNodes, sums};
    if (plan.collective == Collective::parameterServer) // gradients there, weights back; see wirebytes.h
        return numbers.ranks() * (makeCodec(plan)->bytesOf(gradients) + gradients * sizeof(float));
    return kindOf(plan.compression).wireBytes(plan, numbers);
}

} // namespace ringside
