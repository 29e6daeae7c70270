// SPDX-License-Identifier: MIT
#include "core/spec/plans.h"

#include "core/spec/presets.h"
#include "core/spec/systems.h"

#include <algorithm>

namespace ringside::spec {

const std::vector<BuiltInPlan>& builtInPlans()
{
    static const std::vector<BuiltInPlan> kPlans = presetTable();
    return kPlans;
}

const BuiltInPlan* findBuiltInPlan(std::string_view name)
{
    const auto& plans = builtInPlans();
    const auto found = std::ranges::find_if(plans, [&](const auto& p) { return p.plan.name == name; });
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

std::optional<AggregationPlan> planOf(const Experiment& experiment, const Settings& settings)
{
    const std::string name = textOf(settings, "plan").value_or(kNoPlan);
    if (name == kOwnPlan && systemOf(settings))
        return AggregationPlan{.name = kOwnPlan};
    auto plan = planNamed(experiment, name);
    if (plan)
        *plan = forNodes(*plan, static_cast<int>(integerOf(settings, "nodes").value_or(1)));
    return plan;
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

} // namespace ringside::spec
