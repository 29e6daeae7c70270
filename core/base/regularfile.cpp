// SPDX-License-Identifier: MIT
#include "core/base/regularfile.h"

#include "core/base/words.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ringside {

namespace {

tl::unexpected<Error> refused(const fs::path& path, const std::string& why)
{
    return fail(ErrorCode::damaged, Words::tr("{} {}, and is not read.", path.string(), why),
                Words::tr("Something else has put it there. Move it away."));
}

std::uint64_t sizeOf(int fd)
{
    struct stat info;
    return ::fstat(fd, &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

/// The file may grow while it is read; what is behind `size` is left for the next time.
Result<std::string> readWhole(int fd, const fs::path& path, std::uint64_t size)
{
    std::string content(size, '\0');
    std::size_t filled = 0;
    while (filled < content.size()) {
        const ssize_t n = ::read(fd, content.data() + filled, content.size() - filled);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return tl::unexpected(systemError(Words::noop("cannot read"), path, errno));
        if (n == 0)
            break;
        filled += static_cast<std::size_t>(n);
    }
    content.resize(filled);
    return content;
}

} // namespace

Result<Descriptor> openRegularFile(const fs::path& path, Links links)
{
    const int follow = links == Links::followed ? 0 : O_NOFOLLOW;
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | follow));
    if (file.get() < 0 && errno == ELOOP && links == Links::refused)
        return refused(path, Words::tr("is a link"));
    if (file.get() < 0)
        return tl::unexpected(systemError(Words::noop("cannot read"), path, errno));
    struct stat info;
    if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))
        return refused(path, Words::tr("is no regular file"));
    return file;
}

/// A file system that does not report holes counts as one without.
std::uint64_t endOfData(int fd, std::uint64_t offset)
{
    const std::uint64_t size = sizeOf(fd);
    const off_t hole = offset < size ? ::lseek(fd, static_cast<off_t>(offset), SEEK_HOLE) : -1;
    return hole < 0 ? size : std::min(size, static_cast<std::uint64_t>(hole));
}

bool isHole(int fd, std::uint64_t offset)
{
    return offset < sizeOf(fd) && endOfData(fd, offset) == offset;
}

Result<std::string> readRegularFile(const fs::path& path, std::uint64_t limit)
{
    TRY_ASSIGN(const Descriptor file, openRegularFile(path));
    const std::uint64_t size = sizeOf(file.get());
    if (size > limit)
        return refused(path, Words::tr("is longer than {} bytes", limit));
    if (endOfData(file.get(), 0) < size)
        return refused(path, Words::tr("has holes in which nothing was ever written"));
    ::lseek(file.get(), 0, SEEK_SET);
    return readWhole(file.get(), path, size);
}

} // namespace ringside
