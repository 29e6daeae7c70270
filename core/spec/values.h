// SPDX-License-Identifier: MIT
// The part of validation that every expansion needs: values that are what their settings can be, and sizes within
// limits. Internal to core/spec.
#pragma once

#include "core/spec/check.h"
#include "core/spec/experiment.h"

#include <cstddef>
#include <vector>

namespace ringside::spec {

/// Every key and value of factors, fixed settings, conditionals, base case, exclusions, plans and run numbers.
std::vector<Check> checkValues(const Experiment& experiment);

/// Blocking if the levels make more combinations than are looked at, or these have to be compared with too many
/// patterns.
std::vector<Check> checkCombinations(const Experiment& experiment);

/// Blocking if there are no or too many configurations or runs. `gap`: what an engine cannot do, so that combinations
/// are left out, as gapText() puts it; empty: nothing.
std::vector<Check> checkSize(std::size_t configurations, const Experiment& experiment, const std::string& gap);

} // namespace ringside::spec
