// SPDX-License-Identifier: MIT
// The control group that this process is in (cgroups(7), of both versions), and what memory it may still have.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace ringside {

/// Folders in which the kernel reports about itself; tests write what other machines reported into folders of their
/// own.
struct KernelFiles
{
    std::filesystem::path processes = "/proc";
    std::filesystem::path groups = "/sys/fs/cgroup";
};

/// The folder of this process's group by a controller of version 1, or by version 2 ("unified"); empty if there is
/// none. Where a container shows the groups from its own downwards, but names them from the host's root, it is not
/// there.
std::filesystem::path controlGroup(std::string_view controller, const KernelFiles& kernel = {});
inline constexpr std::string_view kUnified = "";

/// Bytes that this process may still allocate: MemAvailable of the host, or what its group or one above it leaves,
/// whichever is least. Pages of files that a group holds count as free, as they do in MemAvailable: the kernel drops
/// them before it kills. The greatest number where nothing is known.
std::uint64_t availableMemory(const KernelFiles& kernel = {});

/// Bytes that this process holds itself and shares with none, as its group counts them; 0 where it is not known.
std::uint64_t ownMemory(const KernelFiles& kernel = {});

} // namespace ringside
