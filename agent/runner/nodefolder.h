// SPDX-License-Identifier: MIT
// The end of the folders of core/protocol/nodefolder.h.
#pragma once

#include "core/base/files.h"

#include <chrono>

namespace ringside::runner {

/// For this attempt on this node: below the job's own folder, $TMPDIR or /tmp.
fs::path nodeFolderOf(const fs::path& attempt);

/// Unless a rank on this node still uses it. Blocking, for no longer than `limit`: what is left then is for the next
/// guard. A folder without the mark of a rank stays.
void removeNodeFolder(const fs::path& folder, std::chrono::milliseconds limit);
/// The same once its processes are known to have ended, in three seconds at most: the kernel needs a moment to release
/// their resources.
void removeNodeFolderOf(const fs::path& attempt);

/// All of this user in `base` that no rank on this node uses: their guards were killed, or had no time.
void removeForsakenNodeFolders(const fs::path& base, std::chrono::milliseconds limit);

} // namespace ringside::runner
