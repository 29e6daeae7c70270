// SPDX-License-Identifier: MIT
// Checks whether one resolved configuration can run on a site. Internal to core/spec.
#pragma once

#include "core/spec/validate.h"

namespace ringside::spec {

/// Findings whose `field` is the key of the setting to change. `plan` is what the settings call so.
std::vector<Check> checkCell(const Settings& resolved, const AggregationPlan& plan, const SiteLimits& site);

} // namespace ringside::spec
