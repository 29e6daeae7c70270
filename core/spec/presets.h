// SPDX-License-Identifier: MIT
// The built-in plans as a table: Ringside's own four, and the designs of the systems that are studied, with where each
// number is in their sources. Internal to core/spec: plans.h finds them by name.
#pragma once

#include "core/spec/plans.h"

namespace ringside::spec {

std::vector<BuiltInPlan> presetTable();

} // namespace ringside::spec
