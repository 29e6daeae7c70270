// SPDX-License-Identifier: MIT
// What is still to be written when a disk is full waits for room: people free some, or other files go.
#pragma once

#include "core/base/error.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace ringside {

/// How long; whoever waits for one that waits gives it as much.
inline constexpr std::chrono::milliseconds kDiskFullPatience{60'000};

/// Calls `write` (a Result<void>()) again as long as it fails for want of space, until `limit` is over. Blocking.
template <class Write> Result<void> retryWhileDiskFull(std::chrono::milliseconds limit, Write write)
{
    constexpr std::chrono::milliseconds kPause{200};
    const auto until = std::chrono::steady_clock::now() + limit;
    for (;;) {
        const Result<void> written = write();
        const bool isFull = !written && written.error().code == ErrorCode::noSpace;
        if (!isFull || std::chrono::steady_clock::now() >= until)
            return written;
        std::this_thread::sleep_for(std::min(limit, kPause));
    }
}

} // namespace ringside
