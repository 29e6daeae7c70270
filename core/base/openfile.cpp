// SPDX-License-Identifier: MIT
#include "agent/worker/data/openfile.h"

#include "core/base/regularfile.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ringside {

Result<OpenFile> OpenFile::open(const fs::path& path)
{
    auto opened = openRegularFile(path, Links::followed);
    if (!opened && opened.error().code == ErrorCode::damaged)
        return fail(ErrorCode::damaged, fmt::format("{} is not a regular file.", path.string()),
                    "Remove it from the data set.");
    if (!opened)
        return tl::unexpected(opened.error());
    struct stat status
    {
    };
    if (fstat(opened->get(), &status) != 0)
        return tl::unexpected(systemError("Cannot read", path, errno));
    return OpenFile(*std::move(opened), path, std::uint64_t(status.st_size));
}

Result<std::size_t> OpenFile::read(std::span<std::uint8_t> bytes, std::uint64_t offset) const
{
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t n = pread(m_file.get(), bytes.data() + done, bytes.size() - done, off_t(offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return tl::unexpected(systemError("Cannot read", m_path, errno));
        if (n == 0)
            break;
        done += std::size_t(n);
    }
    return done;
}

/// Rounds outwards: the kernel does not drop pages that are named only in part.
void OpenFile::dropPages(std::uint64_t offset, std::uint64_t bytes) const
{
    const auto page = std::uint64_t(sysconf(_SC_PAGESIZE));
    const std::uint64_t begin = offset / page * page;
    const std::uint64_t end = (offset + bytes + page - 1) / page * page;
    posix_fadvise(m_file.get(), off_t(begin), off_t(end - begin), POSIX_FADV_DONTNEED);
}

void OpenFile::expectRandomReads() const
{
    posix_fadvise(m_file.get(), 0, 0, POSIX_FADV_RANDOM);
}

} // namespace ringside
