// SPDX-License-Identifier: MIT
// A folder for files that a check needs.
#pragma once

#include "core/base/files.h"

#include <cerrno>
#include <cstdlib>
#include <utility>

namespace ringside {

/// Among the machine's temporary files; removed at the end.
class ScratchFolder
{
public:
    static Result<ScratchFolder> make()
    {
        std::error_code none;
        std::string name = (fs::temp_directory_path(none) / "ringside-selftest-XXXXXX").string();
        if (!::mkdtemp(name.data()))
            return tl::unexpected(systemError("cannot create a folder in", fs::path(name).parent_path(), errno));
        return ScratchFolder(name);
    }
    ScratchFolder(ScratchFolder&& other) noexcept
        : m_path(std::exchange(other.m_path, {}))
    {
    }
    ScratchFolder& operator=(ScratchFolder&&) = delete;
    ~ScratchFolder()
    {
        std::error_code ignored;
        if (!m_path.empty())
            fs::remove_all(m_path, ignored);
    }

    const fs::path& path() const { return m_path; }

private:
    explicit ScratchFolder(fs::path path)
        : m_path(std::move(path))
    {
    }
    fs::path m_path;
};

} // namespace ringside
