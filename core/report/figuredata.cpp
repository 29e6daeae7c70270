// SPDX-License-Identifier: MIT
#include "core/report/figuredata.h"

#include "core/base/sequences.h"

#include <algorithm>
#include <functional>

namespace ringside::report {
namespace {

/// Returns whether none of the levels that both have is another one: one rank of an engine begins the lines of this
/// engine only.
bool isOfLine(const Series& neutral, const Series& line)
{
    return std::ranges::all_of(neutral.levels, [&](const auto& entry) {
        const Value* level = valueOf(line.levels, entry.first);
        return !level || *level == entry.second;
    });
}

bool anyStack(const Stacks& stacks, bool (Stack::*is)() const)
{
    return std::ranges::any_of(
        stacks.panels, [&](const Stacks::Panel& panel) { return std::ranges::any_of(panel.stacks, std::mem_fn(is)); });
}

} // namespace

bool FigureData::isEmpty() const
{
    return std::visit([](const auto& drawn) { return drawn.isEmpty(); }, drawing);
}

std::vector<const Point*> joinedPoints(const Points::Panel& panel, const Series& series)
{
    std::vector<const Point*> joined;
    const bool hasBefore = !series.neutral && !series.points.empty();
    for (const Series& other : panel.series)
        for (const Point& point : other.points)
            if (hasBefore && other.neutral && isOfLine(other, series) && point.x < series.points.front().x)
                joined.push_back(&point);
    for (const Point& point : series.points)
        joined.push_back(&point);
    return joined;
}

Origin firstOrigin(const std::vector<FailedCell>& cells)
{
    return cells.empty() ? Origin() : cells.front().origin;
}

std::vector<std::string> grayNames(const Points& points)
{
    std::vector<std::string> names;
    for (const Points::Panel& panel : points.panels)
        for (const Series& series : panel.series)
            if (series.isGray() && !contains(names, series.name))
                names.push_back(series.name);
    return names;
}

double idealAt(const Points& points, const Points::Panel& panel, double x)
{
    if (panel.ideal == Points::Ideal::constant)
        return points.perUnit;
    return points.perUnit * x / (panel.baseRanks > 0 ? panel.baseRanks : 1);
}

bool hidesCommunication(const Stacks& stacks)
{
    return anyStack(stacks, &Stack::hidesCommunication);
}

bool loads(const Stacks& stacks)
{
    return anyStack(stacks, &Stack::loads);
}

PhaseSet toldByAll(const Stacks& stacks)
{
    PhaseSet told = PhaseSet::all();
    for (const Stacks::Panel& panel : stacks.panels)
        for (const Stack& stack : panel.stacks)
            told = told & stack.told;
    return told;
}

} // namespace ringside::report
