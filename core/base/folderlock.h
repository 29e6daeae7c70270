// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/descriptor.h"
#include "core/base/error.h"
#include "core/base/files.h"

#include <utility>

namespace ringside {

/// A kernel lock (flock) on a folder, against processes of this host; it ends with this object or its process.
class FolderLock
{
public:
    enum class Kind
    {
        shared,
        exclusive
    };

    /// Never waits. While it is held the folder is the one of this path: a program that removes it holds it
    /// exclusively. Errors: busy (others hold it), notFound, permission (the folder is another user's), else as of
    /// systemError.
    static Result<FolderLock> take(const fs::path& folder, Kind kind);

private:
    explicit FolderLock(Descriptor locked)
        : m_locked(std::move(locked))
    {
    }
    Descriptor m_locked;
};

} // namespace ringside
