// SPDX-License-Identifier: MIT
#include "agent/worker/runtime/memory.h"

#include "core/base/files.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <malloc.h>

namespace ringside {

namespace {

constexpr auto kUnlimited = std::numeric_limits<std::uint64_t>::max();

std::uint64_t numberIn(const char* path)
{
    const auto text = readFile(path, 4096);
    return text && !text->empty() && (*text)[0] != 'm' ? std::strtoull(text->c_str(), nullptr, 10) : kUnlimited;
}

std::uint64_t hostAvailable()
{
    const auto text = readFile("/proc/meminfo", 1 << 16).value_or("");
    const auto at = text.find("MemAvailable:");
    return at == std::string::npos ? kUnlimited : std::strtoull(text.c_str() + at + 13, nullptr, 10) * 1024;
}

std::uint64_t groupAvailable()
{
    const auto limit = numberIn("/sys/fs/cgroup/memory.max"); // "max" if there is none
    const auto used = numberIn("/sys/fs/cgroup/memory.current");
    if (limit == kUnlimited || used == kUnlimited)
        return kUnlimited;
    return limit > used ? limit - used : 0;
}

} // namespace

void keepFreedMemory()
{
    mallopt(M_MMAP_THRESHOLD, std::numeric_limits<int>::max());
    mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
    mallopt(M_TOP_PAD, 64 << 20);
}

std::uint64_t availableMemoryBytes()
{
    return std::min(hostAvailable(), groupAvailable());
}

} // namespace ringside
