// SPDX-License-Identifier: MIT
#include "core/base/closefiles.h"

#include <cstdlib>
#include <dirent.h>
#include <unistd.h>
#include <vector>

namespace ringside {

namespace {

/// False where it cannot be looked.
bool closeThoseOpen(int first)
{
    DIR* folder = ::opendir("/proc/self/fd");
    if (!folder)
        return false;
    std::vector<int> open;
    while (const dirent* entry = ::readdir(folder))
        if (const int fd = std::atoi(entry->d_name); fd >= first && fd != ::dirfd(folder))
            open.push_back(fd);
    ::closedir(folder);
    for (const int fd : open)
        ::close(fd);
    return true;
}

} // namespace

void closeFilesFrom(int first)
{
    if (::close_range(static_cast<unsigned>(first), ~0u, 0) == 0 || closeThoseOpen(first))
        return;
    for (long fd = first, end = ::sysconf(_SC_OPEN_MAX); fd < end; ++fd)
        ::close(static_cast<int>(fd));
}

} // namespace ringside
