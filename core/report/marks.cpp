// SPDX-License-Identifier: MIT
#include "core/report/marks.h"

#include <algorithm>

namespace ringside::report {

namespace {

constexpr Mark kEmulated{"emulated", "layers were paced, not computed"};
constexpr Mark kSerialised{"serialised", "the host waited for the GPU at the end of each phase"};
constexpr Mark kLossy{"† lossy", "gradients are compressed, so other models are trained than by exact plans"};
constexpr Mark kAsynchronous{"† asynchronous", "workers do not wait for each other, so gradients are of older weights"};
constexpr Mark kGraph{"CUDA graph", "forward is counted in backward", false};

bool isSet(const Settings& settings, const char* key, std::string_view level)
{
    return textOf(settings, "device") == "cuda" && textOf(settings, key) == level;
}

void add(std::vector<Mark>& marks, const Mark& mark, bool applies)
{
    const auto same = [&](const Mark& other) { return other.word == mark.word; };
    if (applies && std::ranges::none_of(marks, same))
        marks.push_back(mark);
}

void addMarks(std::vector<Mark>& marks, const Settings& settings, bool ofPhases)
{
    add(marks, kEmulated, isEmulated(settings));
    add(marks, kSerialised, isSet(settings, "timing", "serialised"));
    add(marks, kGraph, ofPhases && isSet(settings, "cuda_graph", "on"));
}

/// On the axis where it holds for all that is drawn; else it stands behind the names of those for which it does.
void addPlanMark(std::vector<Mark>& marks, Mark mark, const Comparison& comparison, bool Group::*applies)
{
    const auto counts = [](const Group& group) { return group.n() > 0; };
    const auto has = [&](const Group& group) { return counts(group) && group.*applies; };
    mark.onAxis = std::ranges::count_if(comparison.groups, has) == std::ranges::count_if(comparison.groups, counts);
    add(marks, mark, std::ranges::any_of(comparison.groups, has));
}

} // namespace

std::string Mark::note() const
{
    return std::string(word) + ": " + std::string(what);
}

std::vector<Mark> marksOf(const Comparison& comparison)
{
    std::vector<Mark> marks;
    for (const Group& group : comparison.groups)
        addMarks(marks, group.settings, comparison.show == Show::phases);
    addPlanMark(marks, kLossy, comparison, &Group::lossy);
    addPlanMark(marks, kAsynchronous, comparison, &Group::asynchronous);
    return marks;
}

std::vector<Mark> marksOf(const store::RunRow& run, const std::optional<AggregationPlan>& plan)
{
    std::vector<Mark> marks;
    add(marks, kEmulated, std::ranges::find(run.flags, "emulated") != run.flags.end());
    addMarks(marks, run.settings, true);
    add(marks, kLossy, plan && plan->isLossy());
    add(marks, kAsynchronous, plan && plan->isAsynchronous());
    return marks;
}

std::string axisMarks(const std::vector<Mark>& marks)
{
    std::string text;
    for (const Mark& mark : marks)
        if (mark.onAxis)
            text += ", " + std::string(mark.word);
    return text;
}

} // namespace ringside::report
