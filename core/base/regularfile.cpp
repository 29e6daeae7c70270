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

Result<std::uint64_t> sizeOfFile(int fd, const fs::path& path)
{
    struct stat info;
    if (::fstat(fd, &info) != 0)
        return tl::unexpected(systemError(Words::noop("cannot read"), path, errno));
    return static_cast<std::uint64_t>(info.st_size);
}

std::uint64_t sizeOfFile(int fd)
{
    return sizeOfFile(fd, {}).value_or(0);
}

Result<std::size_t> fillFrom(int fd, std::uint64_t offset, std::span<std::uint8_t> bytes, const fs::path& path)
{
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t n = ::pread(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return tl::unexpected(systemError(Words::noop("cannot read"), path, errno));
        if (n == 0)
            break;
        done += static_cast<std::size_t>(n);
    }
    return done;
}

/// A file system that does not report holes counts as one without.
std::uint64_t endOfData(int fd, std::uint64_t offset)
{
    const std::uint64_t size = sizeOfFile(fd);
    const off_t hole = offset < size ? ::lseek(fd, static_cast<off_t>(offset), SEEK_HOLE) : -1;
    return hole < 0 ? size : std::min(size, static_cast<std::uint64_t>(hole));
}

bool isHole(int fd, std::uint64_t offset)
{
    return offset < sizeOfFile(fd) && endOfData(fd, offset) == offset;
}

Result<std::string> readRegularFile(const fs::path& path, std::uint64_t limit)
{
    TRY_ASSIGN(const Descriptor file, openRegularFile(path));
    TRY_ASSIGN(const std::uint64_t size, sizeOfFile(file.get(), path));
    if (size > limit)
        return refused(path, Words::tr("is longer than {} bytes", limit));
    if (endOfData(file.get(), 0) < size)
        return refused(path, Words::tr("has holes in which nothing was ever written"));
    std::string content(size, '\0'); // what is written behind it meanwhile is left for the next time
    const std::span bytes(reinterpret_cast<std::uint8_t*>(content.data()), content.size());
    TRY_ASSIGN(const std::size_t filled, fillFrom(file.get(), 0, bytes, path));
    content.resize(filled);
    return content;
}

} // namespace ringside
