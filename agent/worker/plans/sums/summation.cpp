// SPDX-License-Identifier: MIT
#include "agent/worker/plans/sums/summation.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace ringside {

extern const SummationKind kAllReduce, kHierarchical, kScatterGather; // in files of their own

namespace {

constexpr const SummationKind* kKinds[] = {&kAllReduce, &kHierarchical, &kScatterGather};
static_assert(std::size(kKinds) + 2 == std::size(kCollectives)); // `none` and the parameter server are no sums

} // namespace

std::size_t ExchangedNumbers::ranks() const
{
    return static_cast<std::size_t>(std::accumulate(ranksOfNodes.begin(), ranksOfNodes.end(), 0));
}

const SummationKind* findSummation(Collective collective)
{
    const auto found = std::ranges::find(kKinds, collective, &SummationKind::collective);
    return found == std::end(kKinds) ? nullptr : *found;
}

Result<std::unique_ptr<Summation>> makeSummation(Collective collective, Communicator& communicator)
{
    if (const SummationKind* kind = findSummation(collective))
        return kind->make(communicator);
    return fail(ErrorCode::internal, fmt::format("“{}” is no sum.", nameOf(collective)));
}

} // namespace ringside
