// SPDX-License-Identifier: MIT
// The end of the folders of core/protocol/nodefolder.h.
#pragma once

#include "core/base/files.h"

namespace ringside::runner {

/// For this attempt on this node: below $SLURM_TMPDIR, $TMPDIR or /tmp.
fs::path nodeFolderOf(const fs::path& attempt);

/// Unless a rank on this node still uses it. Blocking, as long as removing its files takes.
void removeNodeFolder(const fs::path& folder);
/// The same for who knows that its processes have ended: the kernel takes a moment to let go of what they held.
void removeNodeFolderOf(const fs::path& attempt);

/// All of this user in `base` that no rank on this node uses: their guards were killed.
void removeForsakenNodeFolders(const fs::path& base);

} // namespace ringside::runner
