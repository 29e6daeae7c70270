// SPDX-License-Identifier: MIT
// Gradients by every plan against those of one rank, for each collective and each tolerance.
#include "agent/worker/selftest/plangradients.h"
#include "agent/worker/selftest/selftest.h"

#include <fmt/format.h>

namespace ringside {

namespace {

constexpr double kLeastOwnError = 1e-2;
constexpr int kIterations = 2;
constexpr int kNodes = 2; ///< in hierarchical plans

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
    for (const Collective collective : sums()) {
        const auto exact = exactPlans(collective);
        const std::string name = fmt::format("gradients by {}", nameOf(collective));
        checks.push_back(checkOf(fmt::format("{}, {} exact plans", name, exact.size()), kExactTolerance, exact));
        for (const auto& plan : plansOf(collective, Grouping::buckets, Schedule::overlapped))
            if (const Compression each = plan.compression; rounds(each))
                checks.push_back(checkOf(fmt::format("{} as {}", name, nameOf(each)), toleranceOf(each), {plan}));
    }
    return checks;
}

} // namespace ringside
