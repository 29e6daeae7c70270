// SPDX-License-Identifier: MIT
// The rules of a plan that the table of a system has to obey, too: its checks and the plan's reader ask these.
#pragma once

#include <cstddef>
#include <string_view>

namespace ringside {

inline constexpr std::size_t kMaxRoles = 16; ///< of a run
inline constexpr std::size_t kMaxRoleName = 64;
/// The limit of an engine for each of these: exits, lines, and roles with an environment.
inline constexpr std::size_t kMaxEngineRows = 200;
inline constexpr std::size_t kMaxEngineName = 200;  ///< bytes of a title, or of another short text of an engine
inline constexpr int kMaxWarmupRecords = 1'000'000; ///< of each rank

/// Small letters, digits and “_”, at most kMaxRoleName.
bool isRoleName(std::string_view text);

} // namespace ringside
