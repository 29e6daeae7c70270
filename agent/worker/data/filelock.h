// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/files.h"

#include <chrono>

namespace ringside {

/// An exclusive kernel lock on a file, which is made if it is not there; it ends with this object or its process.
class FileLock
{
public:
    /// Waits at most `limit`, then fails with timeout; says once on stdout, as `waiting`, that it does. On a file
    /// system without locks the result holds nothing.
    static Result<FileLock> acquire(const fs::path& path, std::chrono::seconds limit, const std::string& waiting);

    /// False where there are no locks: others may be at work, too.
    bool isHeld() const { return m_isHeld; }

    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&&) = delete;
    ~FileLock();

private:
    explicit FileLock(int file)
        : m_file(file)
    {
    }
    int m_file;
    bool m_isHeld = true;
};

} // namespace ringside
