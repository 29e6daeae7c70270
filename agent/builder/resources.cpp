// SPDX-License-Identifier: MIT
#include "agent/builder/resources.h"

#include "core/base/text.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <optional>
#include <sched.h>
#include <sstream>
#include <sys/statvfs.h>
#include <unistd.h>

namespace ringside::builder {

namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

/// The folder of our control group under `controller` ("" is version 2); empty if there is none.
fs::path controlGroup(const std::string& controller)
{
    std::istringstream lines(readFile("/proc/self/cgroup", 1u << 20).value_or(""));
    for (std::string line; std::getline(lines, line);) {
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (second == std::string::npos || line.substr(first + 1, second - first - 1) != controller)
            continue;
        return fs::path("/sys/fs/cgroup" + (controller.empty() ? "" : "/" + controller) + line.substr(second + 1));
    }
    return {};
}

/// "max", and what version 1 says for it, is unlimited.
std::uint64_t numberIn(const fs::path& file, std::uint64_t otherwise)
{
    const auto text = readFile(file, 4096);
    char* end = nullptr;
    const std::uint64_t number = text ? std::strtoull(text->c_str(), &end, 10) : 0;
    return text && end != text->c_str() ? number : otherwise;
}

std::uint64_t leftBelow(const fs::path& limit, const fs::path& use)
{
    const std::uint64_t bytes = numberIn(limit, kUnlimited);
    return bytes == kUnlimited ? kUnlimited : bytes - std::min(bytes, numberIn(use, 0));
}

std::uint64_t groupMemory()
{
    const fs::path two = controlGroup("");
    const fs::path one = controlGroup("memory");
    return std::min(leftBelow(two / "memory.max", two / "memory.current"),
                    leftBelow(one / "memory.limit_in_bytes", one / "memory.usage_in_bytes"));
}

/// "200000 100000": microseconds in each period.
int groupCores()
{
    std::istringstream text(readFile(controlGroup("") / "cpu.max", 4096).value_or("max 1"));
    double quota = 0;
    double period = 0;
    return text >> quota >> period && period > 0 ? std::max(1, static_cast<int>(quota / period)) : 1 << 20;
}

std::uint64_t availableMemory()
{
    const std::string text = readFile("/proc/meminfo", 1u << 20).value_or("");
    const std::string key = "MemAvailable:";
    const auto at = text.find(key);
    return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at + key.size(), nullptr, 10) * 1024;
}

} // namespace

int jobsFor(int cores, std::uint64_t freeBytes)
{
    const auto byMemory = static_cast<int>(std::min<std::uint64_t>(freeBytes / kBytesPerJob, kMaxJobs));
    return std::clamp(std::min(cores, byMemory), 1, kMaxJobs);
}

int usableCores()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    const bool known = ::sched_getaffinity(0, sizeof set, &set) == 0;
    const int cores = known ? CPU_COUNT(&set) : static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
    return std::min(cores, groupCores());
}

std::uint64_t freeMemory()
{
    return std::min(availableMemory(), groupMemory());
}

Result<void> checkSpace(const fs::path& folder, std::uint64_t bytes, const std::string& what, const std::string& hint)
{
    struct statvfs info;
    if (::statvfs(folder.c_str(), &info) != 0)
        return tl::unexpected(systemError("cannot look at", folder, errno));
    const std::uint64_t there = std::uint64_t{info.f_bavail} * info.f_frsize;
    if (there < bytes)
        return fail(ErrorCode::noSpace,
                    fmt::format("{} needs {} in {}, which has {} of free space.", what, humanBytes(bytes),
                                folder.string(), humanBytes(there)),
                    hint);
    return {};
}

} // namespace ringside::builder
