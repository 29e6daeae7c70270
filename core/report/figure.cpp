// SPDX-License-Identifier: MIT
#include "core/report/figure.h"

#include "core/report/conditions.h"
#include "core/report/flagnotes.h"
#include "core/report/layout.h"
#include "core/report/names.h"
#include "core/report/numbers.h"
#include "core/report/words.h"
#include "core/spec/schema.h"

#include <algorithm>

namespace ringside::report {
namespace {

/// Speed-up is drawn on linear axes up to this many devices, on logarithmic ones above (UX 3.5).
constexpr double kMostLinearRanks = 32;

/// What turns a rate into a value of the y axis.
double perRate(const Comparison& comparison, const Group& group)
{
    const Measure measure = measureOf(group, comparison.show);
    const double factor = comparison.show == Show::efficiency ? 100 : 1;
    return measure.value && group.throughput.value ? factor * *measure.value / *group.throughput.value : 0;
}

Point pointOf(const Comparison& comparison, const Group& group, double x)
{
    const double factor = comparison.show == Show::efficiency ? 100 : 1;
    const Measure measure = measureOf(group, comparison.show);
    Point point;
    point.x = x;
    point.y = factor * *measure.value;
    if (measure.low && measure.high) {
        point.low = factor * *measure.low;
        point.high = factor * *measure.high;
    }
    point.n = group.n();
    point.failed = group.failed;
    point.disturbed = group.disturbed;
    point.flags = flagsText(group);
    for (const double rate : group.rates)
        point.singles.push_back(rate * perRate(comparison, group));
    point.runs = group.runs;
    point.origin = originOf(comparison, group);
    point.isBase = group.isBase && comparison.show != Show::throughput;
    return point;
}

Axis valueAxis(const Comparison& comparison)
{
    Axis axis;
    axis.title = comparison.show == Show::throughput ? itemWords(itemsOf(comparison)).throughput
                 : comparison.show == Show::speedup  ? "Speed-up (ratio)"
                                                     : "Efficiency (%)";
    return axis;
}

/// Levels along x that occur, as numbers.
std::vector<double> countsOf(const Comparison& comparison, const std::string& key)
{
    std::vector<double> counts;
    for (const Group& group : comparison.groups)
        if (const auto count = numberOf(group.settings, key))
            counts.push_back(*count);
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    return counts;
}

/// "images", "pixels"; ranks, nodes and cores are counts.
std::string_view unitAlong(const Comparison& comparison, const std::string& key)
{
    const spec::Setting* setting = spec::findSetting(key);
    if (!setting || setting->unit.empty() || key.find(setting->unit) != std::string::npos)
        return "count";
    return unitOf(*setting, itemsOf(comparison));
}

Axis countAxis(const Comparison& comparison, const std::string& key)
{
    Axis axis;
    axis.ticks = countsOf(comparison, key);
    axis.log2 = key == "ranks" && !axis.ticks.empty() && axis.ticks.back() > kMostLinearRanks;
    axis.title = fmt::format("{} ({}{})", factorTitle(comparison, key), unitAlong(comparison, key),
                             axis.log2 ? ", log scale" : "");
    return axis;
}

Axis categoryAxis(const Comparison& comparison, const std::string& key)
{
    Axis axis;
    axis.categories = true;
    if (key.empty()) {
        axis.labels = {comparison.experiment};
        return axis;
    }
    axis.title = factorTitle(comparison, key);
    for (const Value& level : varied(comparison, key)->levels) {
        const auto has = [&](const Group& group) { return levelOf(group, key) && *levelOf(group, key) == level; };
        const auto found = std::ranges::find_if(comparison.groups, has);
        axis.labels.push_back(found == comparison.groups.end() ? spec::labelOf(key, level) : markedLabel(*found, key));
    }
    return axis;
}

/// Where a group stands along x; a collapsed level stands before all categories and is given a place of its own.
double xOf(const Comparison& comparison, const FigureData& figure, const Layout& layout, const Group& group)
{
    if (!figure.x.categories)
        return numberOf(group.settings, layout.x).value_or(0);
    if (layout.x.empty())
        return 0;
    const int place = placeOf(comparison, group, layout.x);
    return place >= 0 ? place : static_cast<double>(figure.x.labels.size()) - 1;
}

/// A collapsed level needs a category of its own, after the declared ones.
void addCollapsedCategory(const Comparison& comparison, const Layout& layout, Axis& axis)
{
    if (!axis.categories || layout.x.empty())
        return;
    for (const Group& group : comparison.groups)
        if (isCollapsed(comparison, group, {layout.x})) {
            axis.labels.push_back(ranksText(group.settings));
            return;
        }
}

Series& seriesFor(const Comparison& comparison, const Group& group, const Layout& layout, Panel& panel)
{
    const std::string name = labelFor(comparison, group, layout.seriesKeys());
    for (Series& series : panel.series)
        if (series.name == name)
            return series;
    const bool neutral = isCollapsed(comparison, group, layout.seriesKeys());
    panel.series.push_back({name, styleOf(comparison, group, layout), neutral, {}});
    return panel.series.back();
}

/// Points along x; the series that belongs to all others first.
void sort(Panel& panel)
{
    for (Series& series : panel.series)
        std::stable_sort(series.points.begin(), series.points.end(),
                         [](const Point& a, const Point& b) { return a.x < b.x; });
    std::stable_sort(panel.series.begin(), panel.series.end(), [](const Series& a, const Series& b) {
        return std::pair(!a.neutral, a.style) < std::pair(!b.neutral, b.style);
    });
}

Panel pointPanel(const Comparison& comparison, const FigureData& figure, const Layout& layout, const PanelGroups& dealt)
{
    Panel panel;
    panel.title = dealt.title;
    for (const Group* group : dealt.groups) {
        if (!measureOf(*group, comparison.show).value)
            continue;
        Point point = pointOf(comparison, *group, xOf(comparison, figure, layout, *group));
        point.againstBest = group->againstBest;
        seriesFor(comparison, *group, layout, panel).points.push_back(std::move(point));
    }
    sort(panel);
    panel.baseText = baseText(comparison, dealt.groups);
    return panel;
}

/// What a stack is called by: all that differs within a panel.
std::vector<std::string> stackKeys(const Layout& layout)
{
    std::vector<std::string> keys = layout.seriesKeys();
    if (!layout.x.empty())
        keys.push_back(layout.x);
    return keys;
}

Stack stackOf(const Comparison& comparison, const Group& group, const Layout& layout)
{
    const std::vector<std::string> keys = stackKeys(layout);
    Stack stack;
    stack.label = keys.empty() ? ranksText(group.settings) : labelFor(comparison, group, keys);
    stack.tick = keys.empty() ? stack.label : bareLabelFor(comparison, group, keys);
    stack.phases = group.iteration.phases;
    stack.total = group.iteration.length();
    const auto [low, high] = std::minmax_element(group.iterationMs.begin(), group.iterationMs.end());
    stack.low = *low;
    stack.high = *high;
    stack.hiddenCommunication = group.iteration.hiddenCommunication();
    stack.read = group.iteration.read;
    stack.decode = group.iteration.decode;
    stack.n = group.n();
    stack.failed = group.failed;
    stack.disturbed = group.disturbed;
    stack.flags = flagsText(group);
    stack.runs = group.runs;
    stack.origin = originOf(comparison, group);
    return stack;
}

/// In the order in which points stand along x; within a place in the order of the experiment.
Panel stackPanel(const Comparison& comparison, const Layout& layout, const PanelGroups& dealt)
{
    std::vector<const Group*> groups = dealt.groups;
    std::erase_if(groups, [](const Group* group) { return group->n() == 0; });
    if (!layout.x.empty())
        std::stable_sort(groups.begin(), groups.end(), [&](const Group* a, const Group* b) {
            return placeOf(comparison, *a, layout.x) < placeOf(comparison, *b, layout.x);
        });
    Panel panel;
    panel.title = dealt.title;
    for (const Group* group : groups)
        panel.stacks.push_back(stackOf(comparison, *group, layout));
    return panel;
}

std::string stackAxisTitle(const Comparison& comparison, const Layout& layout)
{
    std::string title;
    for (const std::string& key : asDeclared(comparison, stackKeys(layout)))
        title += (title.empty() ? "" : " · ") + factorTitle(comparison, key);
    return title;
}

void addFailedCells(const Comparison& comparison, const Layout& layout, FigureData& figure)
{
    const bool stacks = comparison.show == Show::phases;
    const std::vector<std::string> keys = stacks ? stackKeys(layout) : layout.seriesKeys();
    for (const PanelGroups& dealt : dealToPanels(comparison, layout))
        for (const Group* group : dealt.groups)
            if (group->n() == 0 && group->failed > 0)
                figure.failedCells.push_back({dealt.title, labelFor(comparison, *group, keys),
                                              stacks ? 0 : xOf(comparison, figure, layout, *group), group->failed});
}

void makeStacks(const Comparison& comparison, const Layout& layout, FigureData& figure)
{
    figure.x.title = "Time per iteration (ms)";
    figure.y.title = stackAxisTitle(comparison, layout);
    for (const PanelGroups& dealt : dealToPanels(comparison, layout))
        figure.panels.push_back(stackPanel(comparison, layout, dealt));
}

void makePoints(const Comparison& comparison, const Layout& layout, FigureData& figure)
{
    figure.lines = isCount(comparison, layout.x);
    figure.x = figure.lines ? countAxis(comparison, layout.x) : categoryAxis(comparison, layout.x);
    addCollapsedCategory(comparison, layout, figure.x);
    figure.y = valueAxis(comparison);
    figure.ideal = comparison.show != Show::throughput && layout.x == "ranks" && figure.lines;
    figure.y.log2 = comparison.show == Show::speedup && figure.x.log2;
    if (figure.y.log2)
        figure.y.title = "Speed-up (ratio, log scale)";
    for (const PanelGroups& dealt : dealToPanels(comparison, layout))
        figure.panels.push_back(pointPanel(comparison, figure, layout, dealt));
}

} // namespace

FigureRequest defaultLayout(const Comparison& comparison)
{
    const Layout layout = layoutFor(comparison, {});
    return {layout.x, layout.series, layout.panels};
}

FigureData figure(const Comparison& comparison, const FigureRequest& request)
{
    FigureData figure;
    figure.show = comparison.show;
    figure.unit = unitOf(comparison);
    const Layout layout = layoutFor(comparison, request);
    if (!comparison.groups.empty()) {
        if (comparison.show == Show::phases)
            makeStacks(comparison, layout, figure);
        else
            makePoints(comparison, layout, figure);
        addFailedCells(comparison, layout, figure);
        std::erase_if(figure.panels, [](const Panel& panel) { return panel.series.empty() && panel.stacks.empty(); });
    }
    addWords(comparison, layout, figure);
    return figure;
}

} // namespace ringside::report
