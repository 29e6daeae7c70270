// SPDX-License-Identifier: MIT
#include "core/report/figuredata.h"

#include <algorithm>
#include <functional>

namespace ringside::report {
namespace {

constexpr std::array<std::string_view, 5> kShowNames = {"throughput", "speedup", "efficiency", "phases", "timeline"};
constexpr std::array<std::string_view, 4> kActivityNames = {"phase", "forward", "backward", "communication"};

constexpr std::array<std::string_view, 4> kVerdictNames = {"best", "slower", "no_difference_shown", "no_claim"};

const Point* basePoint(const Panel& panel)
{
    for (const Series& series : panel.series)
        for (const Point& point : series.points)
            if (point.isBase)
                return &point;
    return nullptr;
}

bool anyStack(const FigureData& figure, bool (Stack::*is)() const)
{
    return std::any_of(figure.panels.begin(), figure.panels.end(), [&](const Panel& panel) {
        return std::any_of(panel.stacks.begin(), panel.stacks.end(), std::mem_fn(is));
    });
}

} // namespace

std::string_view nameOf(Show show)
{
    return kShowNames[static_cast<std::size_t>(show)];
}

std::string_view nameOf(Activity activity)
{
    return kActivityNames[static_cast<std::size_t>(activity)];
}

std::string_view nameOf(Verdict verdict)
{
    return kVerdictNames[static_cast<std::size_t>(verdict)];
}

std::optional<Show> showFromName(std::string_view name)
{
    const auto found = std::find(kShowNames.begin(), kShowNames.end(), name);
    if (found == kShowNames.end())
        return std::nullopt;
    return static_cast<Show>(found - kShowNames.begin());
}

bool isRatio(Show show)
{
    return show == Show::speedup || show == Show::efficiency;
}

std::vector<const Point*> joinedPoints(const Panel& panel, const Series& series)
{
    std::vector<const Point*> joined;
    const bool hasBefore = !series.neutral && !series.points.empty();
    for (const Series& other : panel.series)
        for (const Point& point : other.points)
            if (hasBefore && other.neutral && point.x < series.points.front().x)
                joined.push_back(&point);
    for (const Point& point : series.points)
        joined.push_back(&point);
    return joined;
}

std::vector<std::string> grayNames(const FigureData& figure)
{
    std::vector<std::string> names;
    for (const Panel& panel : figure.panels)
        for (const Series& series : panel.series)
            if (series.isGray() && std::find(names.begin(), names.end(), series.name) == names.end())
                names.push_back(series.name);
    return names;
}

bool hidesCommunication(const FigureData& figure)
{
    return anyStack(figure, &Stack::hidesCommunication);
}

bool loads(const FigureData& figure)
{
    return anyStack(figure, &Stack::loads);
}

double idealAt(const FigureData& figure, const Panel& panel, double x)
{
    if (figure.show == Show::efficiency)
        return 100;
    const Point* base = basePoint(panel);
    return base && base->x > 0 ? base->y * x / base->x : x;
}

} // namespace ringside::report
