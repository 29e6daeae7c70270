// SPDX-License-Identifier: MIT
#include "agent/runner/nodefolder.h"

#include "agent/runner/scratch.h"
#include "core/base/environment.h"
#include "core/base/folderlock.h"
#include "core/protocol/nodefolder.h"

#include <chrono>
#include <thread>

namespace ringside::runner {

namespace {

constexpr std::chrono::milliseconds kMoment{3'000}, kRetry{20};

fs::path nodeDisk()
{
    for (const char* variable : {"SLURM_TMPDIR", "TMPDIR"})
        if (const char* folder = environment(variable))
            return folder;
    return "/tmp";
}

} // namespace

fs::path nodeFolderOf(const fs::path& attempt)
{
    return nodeDisk() / (scratchPrefix(attempt) + kNodeFolderSuffix);
}

void removeNodeFolder(const fs::path& folder)
{
    std::error_code ignored; // the next guard on this node tries again
    if (const auto lock = FolderLock::take(folder, FolderLock::Kind::exclusive))
        fs::remove_all(folder, ignored);
}

void removeNodeFolderOf(const fs::path& attempt)
{
    const fs::path folder = nodeFolderOf(attempt);
    const auto end = std::chrono::steady_clock::now() + kMoment;
    std::error_code ignored;
    for (removeNodeFolder(folder); fs::exists(folder, ignored); removeNodeFolder(folder)) {
        if (std::chrono::steady_clock::now() >= end)
            return;
        std::this_thread::sleep_for(kRetry);
    }
}

void removeForsakenNodeFolders(const fs::path& base)
{
    std::error_code ignored;
    for (fs::directory_iterator it(base, ignored), end; !ignored && it != end; it.increment(ignored)) {
        const std::string name = it->path().filename().string();
        if (name.starts_with(kScratchBegin) && name.ends_with(std::string("-") + kNodeFolderSuffix))
            removeNodeFolder(it->path());
    }
}

} // namespace ringside::runner
