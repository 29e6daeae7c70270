// SPDX-License-Identifier: MIT
// Where a database may not lie: on file systems that other hosts see, too, SQLite's WAL is not safe.
#pragma once

#include "core/base/files.h"

#include <optional>
#include <string>
#include <string_view>

namespace ringside::store {

/// "NFS" and the like for the f_type of statfs(2); nullopt for local file systems and for FUSE, which is either.
std::optional<std::string> networkFileSystem(std::uint64_t statfsType);

/// The same by the name that /proc/self/mountinfo gives, for FUSE: "fuse.sshfs" -> "sshfs".
std::optional<std::string> networkFileSystem(std::string_view mountType);

/// The type of the mount that holds `path` (absolute), from the text of /proc/self/mountinfo; empty if none does.
std::string mountTypeOf(std::string_view mountInfo, const fs::path& path);

/// Refuses a folder on a network file system (UX message 14). Blocking; a hanging mount hangs it.
Result<void> requireLocalDisk(const fs::path& folder);

} // namespace ringside::store
