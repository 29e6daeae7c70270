// SPDX-License-Identifier: MIT
#include "core/report/caveats.h"

#include "core/base/sequences.h"
#include "core/report/kinds/comparedkind.h"

#include <algorithm>
#include <functional>

namespace ringside::report {

namespace {

constexpr Caveat kEmulated{"emulated", "layers were paced, not computed"};
constexpr Caveat kSerialised{"serialised", "the host waited for the GPU at the end of each phase"};
constexpr Caveat kLossy{"† lossy", "gradients are compressed, so other models are trained than by exact plans"};
constexpr Caveat kAsynchronous{"† asynchronous",
                               "workers do not wait for each other, so gradients are of older weights"};
constexpr Caveat kImported{"imported", "read from a log, not measured by Ringside"};
constexpr Caveat kGraph{"CUDA graph", "forward is counted in backward", false};

bool isSet(const Settings& settings, const char* key, std::string_view level)
{
    return textOf(settings, "device") == "cuda" && textOf(settings, key) == level;
}

void add(std::vector<Caveat>& caveats, const Caveat& caveat, bool applies)
{
    const auto same = [&](const Caveat& other) { return other.word == caveat.word; };
    if (applies && std::ranges::none_of(caveats, same))
        caveats.push_back(caveat);
}

void addCaveats(std::vector<Caveat>& caveats, const Settings& settings, bool ofPhases)
{
    add(caveats, kEmulated, isEmulated(settings));
    add(caveats, kSerialised, isSet(settings, "timing", "serialised"));
    add(caveats, kGraph, ofPhases && isSet(settings, "cuda_graph", "on"));
}

/// On the axis where it holds for all that is drawn; else it stands behind the names of those for which it does.
void addPartCaveat(std::vector<Caveat>& caveats, Caveat caveat, const Comparison& comparison,
                   const std::function<bool(const Group&)>& applies)
{
    const auto counts = [](const Group& group) { return group.n() > 0; };
    const auto has = [&](const Group& group) { return counts(group) && applies(group); };
    caveat.onAxis = std::ranges::count_if(comparison.groups, has) == std::ranges::count_if(comparison.groups, counts);
    add(caveats, caveat, std::ranges::any_of(comparison.groups, has));
}

} // namespace

std::string Caveat::note() const
{
    return std::string(word) + ": " + std::string(what);
}

std::vector<Caveat> caveatsOf(const Comparison& comparison)
{
    std::vector<Caveat> caveats;
    for (const Group& group : comparison.groups)
        addCaveats(caveats, group.settings, comparison.kind->showsPhases());
    addPartCaveat(caveats, kLossy, comparison, &Group::lossy);
    addPartCaveat(caveats, kAsynchronous, comparison, &Group::asynchronous);
    addPartCaveat(caveats, kImported, comparison, [](const Group& group) { return group.flags.contains("imported"); });
    return caveats;
}

std::vector<Caveat> caveatsOf(const store::RunRow& run, const std::optional<AggregationPlan>& plan)
{
    std::vector<Caveat> caveats;
    add(caveats, kImported, run.kind == RunKind::imported);
    add(caveats, kEmulated, contains(run.flags, "emulated"));
    addCaveats(caveats, run.settings, true);
    add(caveats, kLossy, plan && plan->isLossy());
    add(caveats, kAsynchronous, plan && plan->isAsynchronous());
    return caveats;
}

std::string axisCaveats(const std::vector<Caveat>& caveats)
{
    std::string text;
    for (const Caveat& caveat : caveats)
        if (caveat.onAxis)
            text += ", " + std::string(caveat.word);
    return text;
}

} // namespace ringside::report
