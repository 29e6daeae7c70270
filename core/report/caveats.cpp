// SPDX-License-Identifier: MIT
#include "core/report/caveats.h"

#include "core/base/sequences.h"
#include "core/report/comparedkind.h"
#include "core/report/imported.h"
#include "core/spec/systems.h"
#include "core/store/runflag.h"

#include <algorithm>
#include <functional>

namespace ringside::report {

namespace {

namespace runflag = store::runflag;

constexpr Caveat kEmulated{runflag::kEmulated, "layers were paced, not computed"};
constexpr Caveat kSerialised{"serialised", "the host waited for the GPU at the end of each phase"};
constexpr Caveat kLossy{"† lossy", "gradients are compressed, so other models are trained than by exact plans"};
constexpr Caveat kAsynchronous{"† asynchronous",
                               "workers do not wait for each other’s gradients, so their weights differ, and the time "
                               "is that of the slowest worker"};
constexpr Caveat kImported{groupflag::kImported, "read from a log, not measured by Ringside"};
constexpr Caveat kGraph{"CUDA graph", "forward is counted in backward", false};

bool isSet(const Settings& settings, const char* key, std::string_view level)
{
    return textOf(settings, "device") == "cuda" && textOf(settings, key) == level;
}

bool isSerialised(const Settings& settings)
{
    return isSet(settings, "timing", "serialised");
}

bool hasGraph(const Settings& settings)
{
    return isSet(settings, "cuda_graph", "on");
}

void add(std::vector<Caveat>& caveats, const Caveat& caveat, bool applies)
{
    if (applies)
        caveats.push_back(caveat);
}

enum class Extent
{
    none,
    base, ///< unshown base cases only
    part,
    all
};

/// Groups without runs do not count.
Extent extentOf(const Comparison& comparison, const std::function<bool(const Group&)>& applies)
{
    std::vector<const Group*> shown;
    for (const Group& group : comparison.groups)
        if (group.n() > 0)
            shown.push_back(&group);
    const std::vector<const Group*> bases = unshownBases(comparison);
    const auto has = [&](const Group* group) { return applies(*group); };
    if (std::ranges::none_of(shown, has))
        return std::ranges::any_of(bases, has) ? Extent::base : Extent::none;
    return std::ranges::all_of(shown, has) && std::ranges::all_of(bases, has) ? Extent::all : Extent::part;
}

/// On the axis where it holds for all that is drawn; else it stands behind the names of those for which it does.
void addMarked(std::vector<Caveat>& caveats, Caveat caveat, const Comparison& comparison,
               const std::function<bool(const Group&)>& applies)
{
    const Extent extent = extentOf(comparison, applies);
    caveat.onAxis = extent == Extent::all;
    caveat.ofBase = extent == Extent::base;
    add(caveats, caveat, extent != Extent::none);
}

/// The names of those for which it holds may not show it, so that it says itself that they are a part.
void addUnmarked(std::vector<Caveat>& caveats, Caveat caveat, const Comparison& comparison,
                 bool (*applies)(const Settings&))
{
    const Extent extent = extentOf(comparison, [&](const Group& group) { return applies(group.settings); });
    caveat.onAxis = caveat.onAxis && extent == Extent::all;
    caveat.inPart = extent == Extent::part;
    caveat.ofBase = extent == Extent::base;
    add(caveats, caveat, extent != Extent::none);
}

} // namespace

std::string Caveat::title() const
{
    return std::string(word) + (inPart ? " in part" : ofBase ? " base case" : "");
}

std::string Caveat::note() const
{
    return title() + ": " + std::string(what);
}

std::vector<Caveat> caveatsOf(const Comparison& comparison)
{
    std::vector<Caveat> caveats;
    addUnmarked(caveats, kEmulated, comparison, isEmulated);
    addUnmarked(caveats, kSerialised, comparison, isSerialised);
    if (comparison.kind->showsPhases())
        addUnmarked(caveats, kGraph, comparison, hasGraph);
    addMarked(caveats, kLossy, comparison, &Group::lossy);
    addMarked(caveats, kAsynchronous, comparison, &Group::asynchronous);
    addMarked(caveats, kImported, comparison, isImported);
    return caveats;
}

std::vector<Caveat> caveatsOf(const store::RunRow& run, const std::optional<AggregationPlan>& plan)
{
    std::vector<Caveat> caveats;
    add(caveats, kImported, run.kind == RunKind::imported);
    add(caveats, kEmulated, contains(run.flags, runflag::kEmulated) || isEmulated(run.settings));
    add(caveats, kSerialised, isSerialised(run.settings));
    add(caveats, kGraph, hasGraph(run.settings));
    const auto departures = plan ? spec::departuresOf(*plan, run.settings) : spec::Departures();
    add(caveats, kLossy, departures.lossy);
    add(caveats, kAsynchronous, departures.asynchronous);
    return caveats;
}

std::string partMarks(const std::vector<Caveat>& caveats, const Group& group)
{
    const auto isOfPart = [&](const Caveat& caveat) {
        return std::ranges::any_of(caveats,
                                   [&](const Caveat& each) { return each.word == caveat.word && !each.onAxis; });
    };
    std::vector<std::string> marks;
    for (const auto& [caveat, applies] :
         {std::pair(kEmulated, isEmulated(group.settings)), std::pair(kSerialised, isSerialised(group.settings)),
          std::pair(kImported, isImported(group))})
        if (applies && group.n() > 0 && isOfPart(caveat))
            marks.emplace_back(caveat.word);
    return joined(marks, ", ");
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
