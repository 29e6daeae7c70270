// SPDX-License-Identifier: MIT
// Waits for an exclusive kernel lock within a limit; flock has none of its own.
#pragma once

#include "core/base/descriptor.h"

#include <cerrno>
#include <chrono>
#include <sys/file.h>
#include <thread>

namespace ringside {

/// True if the errno means that a file system has no locks at all: Lustre without flock, NFS without its lock daemon.
inline bool meansNoLocks(int reason)
{
    return reason == ENOSYS || reason == ENOLCK || reason == EOPNOTSUPP;
}

/// Locks an open file; calls `onWait` (a void()) once if others hold it. Returns 0; EWOULDBLOCK if they still do after
/// `limit`; else errno, as of file systems without locks. Blocking.
template <class OnWait> int lockWithin(std::chrono::milliseconds limit, const Descriptor& file, OnWait onWait)
{
    constexpr std::chrono::milliseconds kPause{100};
    const auto until = std::chrono::steady_clock::now() + limit;
    for (bool waits = false; ::flock(file.get(), LOCK_EX | LOCK_NB) != 0; waits = true) {
        if (errno != EINTR && (errno != EWOULDBLOCK || std::chrono::steady_clock::now() >= until))
            return errno;
        if (!waits)
            onWait();
        std::this_thread::sleep_for(kPause);
    }
    return 0;
}

} // namespace ringside
