// SPDX-License-Identifier: MIT
// Inside core/report: whether a base case may be one. Pure; any thread.
#pragma once

#include "core/report/comparison.h"

namespace ringside::report {

/// Checks a comparison of ratios that is complete. Fails with usage, and says what to choose, where no base case is
/// named (with the message `noneNamed`) or measured, and as checkOneBase() does.
Result<void> checkBase(const Comparison& comparison, const spec::Experiment& experiment, const std::string& noneNamed);

/// Fails with usage where a base case has as many ranks as what is set against it: there is no efficiency then.
Result<void> checkOtherRanks(const Comparison& comparison);

/// Returns whether each of these groups of `comparison` that is measured has ranks like those of its base case
/// (areRanksAlike).
bool areAllRanksAlike(const Comparison& comparison, const std::vector<const Group*>& groups);
/// Fails with usage where those of a group are not: the ratio of ranks is none of what computes then.
Result<void> checkAlikeRanks(const Comparison& comparison);

/// Fails with usage where speed-ups over its base cases mean nothing: they do other work (another model, picture or
/// sequence), or one stands for several numbers of ranks, or for several runs of another engine.
Result<void> checkOneBase(const Comparison& comparison);

} // namespace ringside::report
