// SPDX-License-Identifier: MIT
#include "core/report/kinds/pointkind.h"

#include "core/base/sequences.h"
#include "core/report/conditions.h"
#include "core/report/csv.h"
#include "core/report/differences.h"
#include "core/report/figurewords.h"
#include "core/report/flagnotes.h"
#include "core/report/kinds/pointtable.h"
#include "core/report/kinds/pointwords.h"
#include "core/report/names.h"
#include "core/spec/schema.h"

#include <algorithm>

namespace ringside::report {
namespace {

/// Speed-up is drawn on linear axes up to this many devices, on logarithmic ones above (UX 3.5).
constexpr double kMostLinearRanks = 32;
/// Last level over first: beyond it the first ones of a batch that is doubled lie on one another.
constexpr double kMostLinearRatio = 32;

/// Those that are drawn; all where none is.
std::vector<const Group*> drawnGroups(const Comparison& comparison)
{
    std::vector<const Group*> drawn, all;
    for (const Group& group : comparison.groups) {
        all.push_back(&group);
        if (comparison.kind->measureOf(group).value)
            drawn.push_back(&group);
    }
    return drawn.empty() ? all : drawn;
}

/// Returns whether whatever is drawn, or would be had it not failed, has a number there.
bool haveCounts(const Comparison& comparison, const std::string& key)
{
    return std::ranges::all_of(comparison.groups, [&](const Group& group) {
        return numberOf(group.settings, key) || (!comparison.kind->measureOf(group).value && group.failed == 0);
    });
}

/// Levels along x that are drawn, as numbers.
std::vector<double> countsOf(const Comparison& comparison, const std::string& key)
{
    std::vector<double> counts;
    for (const Group* group : drawnGroups(comparison))
        if (const auto count = numberOf(group->settings, key))
            counts.push_back(*count);
    std::ranges::sort(counts);
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    return counts;
}

/// "images", "pixels"; ranks, nodes and cores are counts, and a rate of learning has no unit.
std::string_view unitAlong(const Comparison& comparison, const std::string& key)
{
    const spec::Setting* setting = spec::findSetting(key);
    if (!setting || setting->unit.empty() || key.find(setting->unit) != std::string::npos)
        return !setting || setting->type == spec::SettingType::integer ? "count" : "";
    const Items items = itemsOf(comparison);
    return items == Items::mixed && setting->unit == spec::kItemsUnit ? "items" : unitOf(*setting, items);
}

bool isWide(const std::vector<double>& ticks, const std::string& key)
{
    if (ticks.empty() || ticks.front() <= 0)
        return false;
    return ticks.back() > (key == "ranks" ? kMostLinearRanks : kMostLinearRatio * ticks.front());
}

Axis countAxis(const Comparison& comparison, const std::string& key)
{
    Axis axis;
    axis.ticks = countsOf(comparison, key);
    axis.log2 = isWide(axis.ticks, key);
    std::vector<std::string_view> remarks = {unitAlong(comparison, key), axis.log2 ? "log scale" : ""};
    std::erase(remarks, "");
    axis.title = factorTitle(comparison, key);
    if (!remarks.empty())
        axis.title += fmt::format(" ({})", fmt::join(remarks, ", "));
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
    for (const Value& level : placedLevels(comparison, key)) {
        const auto has = [&](const Group& group) { return levelOf(group, key) && *levelOf(group, key) == level; };
        const auto found = std::ranges::find_if(comparison.groups, has);
        axis.labels.push_back(found == comparison.groups.end() ? spec::labelOf(key, level) : markedLabel(*found, key));
    }
    return axis;
}

/// A group's place along x.
double xOf(const Comparison& comparison, const Points& points, const Layout& layout, const Group& group)
{
    if (!points.x.categories)
        return numberOf(group.settings, layout.x).value_or(0); // all that are drawn have one
    if (layout.x.empty())
        return 0;
    if (const int place = placeOf(comparison, group, layout.x); place >= 0)
        return place;
    const auto& labels = points.x.labels;
    const auto others = labels.begin() + static_cast<std::ptrdiff_t>(placedLevels(comparison, layout.x).size());
    return static_cast<double>(std::find(others, labels.end(), labelFor(comparison, group, {layout.x})) -
                               labels.begin());
}

/// Behind the declared levels stands whatever has none of them: what collapsed, and what an engine does not know or a
/// log does not tell.
void addOtherCategories(const Comparison& comparison, const Layout& layout, Axis& axis)
{
    if (!axis.categories || layout.x.empty())
        return;
    std::vector<std::string> others;
    for (const Group& group : comparison.groups)
        if (placeOf(comparison, group, layout.x) < 0)
            if (std::string label = labelFor(comparison, group, {layout.x}); !contains(others, label))
                others.push_back(std::move(label));
    axis.labels.insert(axis.labels.end(), others.begin(), others.end());
}

Settings levelsOf(const Comparison& comparison, const Group& group, const std::vector<std::string>& keys)
{
    Settings levels;
    for (const std::string& key : keys)
        if (placeOf(comparison, group, key) >= 0)
            levels.emplace(key, *levelOf(group, key));
    return levels;
}

Series& seriesFor(const Comparison& comparison, const Group& group, const Layout& layout, Points::Panel& panel)
{
    const std::vector<std::string> keys = layout.seriesKeys();
    const std::string name = labelFor(comparison, group, keys);
    for (Series& series : panel.series)
        if (series.name == name)
            return series;
    panel.series.push_back({name,
                            styleOf(comparison, group, layout),
                            isCollapsed(comparison, group, keys),
                            {},
                            levelsOf(comparison, group, keys)});
    return panel.series.back();
}

/// Points along x; the series that belongs to all others first.
void sort(Points::Panel& panel)
{
    for (Series& series : panel.series)
        std::ranges::stable_sort(series.points, [](const Point& a, const Point& b) { return a.x < b.x; });
    std::ranges::stable_sort(panel.series, [](const Series& a, const Series& b) {
        return std::pair(!a.neutral, a.style) < std::pair(!b.neutral, b.style);
    });
}

/// One for all groups of a panel (basechecks.h).
double baseRanks(const Comparison& comparison, const std::vector<const Group*>& groups)
{
    const auto based = std::ranges::find_if(groups, [](const Group* group) { return group->base.has_value(); });
    return based == groups.end() ? 0 : numberOf(comparison.cases[*(*based)->base].settings, "ranks").value_or(0);
}

void addFailedCells(const Comparison& comparison, const Layout& layout, const Points& points, FigureData& figure)
{
    for (const PanelGroups& dealt : dealToPanels(comparison, layout))
        for (const Group* group : dealt.groups)
            if (group->n() == 0 && group->failed > 0)
                figure.failedCells.push_back({dealt.title, labelFor(comparison, *group, layout.seriesKeys()),
                                              xOf(comparison, points, layout, *group), group->failed, group->disturbed,
                                              originOf(comparison, *group)});
}

} // namespace

Point PointKind::pointOf(const Comparison& comparison, const Group& group, double x) const
{
    const Measure measure = measureOf(group);
    const auto along = [&](double value) { return m_perUnit * value; };
    Point point;
    point.x = x;
    point.y = along(*measure.value);
    if (measure.low && measure.high) {
        point.low = along(*measure.low);
        point.high = along(*measure.high);
    }
    point.n = group.n();
    point.failed = group.failed;
    point.disturbed = group.disturbed;
    point.flags = flagsText(group);
    const double perRate = group.throughput.value ? point.y / *group.throughput.value : 0;
    for (const double rate : group.rates)
        point.singles.push_back(rate * perRate);
    point.runs = group.runs;
    point.againstBest = group.againstBest;
    point.utilisation = utilisationOf(group);
    point.origin = originOf(comparison, group);
    point.isBase = group.isBase && isRatio();
    return point;
}

Points::Panel PointKind::panelOf(const Comparison& comparison, const Points& points, const Layout& layout,
                                 const std::string& title, const std::vector<const Group*>& groups) const
{
    Points::Panel panel;
    panel.title = title;
    for (const Group* group : groups)
        if (measureOf(*group).value)
            seriesFor(comparison, *group, layout, panel)
                .points.push_back(pointOf(comparison, *group, xOf(comparison, points, layout, *group)));
    sort(panel);
    panel.baseText = baseText(comparison, groups);
    panel.baseRanks = baseRanks(comparison, groups);
    if (points.lines && layout.x == "ranks")
        panel.ideal = idealOf(comparison, groups);
    return panel;
}

void PointKind::draw(const Comparison& comparison, const Layout& layout, FigureData& figure) const
{
    Points points;
    points.lines = isCount(comparison, layout.x) && haveCounts(comparison, layout.x);
    points.isRatio = isRatio();
    points.perUnit = m_perUnit;
    points.x = points.lines ? countAxis(comparison, layout.x) : categoryAxis(comparison, layout.x);
    addOtherCategories(comparison, layout, points.x);
    finish(comparison, layout, points);
    for (const PanelGroups& dealt : dealToPanels(comparison, layout))
        if (Points::Panel panel = panelOf(comparison, points, layout, dealt.title, dealt.groups); !panel.series.empty())
            points.panels.push_back(std::move(panel));
    addFailedCells(comparison, layout, points, figure);
    figure.drawing = std::move(points);
}

Table PointKind::table(const Comparison& comparison, const Layout& layout, const NumberStyle& style) const
{
    return pointTable(comparison, layout, style);
}

std::vector<PrintedPanel> PointKind::printed(const FigureData& figure) const
{
    return printedPoints(std::get<Points>(figure.drawing), figure.failedCells);
}

std::vector<std::string> PointKind::keyNotes(const Comparison& drawn) const
{
    return pointKeyNotes(drawn, intervalInKey());
}

std::string PointKind::marksText(const Comparison& drawn, const FigureData& figure) const
{
    return pointMarksText(drawn, std::get<Points>(figure.drawing), pointInCaption(runsInWords(drawn)),
                          intervalInCaption());
}

std::string PointKind::spoken(const Comparison& comparison, const Layout& layout, const FigureData& figure) const
{
    return spokenPoints(comparison, layout, std::get<Points>(figure.drawing));
}

// ---- as a file

namespace {

/// The first point; nullptr: nothing is drawn. All have the same names.
const Point* firstOf(const Points& points)
{
    for (const Points::Panel& panel : points.panels)
        for (const Series& series : panel.series)
            if (!series.points.empty())
                return &series.points.front();
    return nullptr;
}

csv::Fields csvHeader(const FigureData& figure, const Points& points)
{
    const Point* first = firstOf(points);
    const Origin origin = first ? first->origin : firstOrigin(figure.failedCells);
    csv::Fields header;
    csv::addNames(header, origin.factors);
    csv::add(header, {figure.kind, "low", "high", "unit", "n", "failed", "disturbed", "base_case"});
    csv::add(header, {"of_fastest", "of_fastest_low", "of_fastest_high", "p", "verdict", "differs_from_fastest"});
    csv::addNames(header, origin.conditions);
    return header;
}

csv::Fields csvFields(const FigureData& figure, const Points& points, const Point& point)
{
    const auto scaled = [&](std::optional<double> value) {
        return value ? csv::number(*value / points.perUnit) : std::string();
    };
    csv::Fields fields;
    csv::addTexts(fields, point.origin.factors);
    csv::add(fields, {scaled(point.y), scaled(point.low), scaled(point.high), figure.unit, std::to_string(point.n),
                      std::to_string(point.failed), std::to_string(point.disturbed), point.isBase ? "1" : "0"});
    const std::optional<AgainstBest>& against = point.againstBest;
    csv::add(fields,
             {against ? csv::number(against->ratio) : "", against ? csv::number(against->low) : "",
              against ? csv::number(against->high) : "", against ? csv::number(against->p) : "",
              against ? std::string(nameOf(against->verdict)) : "", against ? differingNames(against->differs) : ""});
    csv::addTexts(fields, point.origin.conditions);
    return fields;
}

csv::Fields csvFields(const FigureData& figure, const FailedCell& cell)
{
    constexpr std::size_t kAgainstFastest = 6;
    csv::Fields fields;
    csv::addTexts(fields, cell.origin.factors);
    csv::add(fields, {"", "", "", figure.unit, "0", std::to_string(cell.failed), std::to_string(cell.disturbed), "0"});
    fields.resize(fields.size() + kAgainstFastest);
    csv::addTexts(fields, cell.origin.conditions);
    return fields;
}

} // namespace

std::string Points::csv(const FigureData& figure) const
{
    std::string text = csv::line(csvHeader(figure, *this));
    for (const Panel& panel : panels)
        for (const Series& series : panel.series)
            for (const Point& point : series.points)
                text += csv::line(csvFields(figure, *this, point));
    for (const FailedCell& cell : figure.failedCells)
        text += csv::line(csvFields(figure, cell));
    return text;
}

} // namespace ringside::report
