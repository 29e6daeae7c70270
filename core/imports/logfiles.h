// SPDX-License-Identifier: MIT
// Finds the logs that a user's paths stand for. Blocking.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"

#include <optional>
#include <vector>

namespace ringside::imports {

/// A folder stands for so many levels of folders and files in it; more is refused.
inline constexpr int kMostDepth = 8;
inline constexpr std::size_t kMostFiles = 10'000;

struct LogFile
{
    fs::path path;
    std::optional<int> rank = {}; ///< that printed it, as its name says
};

/// One file, or those of the ranks of one run: rank-0.log, rank-1.log.
struct LogSource
{
    std::vector<LogFile> files; ///< by rank
    bool wasNamed = true;       ///< itself, and not a folder that it lies in, where other files may lie, too
};

enum class Naming
{
    mayTellRanks, ///< rank-0.log and rank-1.log are of one run
    tellsNothing  ///< each file is a log
};

/// In the order of their names. Folders' hidden files and links to folders are passed over. Fails with notFound for a
/// name that is not there, and with usage for too many files, and for a pipe or a device.
Result<std::vector<LogSource>> findLogs(const std::vector<fs::path>& paths, Naming naming = Naming::mayTellRanks);

} // namespace ringside::imports
