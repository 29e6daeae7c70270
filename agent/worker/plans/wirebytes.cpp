// SPDX-License-Identifier: MIT
#include "agent/worker/plans/wirebytes.h"

#include "agent/worker/plans/compressions/compression.h"

namespace ringside {

std::uint64_t wireBytes(const AggregationPlan& plan, std::size_t gradients, std::span<const int> ranksOfNodes,
                        const SumAlgorithms& sums)
{
    const ExchangedNumbers numbers{gradients, ranksOfNodes, sums};
    if (plan.collective == Collective::parameterServer) // gradients there, weights back; see wirebytes.h
        return numbers.ranks() * (makeCodec(plan)->bytesOf(gradients) + gradients * sizeof(float));
    return kindOf(plan.compression).wireBytes(plan, numbers);
}

} // namespace ringside
