// SPDX-License-Identifier: MIT
#include "core/spec/plans.h"

#include "core/base/text.h"
#include "core/base/words.h"

#include <algorithm>

namespace ringside::spec {

namespace {

AggregationPlan allreducePlan(std::string name, Grouping grouping, Schedule schedule)
{
    AggregationPlan plan;
    plan.name = std::move(name);
    plan.collective = Collective::allreduce;
    plan.grouping = grouping;
    plan.schedule = schedule;
    return plan;
}

} // namespace

const std::vector<BuiltInPlan>& builtInPlans()
{
    static const std::vector<BuiltInPlan> kPlans = {
        {allreducePlan("one", Grouping::one, Schedule::afterBackward),
         Words::noop("All gradients in one message, sent when the backward pass is over.")},
        {allreducePlan("one-overlapped", Grouping::one, Schedule::overlapped),
         Words::noop("All gradients in one message, sent by a communication thread as soon as the last one is there.")},
        {allreducePlan("buckets", Grouping::buckets, Schedule::overlapped),
         Words::noop("Buckets of gradients (1 MiB, then 25 MiB), each sent while the backward pass goes on: PyTorch "
                     "DDP's way.")},
        {allreducePlan("buckets-after", Grouping::buckets, Schedule::afterBackward),
         Words::noop("The same buckets, sent one after the other when the backward pass is over.")},
        {AggregationPlan{}, Words::noop("Nothing to aggregate: the plan of a single rank.")},
    };
    return kPlans;
}

const BuiltInPlan* findBuiltInPlan(std::string_view name)
{
    const auto& plans = builtInPlans();
    const auto found = std::find_if(plans.begin(), plans.end(), [&](const auto& p) { return p.plan.name == name; });
    return found == plans.end() ? nullptr : &*found;
}

std::optional<AggregationPlan> planNamed(const Experiment& experiment, std::string_view name)
{
    if (const auto own = experiment.plans.find(std::string(name)); own != experiment.plans.end() && name != kNoPlan)
        return own->second;
    if (const BuiltInPlan* builtIn = findBuiltInPlan(name))
        return builtIn->plan;
    return std::nullopt;
}

std::vector<std::string> planNames(const Experiment& experiment)
{
    std::vector<std::string> names;
    for (const BuiltInPlan& builtIn : builtInPlans())
        if (builtIn.plan.name != kNoPlan)
            names.push_back(builtIn.plan.name);
    for (const auto& [name, plan] : experiment.plans)
        if (!findBuiltInPlan(name))
            names.push_back(name);
    return names;
}

std::string describe(const AggregationPlan& plan)
{
    if (plan.collective == Collective::none)
        return Words::tr("no aggregation");
    const bool overlapped = plan.schedule == Schedule::overlapped;
    if (plan.grouping == Grouping::one)
        return overlapped ? Words::tr("one message, overlapped with backward")
                          : Words::tr("one message, after backward");
    const std::string first = formatSize(plan.firstBucketBytes), others = formatSize(plan.bucketCapBytes);
    return overlapped ? Words::tr("buckets of {}, then {}, overlapped with backward", first, others)
                      : Words::tr("buckets of {}, then {}, after backward", first, others);
}

} // namespace ringside::spec
