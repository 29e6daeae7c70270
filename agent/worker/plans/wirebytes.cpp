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

} // namespace

std::uint64_t wireBytes(const AggregationPlan& plan, std::size_t gradients, std::span<const int> ranksOfNodes)
{
    const int ranks = std::accumulate(ranksOfNodes.begin(), ranksOfNodes.end(), 0);
    const auto others = static_cast<std::uint64_t>(ranks - 1), all = static_cast<std::uint64_t>(ranks);
    if (plan.collective == Collective::parameterServer) // gradients there, weights back; see wirebytes.h
        return all * (makeCodec(plan)->bytesOf(gradients) + gradients * sizeof(float));
    if (plan.compression == Compression::onebit) // to the rank that sums a part, and its sum to all
        return 2 * all * others * onebit::codeBytes(partOf(gradients, 0, ranks).count);
    if (plan.compression == Compression::topk)
        return all * others * topk::entriesOf(gradients, plan.topkPpm) * sizeof(topk::Entry);
    const std::uint64_t bytes = gradients * bytesPerNumber(plan.compression);
    switch (plan.collective) {
    case Collective::none:
        return 0;
    case Collective::parameterServer:
    case Collective::allreduce:
    case Collective::reduceScatterAllgather:
    case Collective::hierarchical: // (ranks - nodes) up, 2 (nodes - 1) between, (ranks - nodes) down: no less, but
                                   // elsewhere
        break;
    }
    return 2 * others * bytes;
}

} // namespace ringside
