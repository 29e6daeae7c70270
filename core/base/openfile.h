// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/regularfile.h"

#include <cstdint>
#include <span>
#include <string>

namespace ringside {

/// A regular file that is read here and there. Blocking as a disk is; reading is safe from several threads at once.
/// Errors as of openRegularFile.
class OpenFile
{
public:
    static Result<OpenFile> open(const fs::path& path, Links links = Links::refused);

    const fs::path& path() const { return m_path; }
    std::uint64_t size() const { return m_size; } ///< bytes, when it was opened

    /// Fills `bytes` from `offset` on, by pread; how many it was, fewer where the file ends before.
    Result<std::size_t> read(std::span<std::uint8_t> bytes, std::uint64_t offset) const;
    /// Returns at most `limit` bytes from `offset` on, fewer where the file ends before.
    Result<std::string> read(std::uint64_t offset, std::size_t limit) const;

    /// Asks the kernel to drop the pages of this part, the first and the last of them whole (posix_fadvise DONTNEED).
    void dropPages(std::uint64_t offset, std::uint64_t bytes) const;
    /// Announces reads in no order to the kernel, so that it does not read ahead.
    void expectRandomReads() const;

private:
    OpenFile(Descriptor file, fs::path path, std::uint64_t size)
        : m_file(std::move(file))
        , m_path(std::move(path))
        , m_size(size)
    {
    }

    Descriptor m_file;
    fs::path m_path;
    std::uint64_t m_size;
};

} // namespace ringside
