// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

namespace ringside::test {

/// Returns whether `check` holds for a user who may not do everything: called as it is, or by root in a child process
/// that has become an unprivileged user. What `check` changes in memory is then lost.
bool withoutPrivileges(const std::function<bool()>& check);

} // namespace ringside::test
