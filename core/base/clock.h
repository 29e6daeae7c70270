// SPDX-License-Identifier: MIT
// The two clocks. Durations come from the monotonic one only and never cross hosts.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>

namespace ringside {

/// CLOCK_MONOTONIC in nanoseconds.
inline std::int64_t monotonicNs()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

/// CLOCK_REALTIME in nanoseconds since 1970, UTC.
inline std::int64_t wallNs()
{
    timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

/// A limit or a pause, for times of these clocks.
constexpr std::int64_t toNs(std::chrono::nanoseconds duration)
{
    return duration.count();
}

} // namespace ringside
