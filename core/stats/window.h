// SPDX-License-Identifier: MIT
// Decides what of a run is measured, and whether that is enough to judge by (STATISTICS.md, 1).
#pragma once

namespace ringside::stats {

/// From the end of a rank's last warm-up iteration to the end of its last iteration.
struct Window
{
    int warmup = 0;     ///< iterations before it
    int iterations = 0; ///< in it: of the rank that has the fewest
    double seconds = 0; ///< of the rank that took the longest
    bool operator==(const Window&) const = default;
};

/// A window below either of these is short: a pause of the machine's, or one slow iteration, changes its rate too much.
inline constexpr double kLeastSeconds = 5;
inline constexpr int kLeastIterations = 30;

constexpr bool isShort(const Window& window)
{
    return window.seconds < kLeastSeconds || window.iterations < kLeastIterations;
}

} // namespace ringside::stats
