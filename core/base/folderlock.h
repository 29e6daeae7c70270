// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"

#include <utility>

namespace ringside {

/// A kernel lock (flock) on a folder itself; it ends with this object or its process.
class FolderLock
{
public:
    enum class Kind
    {
        shared,
        exclusive
    };

    /// Never waits. While it is held the folder is the one of this path: who removes it takes it exclusively.
    /// Errors: busy (others hold it), notFound, permission (the folder is another user's), else as of systemError.
    static Result<FolderLock> take(const fs::path& folder, Kind kind);

    FolderLock(FolderLock&& other) noexcept
        : m_folder(std::exchange(other.m_folder, -1))
    {
    }
    FolderLock& operator=(FolderLock&&) = delete;
    ~FolderLock();

private:
    explicit FolderLock(int folder)
        : m_folder(folder)
    {
    }
    int m_folder;
};

} // namespace ringside
