// SPDX-License-Identifier: MIT
// Small files, whole: read with a limit, written by rename. Blocking; safe from any thread.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace ringside {

namespace fs = std::filesystem;

/// The whole file. Fails with notFound, permission, or damaged: longer than `limit` bytes, or a pipe or a disk.
Result<std::string> readFile(const fs::path& path, std::uint64_t limit = 64u << 20);

/// Writes under a temporary name beside `path`, flushes it to disk, renames it. Mode 0600.
/// After a crash either the old or the new content is there, never a part.
Result<void> writeFileAtomically(const fs::path& path, std::string_view bytes);

/// Returns whether something is there; false also where that cannot be found out.
bool isThere(const fs::path& path);

/// Returns when a file or folder was modified last, wall clock; 0 if it is not there. On NFS up to a minute late.
std::int64_t modifiedNs(const fs::path& path);

/// mkdir -p with mode 0700 for what is created.
Result<void> makePrivateFolder(const fs::path& path);

/// `errno` as an Error: the code by what can be done, the message as "<what> <path>: <reason>", always with a hint.
/// `what` is translated: mark it with Words::noop.
Error systemError(std::string_view what, const fs::path& path, int errnoValue);

/// The folder for Ringside's data on this computer: $XDG_DATA_HOME/ringside, else $HOME/.local/share/ringside.
/// Set-but-empty variables count as unset.
Result<fs::path> dataFolder();
/// The same for what this user has set up: $XDG_CONFIG_HOME/ringside, else $HOME/.config/ringside. May be missing.
Result<fs::path> configFolder();
/// The same for what Ringside can find out again: $XDG_CACHE_HOME/ringside, else $HOME/.cache/ringside. May be missing.
Result<fs::path> cacheFolder();

/// The folder of the running program; the programs of one build lie side by side in it.
Result<fs::path> programFolder();

} // namespace ringside
