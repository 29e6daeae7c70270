// SPDX-License-Identifier: MIT
#include "core/report/scale.h"

#include "core/report/ticks.h"

#include <algorithm>
#include <cmath>

namespace ringside::report {
namespace {

struct Range
{
    double low = INFINITY, high = -INFINITY;
    void add(double value)
    {
        low = std::min(low, value);
        high = std::max(high, value);
    }
};

void addPanel(Range& range, const Panel& panel)
{
    for (const Series& series : panel.series)
        for (const Point& point : series.points) {
            range.add(point.high.value_or(point.y));
            range.add(point.low.value_or(point.y));
            for (const double single : point.singles)
                range.add(single);
        }
    for (const Stack& stack : panel.stacks)
        range.add(std::max(stack.total, stack.high));
}

void addIdeal(Range& range, const FigureData& figure, const Panel& panel)
{
    if (!figure.ideal)
        return;
    for (const double x : figure.x.ticks)
        range.add(idealAt(figure, panel, x));
}

std::string countText(double value)
{
    return fmt::format("{:g}", value);
}

Scale log2Scale(double low, double high)
{
    Scale scale{std::exp2(std::floor(std::log2(low))), high, true, {}};
    for (double value = scale.low; value <= high * 1.001; value *= 2)
        scale.ticks.push_back({value, countText(value)});
    return scale;
}

/// Where the top tick would leave more than a fifth of the axis empty, the axis ends a little above the data instead.
Scale linearScale(double high)
{
    const Ticks ticks = niceTicks(0, high);
    Scale scale{0, std::min(ticks.high(), high * 1.06), false, {}};
    if (ticks.high() <= high * 1.15)
        scale.high = std::max(ticks.high(), high * 1.02);
    for (const double value : ticks.values)
        if (value <= scale.high * (1 + 1e-9))
            scale.ticks.push_back({value, fmt::format("{:.{}f}", value, ticks.decimals)});
    return scale;
}

Scale categoryScale(const Axis& axis)
{
    Scale scale{-0.5, static_cast<double>(axis.labels.size()) - 0.5, false, {}};
    for (std::size_t i = 0; i < axis.labels.size(); ++i)
        scale.ticks.push_back({static_cast<double>(i), axis.labels[i]});
    return scale;
}

bool isRatio(Show show)
{
    return show == Show::speedup || show == Show::efficiency;
}

} // namespace

double Scale::position(double value) const
{
    if (log2)
        return std::log2(std::max(value, low) / low) / std::log2(high / low);
    return (value - low) / (high - low);
}

Scale xScale(const FigureData& figure)
{
    if (figure.x.categories || figure.x.ticks.empty())
        return categoryScale(figure.x);
    const auto [least, most] = std::minmax_element(figure.x.ticks.begin(), figure.x.ticks.end());
    Scale scale{0, *most * 1.06, figure.x.log2, {}};
    if (figure.x.log2) {
        scale.low = *least / 1.3;
        scale.high = *most * 1.3;
    }
    for (const double value : figure.x.ticks)
        scale.ticks.push_back({value, countText(value)});
    return scale;
}

Scale valueScale(const FigureData& figure, const Panel& panel)
{
    Range range;
    for (const Panel& other : figure.panels) {
        if (!isRatio(figure.show) && &other != &panel)
            continue;
        addPanel(range, other);
        addIdeal(range, figure, other);
    }
    if (!(range.high > 0))
        return linearScale(1);
    if (figure.y.log2 && range.low > 0)
        return log2Scale(range.low, range.high * 1.1);
    return linearScale(range.high);
}

} // namespace ringside::report
