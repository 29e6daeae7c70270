// SPDX-License-Identifier: MIT
#include "core/report/scale.h"

#include "core/report/ticks.h"

#include <algorithm>
#include <cmath>

namespace ringside::report {
namespace {

constexpr int kMostIntervals = 7;
constexpr double kNearTick = 1.12; // an axis may end this far above the data to end at a tick
constexpr double kLineHeadroom = 1.03;
constexpr double kBarHeadroom = 1.2; // for the number above a bar
constexpr double kMarginShare = 0.2; // of the range of counts, at both ends: series are drawn side by side around each
constexpr double kEndShare = 0.06;   // of an axis from 0, after its last count

struct Range
{
    double low = INFINITY, high = -INFINITY;
    void add(double value)
    {
        low = std::min(low, value);
        high = std::max(high, value);
    }
};

void addPanel(Range& range, const Points& points, const Points::Panel& panel)
{
    for (const Series& series : panel.series)
        for (const Point& point : series.points) {
            range.add(point.high.value_or(point.y));
            range.add(point.low.value_or(point.y));
            if (point.open())
                for (const double single : point.singles)
                    range.add(single);
        }
    if (panel.ideal != Points::Ideal::none)
        for (const double x : points.x.ticks)
            range.add(idealAt(points, panel, x));
}

std::string countText(double value)
{
    return fmt::format("{:g}", value);
}

Scale log2Scale(double low, double high)
{
    Scale scale{std::exp2(std::floor(std::log2(low))), high, true, {}};
    const double doublings = std::log2(high / scale.low);
    const double step = std::exp2(std::max(1.0, std::ceil(doublings / kMostIntervals)));
    for (double value = scale.low; value <= high * 1.001; value *= step)
        scale.ticks.push_back({value, countText(value)});
    return scale;
}

/// Three to seven intervals; the axis ends at a tick where one is near, else a little above the data.
Scale linearScale(double high, double headroom)
{
    const double step = niceStep(high, kMostIntervals);
    const double next = step * std::ceil(high / step * (1 - 1e-9));
    Scale scale{0, next >= high * headroom && next <= high * kNearTick ? next : high * headroom, false, {}};
    for (int i = 0; i * step <= scale.high * (1 + 1e-9); ++i)
        scale.ticks.push_back({i * step, fmt::format("{:.{}f}", i * step, stepDecimals(step))});
    return scale;
}

Scale categoryScale(const Axis& axis)
{
    Scale scale{-0.5, static_cast<double>(axis.labels.size()) - 0.5, false, {}};
    for (std::size_t i = 0; i < axis.labels.size(); ++i)
        scale.ticks.push_back({static_cast<double>(i), axis.labels[i]});
    return scale;
}

} // namespace

double Scale::position(double value) const
{
    if (log2)
        return std::log2(std::max(value, low) / low) / std::log2(high / low);
    return (value - low) / (high - low);
}

namespace {

Scale countScale(const Axis& axis)
{
    const auto [least, most] = std::ranges::minmax_element(axis.ticks);
    if (axis.log2)
        return {*least / 1.3, *most * 1.3, true, {}};
    const double margin = kMarginShare * (*most - *least);
    if (margin == 0)
        return {*least - 1, *most + 1, false, {}};
    if (*least - margin > 0) // 1 and 2, not 1 to 16: an axis from 0 would be half empty
        return {*least - margin, *most + margin, false, {}};
    return {0, *most * (1 + kEndShare), false, {}};
}

} // namespace

Scale xScale(const Axis& axis)
{
    if (axis.categories || axis.ticks.empty())
        return categoryScale(axis);
    Scale scale = countScale(axis);
    const bool areNamed = axis.labels.size() == axis.ticks.size();
    for (std::size_t i = 0; i < axis.ticks.size(); ++i)
        scale.ticks.push_back({axis.ticks[i], areNamed ? axis.labels[i] : countText(axis.ticks[i])});
    return scale;
}

Scale valueScale(const Points& points, const Points::Panel& panel)
{
    Range range;
    for (const Points::Panel& other : points.panels)
        if (points.isRatio || &other == &panel)
            addPanel(range, points, other);
    if (!(range.high > 0))
        return linearScale(1, 1);
    if (points.y.log2 && range.low > 0)
        return log2Scale(range.low * 0.9, range.high * 1.1);
    return linearScale(range.high, points.lines ? kLineHeadroom : kBarHeadroom);
}

Scale valueScale(const Stacks::Panel& panel)
{
    Range range;
    for (const Stack& stack : panel.stacks)
        range.add(std::max(stack.total, stack.high));
    return range.high > 0 ? linearScale(range.high, kLineHeadroom) : linearScale(1, 1);
}

} // namespace ringside::report
