// SPDX-License-Identifier: MIT
// Compares the bytes that ranks pass to the communicator, as in samples, with those of the formula.
#include "agent/worker/plans/sums/summation.h"
#include "agent/worker/plans/wirebytes.h"
#include "agent/worker/selftest/plangradients.h"
#include "agent/worker/selftest/selftest.h"

#include <array>
#include <cstring>
#include <fmt/format.h>
#include <numeric>

namespace ringside {

namespace {

/// For these the formula depends on the numbers alone, whatever the groups.
std::vector<AggregationPlan> plansOfAnyGroups()
{
    auto plans = exactPlans(Collective::allreduce);
    std::erase_if(plans, [](const AggregationPlan& plan) { // the same units as overlapped
        return plan.schedule == Schedule::afterBackward && plan.grouping != Grouping::one;
    });
    for (const Collective sum : sums())
        for (AggregationPlan plan : plansOf(sum, Grouping::buckets, Schedule::overlapped)) {
            if (wordsOf(plan.compression).sum != CodeSum::onTheWay)
                plan.grouping = Grouping::one; // parts of a code are cut otherwise in each group
            if (findSummation(sum)->handedOver != HandedOver::byNodes)
                plans.push_back(plan);
        }
    return plans;
}

/// A rank that sums a part for all, as with 1 bit and reduce-scatter, passes that on once more; the largest ones of
/// each rank go to all others.
bool isSent(const AggregationPlan& plan, std::uint64_t handedOver, std::uint64_t sent, std::uint64_t ranks)
{
    const CodeSum codes = wordsOf(plan.compression).sum;
    if (codes == CodeSum::gathered)
        return sent == (ranks - 1) * handedOver;
    const bool twice =
        codes == CodeSum::byParts || findSummation(plan.collective)->handedOver == HandedOver::numbersAndPart;
    return sent * (twice ? ranks + 1 : ranks) == 2 * (ranks - 1) * handedOver;
}

std::uint64_t sumOf(const std::vector<std::uint64_t>& numbers)
{
    return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
}

Result<std::uint64_t> ofAllRanks(std::uint64_t mine, Communicator& communicator)
{
    std::string bytes(sizeof mine, '\0');
    std::memcpy(bytes.data(), &mine, sizeof mine);
    TRY_ASSIGN(const std::string all, allGather(communicator, bytes));
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < all.size(); at += sizeof mine) {
        std::memcpy(&mine, all.data() + at, sizeof mine);
        sum += mine;
    }
    return sum;
}

Result<Deviation> asTheFormulaSays(Communicator& communicator, const std::vector<AggregationPlan>& plans)
{
    const PlanGradients gradients(communicator);
    const std::array ranks{communicator.worldSize()};
    for (const AggregationPlan& plan : plans) {
        TRY_ASSIGN(const Aggregated mine, gradients.aggregate(plan, 1));
        TRY_ASSIGN(const std::uint64_t all, ofAllRanks(sumOf(mine.messages), communicator));
        const std::uint64_t sent = wireBytes(plan, gradients.numbers(), ranks);
        if (!isSent(plan, all, sent, static_cast<std::uint64_t>(ranks.front())))
            return Deviation{1, fmt::format("by {}: {} bytes are handed over to send {}", plan.name, all, sent)};
    }
    return exactly(true);
}

} // namespace

std::vector<RankCheck> byteChecks()
{
    const auto plans = plansOfAnyGroups();
    return {{fmt::format("bytes of an iteration, {} plans", plans.size()), 0,
             [plans](Communicator& communicator) { return asTheFormulaSays(communicator, plans); }}};
}

} // namespace ringside
