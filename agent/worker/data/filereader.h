// SPDX-License-Identifier: MIT
// Whole files, or parts of one, into one reused buffer; from the page cache or past it.
#pragma once

#include "core/base/openfile.h"

#include <vector>

namespace ringside {

/// One object per thread.
class FileReader
{
public:
    static constexpr std::int64_t kLargestFile = 256 << 20; ///< bytes; a larger picture is refused

    /// With `coldCache` the kernel is first asked to drop the pages that are going to be read (posix_fadvise DONTNEED),
    /// so that the read goes to the disk. Limits: pages not yet written, or mapped by a process, stay, as do the
    /// kernel's names and folders, so that opening a file is as quick as ever; caches of the disk, of a file server and
    /// of a hypervisor are not ours to drop. The telemetry's disk counter shows whether it worked.
    explicit FileReader(bool coldCache)
        : m_coldCache(coldCache)
    {
    }

    /// The file's bytes, followed in memory by nothing; valid until the next call. Errors as of OpenFile, and
    /// damaged for an empty or too large file.
    Result<std::span<const std::uint8_t>> read(const fs::path& path);
    /// The same of a part of an open file; damaged, too, where the file ends before.
    Result<std::span<const std::uint8_t>> readPart(const OpenFile& file, std::uint64_t offset, std::uint64_t bytes);

private:
    Result<std::span<const std::uint8_t>> fill(const OpenFile& file, std::uint64_t offset, std::uint64_t bytes);

    bool m_coldCache;
    std::vector<std::uint8_t> m_bytes;
};

} // namespace ringside
