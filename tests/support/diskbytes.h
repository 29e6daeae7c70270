// SPDX-License-Identifier: MIT
#pragma once

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace ringside::test {

/// Bytes that this process had read from a disk so far; -1 where the kernel does not count them.
inline long long diskBytes()
{
    std::ifstream file("/proc/self/io");
    for (std::string key; file >> key;) {
        long long value = 0;
        file >> value;
        if (key == "read_bytes:")
            return value;
    }
    return -1;
}

/// Returns whether a file's pages can be dropped there, and the kernel then counts what it reads again: by means of
/// this function's own, so that tests of a cold cache are left out only where there can be none.
inline bool hasColdReads(const std::filesystem::path& folder)
{
    constexpr std::size_t bytes = 1 << 20;
    const auto path = folder / "cold-or-not";
    std::ofstream(path) << std::string(bytes, 'x');
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    fsync(file);
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    const long long before = diskBytes();
    std::string content(bytes, '\0');
    const bool isRead = pread(file, content.data(), bytes, 0) == static_cast<ssize_t>(bytes);
    const long long after = diskBytes();
    close(file);
    std::filesystem::remove(path);
    return isRead && before >= 0 && after - before >= static_cast<long long>(bytes);
}

} // namespace ringside::test
