// SPDX-License-Identifier: MIT
// A short-lived folder for an attempt's sockets and control pipe. Its path is short because Unix sockets hold 107
// bytes.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/folderlock.h"

#include <optional>

namespace ringside::runner {

/// With what the name of every such folder begins.
inline constexpr std::string_view kScratchBegin = "ringside-";
/// runs/<uuid>/attempt-k -> "ringside-<first 8>-k-"
std::string scratchPrefix(const fs::path& attempt);

/// $TMPDIR, or /tmp if that is unset or too long: Unix sockets hold paths of 107 bytes.
fs::path temporaryBase();
/// The folder of files in memory on Linux.
inline constexpr const char* kSharedMemoryBase = "/dev/shm";

/// A private folder, removed with the object; locked and marked as long as its process lives, so that a later one may
/// remove what a killed one has left.
class Scratch
{
public:
    /// `attempt` is the attempt's folder, which names it.
    static Result<Scratch> make(const fs::path& base, const fs::path& attempt);
    Scratch(Scratch&& other) noexcept
        : m_path(std::exchange(other.m_path, {}))
        , m_lock(std::move(other.m_lock))
    {
    }
    Scratch& operator=(Scratch&&) = delete;
    ~Scratch();

    const fs::path& path() const { return m_path; }

private:
    Scratch(fs::path path, std::optional<FolderLock> lock)
        : m_path(std::move(path))
        , m_lock(std::move(lock))
    {
    }
    fs::path m_path;
    std::optional<FolderLock> m_lock; ///< none on a file system without locks, and then no mark
};

/// Removes what runners and guards that were killed left behind on this computer, whosever attempts it was for: folders
/// that carry this node's mark of a scratch folder and that no process has locked.
void removeForsakenScratch();
/// The same below one folder.
void removeForsakenScratch(const fs::path& base);
/// Removes what a runner or guard that was killed left behind for this attempt on this computer.
void removeScratchOf(const fs::path& attempt);

} // namespace ringside::runner
