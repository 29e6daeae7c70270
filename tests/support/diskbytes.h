// SPDX-License-Identifier: MIT
#pragma once

#include <fstream>
#include <string>

namespace ringside::test {

/// Bytes that this process had read from a disk so far; -1 where the kernel does not tell.
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

} // namespace ringside::test
