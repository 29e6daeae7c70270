// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/files.h"
#include "core/base/ids.h"

namespace ringside {

/// A folder below that for temporary files which goes with its owner, and all that is in it.
class PrivateFolder
{
public:
    PrivateFolder()
        : m_path(fs::temp_directory_path() / ("ringside-" + randomUuid()))
    {
    }
    PrivateFolder(const PrivateFolder&) = delete;
    PrivateFolder& operator=(const PrivateFolder&) = delete;
    ~PrivateFolder()
    {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
    }

    /// To be called once before it is used.
    Result<void> make() const { return makePrivateFolder(m_path); }
    const fs::path& path() const { return m_path; }

private:
    fs::path m_path;
};

} // namespace ringside
