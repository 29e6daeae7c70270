// SPDX-License-Identifier: MIT
#include "core/base/closefiles.h"

#include <cstdint>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ringside {

namespace {

/// Since Linux 5.9; a site's C library and headers may be older than its kernel.
bool closeRange([[maybe_unused]] int first)
{
#ifdef SYS_close_range
    return ::syscall(SYS_close_range, static_cast<unsigned>(first), ~0u, 0) == 0;
#else
    return false;
#endif
}

/// As the kernel lays out an entry of a folder (getdents64(2)).
struct Entry
{
    std::uint64_t inode;
    std::int64_t offset;
    std::uint16_t size;
    std::uint8_t type;
    char name[1];
};

/// -1 for "." and "..".
int numberOf(const char* name)
{
    int number = 0;
    for (; *name >= '0' && *name <= '9'; ++name)
        number = number * 10 + (*name - '0');
    return *name == '\0' ? number : -1;
}

/// Not by opendir, which allocates memory. False where it cannot be looked.
bool closeThoseOpen(int first)
{
    const int folder = ::open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return false;
    alignas(Entry) char buffer[4096];
    for (bool found = true; found;) { // from the start again after some were closed: the list has changed
        found = false;
        ::lseek(folder, 0, SEEK_SET);
        for (long size; (size = ::syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0;)
            for (long at = 0; at < size;) {
                const auto* entry = reinterpret_cast<const Entry*>(buffer + at);
                const int fd = numberOf(entry->name);
                if (fd >= first && fd != folder)
                    found = ::close(fd) == 0 || found;
                at += entry->size;
            }
    }
    ::close(folder);
    return true;
}

} // namespace

void closeFilesFrom(int first)
{
    if (closeRange(first) || closeThoseOpen(first))
        return;
    for (long fd = first, end = ::sysconf(_SC_OPEN_MAX); fd < end; ++fd)
        ::close(static_cast<int>(fd));
}

} // namespace ringside
