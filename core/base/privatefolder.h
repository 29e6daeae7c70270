// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/files.h"
#include "core/base/ids.h"
#include "core/base/words.h"

#include <utility>

namespace ringside {

/// A folder that goes with its owner, and all that is in it.
class PrivateFolder
{
public:
    /// Below that for temporary files.
    PrivateFolder()
    {
        std::error_code none; // make() says so
        if (const fs::path all = fs::temp_directory_path(none); !none)
            m_path = all / ("ringside-" + randomUuid());
    }
    explicit PrivateFolder(fs::path path)
        : m_path(std::move(path))
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
    Result<void> make() const
    {
        if (m_path.empty())
            return fail(ErrorCode::io, Words::tr("There is no folder for temporary files: TMPDIR names none."),
                        Words::tr("Set TMPDIR to a folder that you may write to, or clear it."));
        return makePrivateFolder(m_path);
    }
    const fs::path& path() const { return m_path; }

private:
    fs::path m_path;
};

} // namespace ringside
