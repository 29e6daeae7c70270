// SPDX-License-Identifier: MIT
// Artificial delays, by which tests prove that each phase measures what its name says.
#pragma once

#include "core/base/error.h"

#include <functional>
#include <string>
#include <vector>

namespace ringside {

/// A function that lasts for some time and does nothing; empty where there is no delay.
using Delay = std::function<void()>;

struct Delays
{
    Delay decode;    ///< on the decode thread, once per batch
    Delay copy;      ///< while the compute thread copies the batch
    Delay forward;   ///< before the first layer computes
    Delay hook;      ///< in the gradient hook that completes the last bucket
    Delay allReduce; ///< on the communication thread, before the last bucket's all-reduce
    Delay optimizer; ///< in the update
};

/// From texts such as "hook=20": place and milliseconds (up to 600,000). Each time, or by "hook=20@7" only the eighth
/// time, or by "hook=20%" every second time, the first one without.
Result<Delays> parseDelays(const std::vector<std::string>& texts);

} // namespace ringside
