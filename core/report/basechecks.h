// SPDX-License-Identifier: MIT
// Inside core/report: whether a base case may be one. Pure; any thread.
#pragma once

#include "core/report/comparison.h"

namespace ringside::report {

/// Of a comparison that is complete. Fails with usage, and says what to choose, where a speed-up or an efficiency is
/// shown and no base case is named or measured; does other work than what is set against it (another model, picture or
/// sequence); stands for runs on several numbers of ranks; or, of an efficiency, has as many ranks as what is set
/// against it.
Result<void> checkBase(const Comparison& comparison, const spec::Experiment& experiment);

/// Whether speed-ups over its base cases mean anything: they do the same work, and stand for one number of ranks each.
bool hasOneBase(const Comparison& comparison);

} // namespace ringside::report
