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

/// Why speed-ups over its base cases mean nothing: they do other work, or one stands for several numbers of ranks.
Result<void> checkOneBase(const Comparison& comparison);

} // namespace ringside::report
