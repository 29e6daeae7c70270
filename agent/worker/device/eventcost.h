// SPDX-License-Identifier: MIT
// Measures the compute thread's cost of recording an event, so that the cost of measuring can be stated: on a device
// each stamp records one.
#pragma once

#include <c10/core/Device.h>

namespace ringside {

/// Mean over a thousand in a row on the current stream. It excludes what the stream itself loses by an event: it passes
/// them as fast as they come. Waits for the device.
double measureNsPerEvent(c10::Device device);

} // namespace ringside
