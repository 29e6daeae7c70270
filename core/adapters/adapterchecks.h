// SPDX-License-Identifier: MIT
// Checks whether an adapter's table makes sense. Internal to core/adapters.
#pragma once

#include "core/adapters/adapter.h"
#include "core/spec/check.h"

#include <vector>

namespace ringside::adapters {

/// Findings name fields, and no lines yet.
std::vector<spec::Check> checkAdapter(const Adapter& adapter);

} // namespace ringside::adapters
