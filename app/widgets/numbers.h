// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers, times and sizes as the window writes them (UX.md 5.4): the locale's separators, a narrow space before units.
#pragma once

#include <QCoreApplication>
#include <QString>
#include <cstdint>

namespace ringside {

class Numbers
{
    Q_DECLARE_TR_FUNCTIONS(ringside::Numbers)
public:
    /// 4352 -> "4,352".
    static QString count(std::int64_t value);
    /// Three significant digits: 14.41 -> "14.4", 4352.3 -> "4,352", 0.123.
    static QString threeDigits(double value);
    static QString withDecimals(double value, int decimals);
    /// "41 of 156".
    static QString ofTotal(int part, int total);
    static QString percent(double share);
    /// "3", "4–7": the ranks of these processes, each of which is `ranksPerProcess` of them.
    static QString ranks(int firstProcess, int lastProcess, int ranksPerProcess);
    /// "Rank 3", "Ranks 4–7".
    static QString namedRanks(int firstProcess, int lastProcess, int ranksPerProcess);
    /// Decimal units, "110 MB".
    static QString bytes(std::uint64_t bytes);
    /// Under a minute "42 s", under an hour "12 min", then "4.8 h".
    static QString duration(double seconds);
    /// Wall-clock nanoseconds: "09:14".
    static QString timeOfDay(std::int64_t wallNs);
    /// "09:14"; of another day the date besides.
    static QString moment(std::int64_t wallNs);
    /// "09:14:07".
    static QString secondOfDay(std::int64_t wallNs);
    /// Relative under 24 hours ("12 min ago"), then the date.
    static QString relativeTime(std::int64_t wallNs, std::int64_t nowNs);
    /// Date and time to the second, for tooltips.
    static QString exactTime(std::int64_t wallNs);
};

} // namespace ringside
