// SPDX-License-Identifier: MIT
// Which groups may be said to be slower than the fastest, and than which (STATISTICS.md, 6). Pure; any thread.
#pragma once

#include "core/report/layout.h"

namespace ringside::report {

/// The factor whose levels are set against each other: that of the series, else the one along x. Empty where neither is
/// a way to do the same work: models do different work, and more ranks are no other way.
std::string comparedFactor(const Layout& layout);

/// Of each group of the comparison, against the fastest of those that differ from it in the compared factor only.
/// Claims hold for all of them together. Takes milliseconds for 14 plans of 20 runs.
std::vector<std::optional<AgainstBest>> standings(const Comparison& comparison, const Layout& layout);

} // namespace ringside::report
