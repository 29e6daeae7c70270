// SPDX-License-Identifier: MIT
#include "core/report/againstdesign.h"

#include "core/base/sequences.h"
#include "core/protocol/ownprograms.h"
#include "core/report/bases.h"
#include "core/spec/plans.h"
#include "core/spec/systems.h"

#include <algorithm>

namespace ringside::report {
namespace {

/// On a single rank nothing is aggregated, and there is no plan.
bool hasPlanOfDesign(const Settings& own, const Settings& system)
{
    const std::string design = spec::designOf(system);
    const auto plan = textOf(own, "plan");
    return !design.empty() && (plan == design || plan == spec::kNoPlan);
}

template <class Ms> Measure differenceOf(const Group& group, const Group& design, const Ms& msOf)
{
    return measureFrom(stats::differenceOfMedians(mapped(group.iterations, msOf), mapped(design.iterations, msOf)));
}

AgainstDesign againstDesign(const Group& group, const Group& design)
{
    AgainstDesign against;
    against.design = design.settings;
    against.n = design.n();
    against.differs = group.differs;
    against.iteration =
        differenceOf(group, design, [](const stats::MeanIteration& iteration) { return iteration.length(); });
    const PhaseSet told = group.iteration.told & design.iteration.told;
    for (const Phase phase : kPhases)
        if (hasPart(told, phase))
            against.phases[static_cast<std::size_t>(phase)] =
                differenceOf(group, design, [&](const stats::MeanIteration& iteration) {
                    return iteration.phases[static_cast<std::size_t>(phase)];
                });
    return against;
}

} // namespace

void addDifferencesFromDesigns(Comparison& comparison, const spec::Experiment& experiment)
{
    const auto isOfSystem = [](const Group& group) { return spec::systemOf(group.settings) != nullptr; };
    if (std::ranges::none_of(comparison.groups, isOfSystem))
        return;
    std::vector<Group> groups = comparison.groups; // with the base cases of another rule
    const std::vector<BaseCase> cases =
        Bases(experiment, {{"engine", Value(std::string(kOwnPrograms.front().name))}}).find(groups);
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const Group& group = groups[i];
        if (group.n() == 0 || !group.base || !isOfSystem(group))
            continue;
        const Settings& own = cases[*group.base].settings;
        if (hasPlanOfDesign(own, group.settings))
            comparison.groups[i].againstDesign =
                againstDesign(group, *std::ranges::find(groups, own, &Group::settings));
    }
}

} // namespace ringside::report
