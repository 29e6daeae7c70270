// SPDX-License-Identifier: MIT
#pragma once

namespace ringside {

/// Closes every file descriptor from `first` on; on kernels without close_range (before 5.9) those that /proc/self/fd
/// names, and without that as many as there may be. Meant for the child between fork and exec of a program with one
/// thread.
void closeFilesFrom(int first);

} // namespace ringside
