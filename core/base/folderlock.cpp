// SPDX-License-Identifier: MIT
#include "core/base/folderlock.h"

#include "core/base/words.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ringside {

namespace {

/// Between opening and locking it may have been removed, and made anew by others.
bool isStillAt(const fs::path& path, const struct stat& opened)
{
    struct stat now;
    return ::lstat(path.c_str(), &now) == 0 && now.st_ino == opened.st_ino && now.st_dev == opened.st_dev;
}

tl::unexpected<Error> refuse(const fs::path& folder, int reason)
{
    if (reason == EWOULDBLOCK)
        return tl::unexpected(Error{ErrorCode::busy, Words::tr("{} is in use.", folder.string()), {}});
    return tl::unexpected(systemError(Words::noop("cannot use the folder"), folder, reason));
}

} // namespace

Result<FolderLock> FolderLock::take(const fs::path& folder, Kind kind)
{
    FolderLock lock(Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)));
    struct stat info;
    if (lock.m_locked.get() < 0) // a link, or a file: others made it, and it is not about to go
        return refuse(folder, errno == ENOTDIR || errno == ELOOP ? EACCES : errno);
    if (::fstat(lock.m_locked.get(), &info) != 0)
        return refuse(folder, errno);
    if (info.st_uid != ::geteuid())
        return refuse(folder, EACCES);
    if (::flock(lock.m_locked.get(), (kind == Kind::shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0)
        return refuse(folder, errno);
    if (!isStillAt(folder, info))
        return refuse(folder, ENOENT);
    return lock;
}

} // namespace ringside
