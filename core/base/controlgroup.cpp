// SPDX-License-Identifier: MIT
#include "core/base/controlgroup.h"

#include "core/base/files.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <sstream>

namespace ringside {

namespace {

constexpr std::uint64_t kMostBytes = 1u << 20; // of a file of the kernel
constexpr auto kUnlimited = std::numeric_limits<std::uint64_t>::max();

/// Names of the files in a version.
struct MemoryFiles
{
    const char* limit;
    const char* used;
    const char *oldPages, *recentPages; ///< of files; in memory.stat, with those of the groups below
};
constexpr MemoryFiles kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file",
                                "total_active_file"};
constexpr MemoryFiles kVersion2{"memory.max", "memory.current", "inactive_file", "active_file"};

/// Nullopt where there is none: "max".
std::optional<std::uint64_t> numberAt(std::string_view text)
{
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    std::uint64_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

std::optional<std::uint64_t> numberIn(const fs::path& file)
{
    const auto text = readFile(file, kMostBytes);
    return text ? numberAt(*text) : std::nullopt;
}

/// Reads the line that begins with this key.
std::optional<std::uint64_t> numberIn(const fs::path& file, std::string_view key)
{
    const std::string text = '\n' + readFile(file, kMostBytes).value_or("");
    const auto at = text.find(fmt::format("\n{}", key));
    return at == std::string::npos ? std::nullopt : numberAt(std::string_view(text).substr(at + 1 + key.size()));
}

bool contains(std::string_view controllers, std::string_view controller)
{
    return fmt::format(",{},", controllers).find(fmt::format(",{},", controller)) != std::string::npos;
}

/// From the root of the hierarchy, which is the empty path. A line is "4:cpu,cpuacct:/path", of version 2 "0::/path".
std::optional<fs::path> pathOfGroup(std::string_view controller, const KernelFiles& kernel)
{
    std::istringstream lines(readFile(kernel.processes / "self/cgroup", kMostBytes).value_or(""));
    for (std::string line; std::getline(lines, line);) {
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (second != std::string::npos &&
            contains(std::string_view(line).substr(first + 1, second - first - 1), controller))
            return fs::path(line.substr(second + 1)).lexically_normal().relative_path();
    }
    return std::nullopt;
}

/// Above what the group holds.
std::uint64_t leftIn(const fs::path& group, const MemoryFiles& files)
{
    const auto limit = numberIn(group / files.limit);
    const auto used = numberIn(group / files.used);
    if (!limit || !used)
        return kUnlimited;
    std::uint64_t held = *used;
    for (const char* pages : {files.oldPages, files.recentPages})
        held -= std::min(held, numberIn(group / "memory.stat", fmt::format("{} ", pages)).value_or(0));
    return *limit - std::min(held, *limit);
}

std::uint64_t leftInGroups(const KernelFiles& kernel)
{
    const auto old = pathOfGroup("memory", kernel);
    const MemoryFiles& files = old ? kVersion1 : kVersion2;
    const fs::path root = old ? kernel.groups / "memory" : kernel.groups;
    std::uint64_t least = leftIn(root, files);
    for (fs::path path = old ? *old : pathOfGroup(kUnified, kernel).value_or(""); !path.empty();
         path = path.parent_path())
        least = std::min(least, leftIn(root / path, files));
    return least;
}

/// proc(5) states it in kB.
std::optional<std::uint64_t> kilobytesIn(const fs::path& file, std::string_view key)
{
    const auto number = numberIn(file, key);
    return number ? std::optional(*number * 1024) : std::nullopt;
}

} // namespace

fs::path controlGroup(std::string_view controller, const KernelFiles& kernel)
{
    const auto path = pathOfGroup(controller, kernel);
    return path ? kernel.groups / controller / *path : fs::path();
}

std::uint64_t availableMemory(const KernelFiles& kernel)
{
    const auto host = kilobytesIn(kernel.processes / "meminfo", "MemAvailable:");
    return std::min(host.value_or(kUnlimited), leftInGroups(kernel));
}

std::uint64_t ownMemory(const KernelFiles& kernel)
{
    return kilobytesIn(kernel.processes / "self/status", "RssAnon:").value_or(0);
}

} // namespace ringside
