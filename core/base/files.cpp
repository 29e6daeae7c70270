// SPDX-License-Identifier: MIT
#include "core/base/files.h"

#include "core/base/descriptor.h"
#include "core/base/environment.h"
#include "core/base/ids.h"
#include "core/base/sharedfile.h"
#include "core/base/text.h"
#include "core/base/words.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ringside {

namespace {

ErrorCode codeOf(int errnoValue)
{
    switch (errnoValue) {
    case ENOENT:
    case ENOTDIR:
        return ErrorCode::notFound;
    case EEXIST:
        return ErrorCode::exists;
    case EACCES:
    case EPERM:
    case EROFS:
        return ErrorCode::permission;
    case ENOSPC:
    case EDQUOT:
        return ErrorCode::noSpace;
    default:
        return ErrorCode::io;
    }
}

/// Fits reading and writing, files and folders: who fails knows no more than the call's errno.
const char* hintFor(int errnoValue)
{
    switch (errnoValue) {
    case ENOENT:
        return Words::noop("Check the path: each folder in it has to exist.");
    case ENOTDIR:
        return Words::noop("A part of this path is a file; name a folder.");
    case EISDIR:
        return Words::noop("Name a file, not a folder.");
    case EEXIST:
        return Words::noop("Choose another name.");
    case EACCES:
    case EPERM:
        return Words::noop("Choose a place that you have access to, or change its permissions.");
    case EROFS:
        return Words::noop("Choose a folder that you may write to.");
    case ENOSPC:
    case EDQUOT:
        return Words::noop("Free some space or choose another folder.");
    case ENAMETOOLONG:
        return Words::noop("Choose a shorter name.");
    case EMFILE:
    case ENFILE:
        return Words::noop("Close other programs, or allow more open files (ulimit -n).");
    default:
        return Words::noop("Try again; if it fails again, check the disk (dmesg says what it reports).");
    }
}

Result<void> writeAll(int fd, std::string_view bytes, const fs::path& path)
{
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return tl::unexpected(systemError(Words::noop("cannot write"), path, errno));
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return {};
}

Result<void> writeDurably(const fs::path& path, std::string_view bytes, mode_t mode)
{
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (file.get() < 0)
        return tl::unexpected(systemError(Words::noop("cannot create"), path, errno));
    TRY(writeAll(file.get(), bytes, path));
    if (::fsync(file.get()) != 0)
        return tl::unexpected(systemError(Words::noop("cannot flush"), path, errno));
    return {};
}

/// Neither a pipe, whose reader waits for its writer, nor a disk counts as a file.
Result<void> refusePipeOrDisk(int fd, const fs::path& path)
{
    struct stat info;
    if (::fstat(fd, &info) == 0 && (S_ISFIFO(info.st_mode) || S_ISBLK(info.st_mode)))
        return fail(ErrorCode::damaged, Words::tr("{} is a pipe or a device, and is not read.", path.string()),
                    Words::tr("Name a file that has the text in it."));
    return {};
}

/// Ringside's own below the folder that the variable names, else below that one of the home. A relative path counts as
/// unset (XDG Base Directory Specification, of its variables): runs, whose working folders are others, would look
/// elsewhere.
Result<fs::path> ownFolder(const char* variable, const char* belowHome)
{
    if (const char* base = environment(variable); base && fs::path(base).is_absolute())
        return fs::path(base) / "ringside";
    if (const char* home = environment("HOME"); home && fs::path(home).is_absolute())
        return fs::path(home) / belowHome / "ringside";
    return fail(ErrorCode::unavailable,
                Words::tr("There is no home folder: neither HOME nor {} names a folder from / on.", variable),
                Words::tr("Set HOME to a folder that you may write to."));
}

} // namespace

std::int64_t modifiedNs(const fs::path& path)
{
    struct stat info;
    return ::stat(path.c_str(), &info) == 0 ? std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec
                                            : 0;
}

Error systemError(std::string_view what, const fs::path& path, int errnoValue)
{
    //: what failed ("cannot read"), a path, the system's reason
    std::string message =
        Words::tr("{} {}: {}.", Words::translated(what), plainText(path.string()), std::strerror(errnoValue));
    return Error{codeOf(errnoValue), std::move(message), Words::translated(hintFor(errnoValue))};
}

Result<std::string> readFile(const fs::path& path, std::uint64_t limit)
{
    // Opening a pipe would wait for its writer, too.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (file.get() < 0)
        return tl::unexpected(systemError(Words::noop("cannot read"), path, errno));
    TRY(refusePipeOrDisk(file.get(), path));
    std::string content;
    char buffer[1 << 16];
    for (;;) {
        const ssize_t n = ::read(file.get(), buffer, sizeof buffer);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return tl::unexpected(systemError(Words::noop("cannot read"), path, errno));
        if (n == 0)
            return content;
        content.append(buffer, static_cast<std::size_t>(n));
        if (content.size() > limit)
            return fail(ErrorCode::damaged, Words::tr("{} is longer than {} bytes.", path.string(), limit),
                        Words::tr("Check that it is the file you mean."));
    }
}

namespace {

Result<void> writeAtomically(const fs::path& path, std::string_view bytes, mode_t mode)
{
    const fs::path temporary = path.string() + ".tmp-" + randomUuid().substr(0, 8);
    if (auto written = writeDurably(temporary, bytes, mode); !written) {
        ::unlink(temporary.c_str());
        return written;
    }
    if (::rename(temporary.c_str(), path.c_str()) != 0) {
        const int reason = errno;
        ::unlink(temporary.c_str());
        return tl::unexpected(systemError(Words::noop("cannot write"), path, reason));
    }
    const Descriptor folder(
        ::open(path.has_parent_path() ? path.parent_path().c_str() : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.get() >= 0)
        ::fsync(folder.get()); // best effort: some network file systems refuse it
    return {};
}

} // namespace

Result<void> writeFileAtomically(const fs::path& path, std::string_view bytes)
{
    return writeAtomically(path, bytes, 0600);
}

Result<void> writeSharedFile(const fs::path& path, std::string_view bytes)
{
    return writeAtomically(path, bytes, 0666);
}

bool isThere(const fs::path& path)
{
    std::error_code ignored;
    return fs::exists(path, ignored);
}

Result<void> makePrivateFolder(const fs::path& path)
{
    if (path.empty())
        return {};
    struct stat info;
    if (::stat(path.c_str(), &info) == 0) {
        if (S_ISDIR(info.st_mode))
            return {};
        return tl::unexpected(systemError(Words::noop("cannot use as a folder"), path, ENOTDIR));
    }
    if (path.has_parent_path() && path.parent_path() != path)
        TRY(makePrivateFolder(path.parent_path()));
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
        return tl::unexpected(systemError(Words::noop("cannot create the folder"), path, errno));
    return {};
}

Result<fs::path> programFolder()
{
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (error)
        return fail(ErrorCode::unavailable, Words::tr("Cannot find out where this program is: {}.", error.message()),
                    Words::tr("Mount /proc."));
    return program.parent_path();
}

Result<fs::path> dataFolder()
{
    return ownFolder("XDG_DATA_HOME", ".local/share");
}

Result<fs::path> configFolder()
{
    return ownFolder("XDG_CONFIG_HOME", ".config");
}

Result<fs::path> cacheFolder()
{
    return ownFolder("XDG_CACHE_HOME", ".cache");
}

} // namespace ringside
