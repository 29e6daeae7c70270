// SPDX-License-Identifier: MIT
// A folder on a node's own disk for what the ranks of one attempt share there. The guard of a rank names it; a rank
// that needs it makes it, holds a shared FolderLock on it as long as it lives, and puts a mark into it before anything
// else. The guards remove it once no such lock is held; if they are killed, the next guard of the same user on that
// node does.
#pragma once

#include "core/protocol/settings.h"

namespace ringside {

/// The environment variable of a rank that names the folder.
inline constexpr const char* kNodeFolderVariable = "RINGSIDE_NODE_FOLDER";
inline constexpr const char* kNodeFolderSuffix = "data";
/// An empty file in it: it is such a folder, and not a user's data of that name.
inline constexpr const char* kNodeFolderMark = ".ringside-node-folder";

/// Returns whether each node of such a run first gets a copy of the pictures.
inline bool isNodeLocal(const Settings& settings)
{
    return textOf(settings, "storage") == "node-local";
}

} // namespace ringside
