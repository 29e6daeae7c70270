// SPDX-License-Identifier: MIT
// The runner's time limits. Every limit has its unit in its type and its reason beside it.
#pragma once

#include "core/base/retrywhilediskfull.h"
#include "core/protocol/plan.h"

#include <chrono>

namespace ringside::runner {

using std::chrono::milliseconds;

struct Limits
{
    /// Control files, heartbeats and the clock are looked at this often; a child's end is seen at once.
    milliseconds look{1'000};
    /// Without a new spool block for so long a rank is lost: ten missed heartbeats of 2 s.
    milliseconds silence{20'000};
    /// Until the first iteration is done: the set-up of the model, of libraries and of GPUs.
    milliseconds startUp{900'000};
    /// The same where pictures are first written, packed, copied to nodes or read into the cache: 1 TB at 140 MB/s.
    milliseconds preparing{7'200'000};
    /// After the last rank's end, on other nodes: a million files are removed.
    milliseconds removing{300'000};
    /// Heartbeats without progress for so long, or for ten median iterations if that is longer: hung. A plan may say
    /// another time.
    milliseconds hung = std::chrono::seconds(kHungAfterSeconds);
    /// For the others: until processes have met, from the first rank's report to the last one's, and from the ranks'
    /// end to that of what helps them.
    milliseconds others{60'000};
    /// From SIGTERM to SIGKILL: an iteration, and the flush of the spool.
    milliseconds grace{10'000};
    /// The same after a rank was lost. 20 s of silence, a look and this stay below the 30 s that the documentation
    /// promises.
    milliseconds lostGrace{5'000};
    /// From SIGKILL until a process that is still there is no longer waited for: a file system or a device that does
    /// not answer holds it in the kernel.
    milliseconds dying{30'000};
    /// The disk may be full for so long before the runner gives up with its journal, and a system's guard with facts.
    milliseconds journal{kDiskFullPatience};
    /// From the start of a runner's process until the campaign is its own: that patience, and a busy machine.
    milliseconds claim{90'000};

    /// The same for runs of a plan that says after how many seconds one is hung.
    Limits hungAfter(std::chrono::seconds limit) const;
    /// All of them times `factor`.
    Limits scaled(double factor) const;
    /// Those of RINGSIDE_TEST_TIME_SCALE (0.001 to 1), which exists for tests; without it, the limits above.
    static Limits fromEnvironment();
};

/// Iterations without progress before a rank counts as hung.
inline constexpr int kHungIterations = 10;
/// The number of times that one run is begun again after its runner died, all in one campaign.
inline constexpr int kMaxLostAttempts = 3;

} // namespace ringside::runner
