// SPDX-License-Identifier: MIT
// A folder on a node's own disk for what the ranks of one attempt share there. The guard of a rank names it; a rank
// that needs it makes it, and holds a shared FolderLock on it as long as it lives. The guards remove it once nobody
// does, and so does the next guard of the same user on that node, should they be killed.
#pragma once

#include "core/protocol/settings.h"

namespace ringside {

/// The environment variable of a rank that names the folder.
inline constexpr const char* kNodeFolderVariable = "RINGSIDE_NODE_FOLDER";
inline constexpr const char* kNodeFolderSuffix = "data";

/// Whether each node of such a run first gets a copy of the pictures.
inline bool isNodeLocal(const Settings& settings)
{
    return textOf(settings, "storage") == "node-local";
}

} // namespace ringside
