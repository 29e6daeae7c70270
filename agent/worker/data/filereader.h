// SPDX-License-Identifier: MIT
// Whole files into one reused buffer, from the page cache or past it.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ringside {

/// One object per thread.
class FileReader
{
public:
    static constexpr std::int64_t kLargestFile = 256 << 20; ///< bytes; a larger picture is refused

    /// With `coldCache` the kernel is first asked to drop the file's pages (posix_fadvise DONTNEED), so that the read
    /// goes to the disk. What this cannot do: pages not yet written or mapped by somebody stay; caches of the disk, of
    /// a file server and of a hypervisor are not ours to drop. The telemetry's disk counter shows whether it worked.
    explicit FileReader(bool coldCache)
        : m_coldCache(coldCache)
    {
    }

    /// The file's bytes, followed in memory by nothing; valid until the next call. Errors as of systemError, and
    /// damaged for an empty or too large file.
    Result<std::span<const std::uint8_t>> read(const fs::path& path);

private:
    bool m_coldCache;
    std::vector<std::uint8_t> m_bytes;
};

} // namespace ringside
