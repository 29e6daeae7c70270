// SPDX-License-Identifier: MIT
// Checks whether an experiment's own plan is possible. Internal to core/spec.
#pragma once

#include "core/protocol/aggregationplan.h"
#include "core/spec/check.h"

#include <string>
#include <vector>

namespace ringside::spec {

/// Its name, its numbers, and whether its parts go together. The field is plans.NAME.
std::vector<Check> checkPlan(const std::string& name, const AggregationPlan& plan);

} // namespace ringside::spec
