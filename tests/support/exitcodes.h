// SPDX-License-Identifier: MIT
// Exit statuses of ringside-cli that tests of other programs go by.
#pragma once

namespace ringside::test {

inline constexpr int kExitSomeFailed = 3; ///< runs
inline constexpr int kExitUnavailable = 69;

} // namespace ringside::test
