// SPDX-License-Identifier: MIT
// Numbers as people read them (UX 5.4): no digit that the interval does not carry, the same decimals in a whole column.
#pragma once

#include "core/report/comparison.h"

namespace ringside::report {

/// Files have no group separator and a point, always; the window passes what its locale has.
struct NumberStyle
{
    std::string group; ///< between thousands: "," or a space; "" in files
    std::string point = ".";
};

/// Before units and the per cent sign: U+202F, narrow no-break space.
inline constexpr std::string_view kThinSpace = "\u202f";

inline constexpr int kMostDecimals = 3;

/// Decimals with which half an interval of this width has two significant digits; 0 to 3.
int decimalsForHalfWidth(double halfWidth);

/// For a whole column: the most that one of its intervals needs; without any interval three significant digits of the
/// smallest value. More than 3 only where that value would have fewer digits with them.
int columnDecimals(const std::vector<Measure>& column);

std::string formatNumber(double value, int decimals, const NumberStyle& style = {});
/// "14.17 – 14.65", en dash with spaces.
std::string formatRange(double low, double high, int decimals, const NumberStyle& style = {});
/// The same for all values of a figure, whatever the panel: as the column of the table below it.
int decimalsOf(const Points& points);
/// Three significant digits, for labels on charts: 14.4, 7.51, 302. At most so many decimals: those of the table.
std::string formatShort(double value, const NumberStyle& style = {}, int mostDecimals = 3);
/// "p = 0.002", "p < 0.001".
std::string formatP(double p);

} // namespace ringside::report
