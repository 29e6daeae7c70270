// SPDX-License-Identifier: GPL-3.0-or-later
// The visible part of a timeline: zooming and moving. Pure.
#pragma once

#include "core/report/figuredata.h"

namespace ringside {

/// `factor` times as long as before, with the instant `at` in its place; never beyond the whole.
report::Span zoomed(const report::Span& whole, const report::Span& shown, double at, double factor);
/// Later by this share of its length; negative: earlier.
report::Span moved(const report::Span& whole, const report::Span& shown, double share);

} // namespace ringside
