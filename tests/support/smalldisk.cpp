// SPDX-License-Identifier: MIT
#include "tests/support/smalldisk.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <sys/mount.h>

namespace ringside::test {

SmallDisk::SmallDisk(const fs::path& folder, int kib)
    : SmallDisk(folder, fmt::format("size={}k", kib), 0)
{
}

SmallDisk::SmallDisk(const fs::path& folder, const std::string& options, unsigned long flags)
    : m_folder(folder)
{
    if (::mount("tmpfs", folder.c_str(), "tmpfs", flags, options.c_str()) != 0)
        m_problem = std::strerror(errno);
}

SmallDisk::~SmallDisk()
{
    if (m_problem.empty())
        ::umount2(m_folder.c_str(), MNT_DETACH);
}

void SmallDisk::fill()
{
    std::ofstream others(m_folder / "others", std::ios::binary | std::ios::app);
    const std::string page(4096, '\0');
    while (others.write(page.data(), static_cast<std::streamsize>(page.size())).flush())
        ;
}

void SmallDisk::grow()
{
    if (::mount("tmpfs", m_folder.c_str(), "tmpfs", MS_REMOUNT, "size=64m") != 0)
        m_problem = std::strerror(errno);
}

TemporaryPlace::TemporaryPlace(const fs::path& folder)
    : m_before(fs::temp_directory_path())
{
    ::setenv("TMPDIR", folder.c_str(), 1);
}

TemporaryPlace::~TemporaryPlace()
{
    ::setenv("TMPDIR", m_before.c_str(), 1);
}

} // namespace ringside::test
