// SPDX-License-Identifier: MIT
// Waits with a write while a disk is full: people free some room, or other files go.
#pragma once

#include "core/base/error.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace ringside {

/// Time limit; a caller that waits for such a write allows as much.
inline constexpr std::chrono::milliseconds kDiskFullPatience{60'000};

/// Calls `write` (a Result<T>()) again as long as it fails for want of space, until `limit` is over. Returns what it
/// returned last. Blocking.
template <class Write> auto retryWhileDiskFull(std::chrono::milliseconds limit, Write write) -> decltype(write())
{
    constexpr std::chrono::milliseconds kPause{200};
    const auto until = std::chrono::steady_clock::now() + limit;
    for (;;) {
        auto written = write();
        const bool isFull = !written && written.error().code == ErrorCode::noSpace;
        if (!isFull || std::chrono::steady_clock::now() >= until)
            return written;
        std::this_thread::sleep_for(std::min(limit, kPause));
    }
}

} // namespace ringside
