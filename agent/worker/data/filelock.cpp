// SPDX-License-Identifier: MIT
#include "agent/worker/data/filelock.h"

#include "core/base/say.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace ringside {

namespace {

constexpr std::chrono::milliseconds kRetry{50}; ///< flock has no limit of its own

} // namespace

FileLock::FileLock(FileLock&& other) noexcept
    : m_file(std::exchange(other.m_file, -1))
    , m_isHeld(other.m_isHeld)
{
}

FileLock::~FileLock()
{
    if (m_file >= 0)
        close(m_file);
}

Result<FileLock> FileLock::acquire(const fs::path& path, std::chrono::seconds limit, const std::string& waiting)
{
    FileLock lock(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (lock.m_file < 0)
        return tl::unexpected(systemError("Cannot write", path, errno));
    const auto deadline = std::chrono::steady_clock::now() + limit;
    for (bool told = false; flock(lock.m_file, LOCK_EX | LOCK_NB) != 0; told = true) {
        if (errno != EWOULDBLOCK && errno != EINTR) { // no locks here
            lock.m_isHeld = false;
            return lock;
        }
        if (std::chrono::steady_clock::now() >= deadline)
            return fail(ErrorCode::timeout,
                        fmt::format("Another process has held {} for {} s.", path.string(), limit.count()),
                        "If it hangs, end it and try again.");
        if (!told)
            sayLine(waiting);
        std::this_thread::sleep_for(kRetry);
    }
    return lock;
}

} // namespace ringside
