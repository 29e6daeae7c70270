// SPDX-License-Identifier: MIT
// The texts of resources/adapters and resources/links, in the order of their files. Internal to core/adapters.
#pragma once

#include <string_view>
#include <vector>

namespace ringside::adapters {

const std::vector<std::string_view>& builtInTables();
const std::vector<std::string_view>& builtInLinkForms();

} // namespace ringside::adapters
