// SPDX-License-Identifier: MIT
#include "agent/runner/nodefolder.h"

#include "agent/runner/scratch.h"
#include "core/base/environment.h"
#include "core/base/folderlock.h"
#include "core/jobs/schedulers/table.h"
#include "core/protocol/nodefolder.h"

#include <algorithm>
#include <thread>

namespace ringside::runner {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kMoment{3'000}, kRetry{20};

fs::path nodeDisk()
{
    for (const jobs::Scheduler* scheduler : jobs::schedulers())
        if (const char* folder = environment(scheduler->variables().scratchFolder))
            return folder;
    const char* folder = environment("TMPDIR");
    return folder ? folder : "/tmp";
}

/// "ringside-0a1b2c3d-2-data": as of scratchPrefix(), and no other.
bool isName(std::string_view name)
{
    const auto skip = [&name](std::string_view kind, std::size_t atLeast, std::size_t atMost) {
        const std::size_t n = std::min(name.find_first_not_of(kind), name.size());
        name.remove_prefix(n);
        return n >= atLeast && n <= atMost;
    };
    if (!name.starts_with(kScratchBegin))
        return false;
    name.remove_prefix(kScratchBegin.size());
    return skip("0123456789abcdef", 8, 8) && skip("-", 1, 1) && skip("0123456789", 1, 9) &&
           name == std::string("-") + kNodeFolderSuffix;
}

bool isMarked(const fs::path& folder)
{
    std::error_code ignored;
    return fs::exists(folder / kNodeFolderMark, ignored) || fs::is_empty(folder, ignored);
}

/// All that is in it, but for a mark. False: the time was up.
bool clear(const fs::path& folder, Clock::time_point end)
{
    std::error_code ignored;
    for (fs::directory_iterator it(folder, ignored), last; !ignored && it != last; it.increment(ignored)) {
        if (it->path().filename() == kNodeFolderMark)
            continue;
        std::error_code problem;
        if (fs::is_directory(it->symlink_status(problem)) && !clear(it->path(), end))
            return false;
        fs::remove(it->path(), problem);
        if (Clock::now() >= end)
            return false;
    }
    return true;
}

/// The mark is removed last: if there was too little time, the next process may go on.
void remove(const fs::path& folder, Clock::time_point end)
{
    const auto lock = FolderLock::take(folder, FolderLock::Kind::exclusive);
    if (!lock || !isMarked(folder) || !clear(folder, end))
        return;
    std::error_code ignored;
    fs::remove(folder / kNodeFolderMark, ignored);
    fs::remove(folder, ignored);
}

} // namespace

fs::path nodeFolderOf(const fs::path& attempt)
{
    return nodeDisk() / (scratchPrefix(attempt) + kNodeFolderSuffix);
}

void removeNodeFolder(const fs::path& folder, std::chrono::milliseconds limit)
{
    remove(folder, Clock::now() + limit);
}

void removeNodeFolderOf(const fs::path& attempt)
{
    const fs::path folder = nodeFolderOf(attempt);
    const auto end = Clock::now() + kMoment;
    std::error_code ignored;
    for (remove(folder, end); fs::exists(folder, ignored) && Clock::now() < end; remove(folder, end))
        std::this_thread::sleep_for(kRetry);
}

void removeForsakenNodeFolders(const fs::path& base, std::chrono::milliseconds limit)
{
    const auto end = Clock::now() + limit;
    std::error_code ignored;
    for (fs::directory_iterator it(base, ignored), last; !ignored && it != last; it.increment(ignored))
        if (isName(it->path().filename().string()))
            remove(it->path(), end);
}

} // namespace ringside::runner
