// SPDX-License-Identifier: MIT
#pragma once

namespace ringside {

/// Closes every file descriptor from `first` on; on kernels without close_range (before 5.9) those that /proc/self/fd
/// names, and without that as many as there may be. May be called between fork and exec.
void closeFilesFrom(int first);

} // namespace ringside
