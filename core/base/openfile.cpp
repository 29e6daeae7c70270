// SPDX-License-Identifier: MIT
#include "core/base/openfile.h"

#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace ringside {

Result<OpenFile> OpenFile::open(const fs::path& path, Links links)
{
    TRY_ASSIGN(Descriptor file, openRegularFile(path, links));
    TRY_ASSIGN(const std::uint64_t size, sizeOfFile(file.get(), path));
    return OpenFile(std::move(file), path, size);
}

Result<std::size_t> OpenFile::read(std::span<std::uint8_t> bytes, std::uint64_t offset) const
{
    return fillFrom(m_file.get(), offset, bytes, m_path);
}

Result<std::string> OpenFile::read(std::uint64_t offset, std::size_t limit) const
{
    std::string bytes(limit, '\0');
    TRY_ASSIGN(const std::size_t done, read({reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()}, offset));
    bytes.resize(done);
    return bytes;
}

/// Rounds outwards: the kernel does not drop pages that are named only in part.
void OpenFile::dropPages(std::uint64_t offset, std::uint64_t bytes) const
{
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const std::uint64_t begin = offset / page * page;
    const std::uint64_t end = (offset + bytes + page - 1) / page * page;
    ::posix_fadvise(m_file.get(), static_cast<off_t>(begin), static_cast<off_t>(end - begin), POSIX_FADV_DONTNEED);
}

void OpenFile::expectRandomReads() const
{
    ::posix_fadvise(m_file.get(), 0, 0, POSIX_FADV_RANDOM);
}

} // namespace ringside
