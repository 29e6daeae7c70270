// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/timespan.h"

#include <algorithm>

namespace ringside {

namespace {

constexpr double kDeepest = 1e-5; // of the whole: below it all bars are longer than the screen

report::Span from(double start, double length, const report::Span& whole)
{
    start = std::clamp(start, whole.from, std::max(whole.from, whole.to - length)); // lengths are rounded
    return {start, start + length};
}

} // namespace

report::Span zoomed(const report::Span& whole, const report::Span& shown, double at, double factor)
{
    const double length = std::clamp(shown.length() * factor, whole.length() * kDeepest, whole.length());
    if (shown.length() <= 0)
        return whole;
    const double before = (at - shown.from) / shown.length();
    return from(at - before * length, length, whole);
}

report::Span moved(const report::Span& whole, const report::Span& shown, double share)
{
    return from(shown.from + share * shown.length(), shown.length(), whole);
}

} // namespace ringside
