// SPDX-License-Identifier: MIT
// Gradients by every plan against those of one rank, for each collective and each tolerance.
#include "agent/worker/selftest/plangradients.h"
#include "agent/worker/selftest/selftest.h"

#include <fmt/format.h>

namespace ringside {

namespace {

constexpr double kLeastOwnError = 1e-2;
constexpr int kIterations = 2;
constexpr int kNodes = 2; ///< that hierarchical plans are told of

Result<Deviation> worstOf(const std::vector<AggregationPlan>& plans, Communicator& communicator)
{
    pretendNodes(communicator, kNodes);
    const PlanGradients gradients(communicator);
    if (gradients.ownError() < kLeastOwnError)
        return Deviation{1, "(the ranks' own gradients are alike)"};
    Deviation worst;
    for (const AggregationPlan& plan : plans) {
        TRY_ASSIGN(const Aggregated aggregated, gradients.aggregate(plan, kIterations));
        if (aggregated.worstError >= worst.error)
            worst = {aggregated.worstError, "by " + plan.name};
    }
    return worst;
}

RankCheck checkOf(std::string name, double tolerance, std::vector<AggregationPlan> plans)
{
    return {std::move(name), tolerance,
            [plans = std::move(plans)](Communicator& communicator) { return worstOf(plans, communicator); }};
}

} // namespace

std::vector<RankCheck> planChecks()
{
    std::vector<RankCheck> checks;
    for (const Collective collective : kSums) {
        const auto exact = exactPlans(collective);
        const std::string name = fmt::format("gradients by {}", nameOf(collective));
        checks.push_back(checkOf(fmt::format("{}, {} exact plans", name, exact.size()), kExactTolerance, exact));
        for (const auto& [compression, tolerance] :
             {std::pair(Compression::fp16, kFp16Tolerance), {Compression::bf16, kBf16Tolerance}})
            checks.push_back(checkOf(fmt::format("{} as {}", name, nameOf(compression)), tolerance,
                                     {planOf(collective, Grouping::buckets, Schedule::overlapped, compression)}));
    }
    return checks;
}

} // namespace ringside
