// SPDX-License-Identifier: MIT
#include "core/report/numbers.h"

#include <algorithm>
#include <cmath>

namespace ringside::report {
namespace {

constexpr int kMostDecimalsOfSmall = 9;

/// Decimals that leave `digits` significant digits of `value`.
int decimalsFor(double value, int digits, int most = kMostDecimals)
{
    if (!(value > 0) || !std::isfinite(value))
        return 0;
    return std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(value))), 0, most);
}

/// More than elsewhere where a value would have no three digits with them.
int mostDecimalsOf(double smallest)
{
    return std::max(kMostDecimals, decimalsFor(smallest, 3, kMostDecimalsOfSmall));
}

/// The smallest value other than 0; 0 where there is none.
double smallestOf(const std::vector<Measure>& column)
{
    double smallest = 0;
    for (const Measure& measure : column)
        if (const double size = std::abs(measure.value.value_or(0)); size > 0)
            smallest = smallest > 0 ? std::min(smallest, size) : size;
    return smallest;
}

std::string grouped(std::string digits, const std::string& separator)
{
    const std::size_t end = digits.front() == '-' ? 1 : 0;
    for (auto at = digits.size(); at > end + 3;) {
        at -= 3;
        digits.insert(at, separator);
    }
    return digits;
}

} // namespace

int decimalsForHalfWidth(double halfWidth)
{
    return decimalsFor(halfWidth, 2);
}

int columnDecimals(const std::vector<Measure>& column)
{
    const double smallest = smallestOf(column);
    const int most = mostDecimalsOf(smallest);
    int decimals = -1;
    for (const Measure& measure : column)
        if (measure.low && measure.high && *measure.high > *measure.low)
            decimals = std::max(decimals, decimalsFor((*measure.high - *measure.low) / 2, 2, most));
    return decimals >= 0 ? decimals : decimalsFor(smallest, 3, most);
}

std::string formatNumber(double value, int decimals, const NumberStyle& style)
{
    std::string plain = fmt::format("{:.{}f}", value, decimals);
    if (plain.find_first_not_of("-0.") == std::string::npos)
        std::erase(plain, '-'); // what rounds to nothing is not below it
    const auto point = plain.find('.');
    std::string text = style.group.empty() ? plain.substr(0, point) : grouped(plain.substr(0, point), style.group);
    if (point != std::string::npos)
        text += style.point + plain.substr(point + 1);
    return text;
}

std::string formatRange(double low, double high, int decimals, const NumberStyle& style)
{
    return formatNumber(low, decimals, style) + " – " + formatNumber(high, decimals, style);
}

int decimalsOf(const Points& points)
{
    std::vector<Measure> values;
    for (const Points::Panel& panel : points.panels)
        for (const Series& series : panel.series)
            for (const Point& point : series.points)
                values.push_back({point.y, point.low, point.high});
    return columnDecimals(values);
}

std::string formatShort(double value, const NumberStyle& style, int mostDecimals)
{
    return formatNumber(value, std::min(mostDecimals, decimalsFor(std::abs(value), 3)), style);
}

std::string formatP(double p)
{
    return p < 0.001 ? "p < 0.001" : fmt::format("p = {:.{}f}", p, p < 0.1 ? 3 : 2);
}

} // namespace ringside::report
