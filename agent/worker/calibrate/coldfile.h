// SPDX-License-Identifier: MIT
// One file in a site's data folder that is there to be read at the speed of the disk.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"

#include <chrono>
#include <cstdint>

namespace ringside {

inline constexpr std::uint64_t kColdFileBytes = 32u << 20;
inline constexpr const char* kColdFileName = "calibration-32MiB";

/// Makes the file in `folder` (made, too) unless it is there: numbers that do not compress. Blocking: it is flushed to
/// disk. Its path.
Result<fs::path> provideColdFile(const fs::path& folder);

struct ColdRead
{
    std::uint64_t bytes = 0;
    double seconds = 0;
    double fromStorage = 0; ///< share of the bytes that the kernel fetched for this process (/proc/self/io), 0 to 1
    double bytesPerSecond() const { return seconds > 0 ? static_cast<double>(bytes) / seconds : 0; }
};

/// Reads the file from its beginning for at most `limit`, after the kernel was asked to drop its pages (posix_fadvise
/// DONTNEED), and leaves no pages behind. Caches of the disk, of a file server and of a hypervisor are not ours to
/// drop; on file systems in memory nothing is.
Result<ColdRead> readCold(const fs::path& file, std::chrono::milliseconds limit);

} // namespace ringside
