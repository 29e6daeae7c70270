// SPDX-License-Identifier: MIT
// Says what kind of file system a folder is on, and whether other hosts see it, too.
#pragma once

#include "core/base/files.h"

#include <optional>
#include <string>
#include <string_view>

namespace ringside {

/// "NFS" and the like for the f_type of statfs(2); nullopt for local file systems and for FUSE, which is either.
std::optional<std::string> networkFileSystem(std::uint64_t statfsType);

/// The same by the name in /proc/self/mountinfo, for FUSE: "fuse.sshfs" -> "sshfs".
std::optional<std::string> networkFileSystem(std::string_view mountType);

/// The type of the mount that holds `path` (absolute), from the text of /proc/self/mountinfo; empty if none does.
std::string mountTypeOf(std::string_view mountInfo, const fs::path& path);

struct FileSystem
{
    std::string type;                   ///< as the kernel names it: "ext4", "tmpfs", "nfs4"; maybe empty without /proc
    std::optional<std::string> network; ///< "NFS"; nullopt: a disk or memory of this computer
};

/// The file system of a folder that is there. Blocking; a hanging mount hangs it. Errors as of systemError.
Result<FileSystem> fileSystemOf(const fs::path& folder);

} // namespace ringside
