// SPDX-License-Identifier: MIT
#include "agent/worker/plans/wirebytes.h"

#include "agent/worker/collectives/numbers.h"
#include "agent/worker/plans/gradientcodec.h"
#include "agent/worker/plans/onebit.h"
#include "agent/worker/plans/topk.h"

#include <numeric>

namespace ringside {

namespace {

std::uint64_t bytesPerNumber(Compression compression)
{
    return compression == Compression::fp16 || compression == Compression::bf16 ? 2 : 4;
}

/// What sums among so many ranks send in all.
struct SumBytes
{
    std::uint64_t number; ///< bytes
    const SumAlgorithms& by;

    std::uint64_t allReduce(std::size_t gradients, int ranks) const
    {
        const std::uint64_t bytes = gradients * number, n = static_cast<std::uint64_t>(ranks);
        return bytes < by.wholeBelow ? n * (n - 1) * bytes : 2 * (n - 1) * bytes;
    }
    /// On the first rank. By parts all but its own come to it once more.
    std::uint64_t reduce(std::size_t gradients, int ranks) const
    {
        const std::uint64_t once = static_cast<std::uint64_t>(ranks - 1) * gradients * number;
        return by.reducesByParts ? once + (gradients - partOf(gradients, 0, ranks).count) * number : once;
    }
    /// On the first rank of each node, among these, and from them to the others. Where nothing is sent beside what must
    /// be, 2 (ranks - 1) times the numbers as well: no less than a ring, but elsewhere.
    std::uint64_t hierarchical(std::size_t gradients, std::span<const int> ranksOfNodes) const
    {
        std::uint64_t bytes = allReduce(gradients, static_cast<int>(ranksOfNodes.size()));
        for (const int ranks : ranksOfNodes)
            bytes += reduce(gradients, ranks) + static_cast<std::uint64_t>(ranks - 1) * gradients * number;
        return bytes;
    }
};

} // namespace

std::uint64_t wireBytes(const AggregationPlan& plan, std::size_t gradients, std::span<const int> ranksOfNodes,
                        const SumAlgorithms& sums)
{
    const int ranks = std::accumulate(ranksOfNodes.begin(), ranksOfNodes.end(), 0);
    const auto others = static_cast<std::uint64_t>(ranks - 1), all = static_cast<std::uint64_t>(ranks);
    if (plan.collective == Collective::parameterServer) // gradients there, weights back; see wirebytes.h
        return all * (makeCodec(plan)->bytesOf(gradients) + gradients * sizeof(float));
    if (plan.compression == Compression::onebit) // to the rank that sums a part, and its sum to all
        return 2 * all * others * onebit::codeBytes(partOf(gradients, 0, ranks).count);
    if (plan.compression == Compression::topk)
        return all * others * topk::entriesOf(gradients, plan.topkPpm) * sizeof(topk::Entry);
    const SumBytes bytes{bytesPerNumber(plan.compression), sums};
    switch (plan.collective) {
    case Collective::none:
    case Collective::parameterServer:
        break;
    case Collective::allreduce:
        return bytes.allReduce(gradients, ranks);
    case Collective::hierarchical:
        return bytes.hierarchical(gradients, ranksOfNodes);
    case Collective::reduceScatterAllgather:
        return 2 * others * gradients * bytes.number;
    }
    return 0;
}

} // namespace ringside
