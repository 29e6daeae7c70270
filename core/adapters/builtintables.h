// SPDX-License-Identifier: MIT
// The texts of resources/adapters, in the order of their files. Internal to core/adapters.
#pragma once

#include <string_view>
#include <vector>

namespace ringside::adapters {

const std::vector<std::string_view>& builtInTables();

} // namespace ringside::adapters
