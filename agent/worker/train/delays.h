// SPDX-License-Identifier: MIT
// Artificial delays around the parts of a training, by which tests prove that each phase measures what its name says.
#pragma once

#include "agent/worker/train/parts.h"

#include <string>
#include <vector>

namespace ringside {

/// By texts such as "hook=20": place and milliseconds (up to 600,000). Each time, or by "hook=20@7" only the eighth
/// time, or by "hook=20%" every second time, the first one without. Delays of one place follow each other. Without a
/// text the parts are as they are.
///
/// | place      | when |
/// | decode     | on the decode thread, before the first picture of a batch; counts as decoding |
/// | copy       | while the compute thread copies the batch |
/// | forward    | before the first layer computes |
/// | hook       | in a gradient hook of the first layer, whose gradient is the last |
/// | all-reduce | on the communication thread, before the last message of an iteration |
/// | optimizer  | in the update |
/// | the name of any other phase, as in phase.h | on the compute thread, once it has entered that phase in an iteration
/// |
Result<PartMakers> partsWith(const std::vector<std::string>& delays);

/// Calls `pause` before the last message of an iteration.
std::unique_ptr<Carrier> delayed(std::unique_ptr<Carrier> carrier, std::size_t units, std::function<void()> pause);

} // namespace ringside
