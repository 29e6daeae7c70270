// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/descriptor.h"
#include "core/base/files.h"

#include <chrono>
#include <string>
#include <utility>

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

private:
    FileLock(Descriptor file, bool isHeld)
        : m_file(std::move(file))
        , m_isHeld(isHeld)
    {
    }
    Descriptor m_file;
    bool m_isHeld;
};

} // namespace ringside
