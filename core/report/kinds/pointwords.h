// SPDX-License-Identifier: MIT
// A figure of points in words: beside its key, in its caption, for a screen reader and on a terminal. Pure.
// ComparedKind says what each is.
#pragma once

#include "core/report/comparedkind.h"

namespace ringside::report {

/// `interval`: what an error bar is, "95 % interval of the median".
std::vector<std::string> pointKeyNotes(const Comparison& drawn, std::string_view interval);
/// `point`: what a point is, "medians over independent runs (n = 6)"; `intervals`: what error bars are, "rank intervals
/// of the median".
std::string pointMarksText(const Comparison& drawn, const Points& points, const std::string& point,
                           std::string_view intervals);
std::string spokenPoints(const Comparison& comparison, const Layout& layout, const Points& points);
std::vector<PrintedPanel> printedPoints(const Points& points, const std::vector<FailedCell>& failed);

} // namespace ringside::report
