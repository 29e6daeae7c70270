// SPDX-License-Identifier: MIT
// Messages that are sent to be timed: zeros, whose sum stays what it is.
#pragma once

#include "agent/worker/device/streams.h"

#include <ATen/ATen.h>

namespace ringside {

/// Floats in the memory of the device, which are there when it returns.
inline at::Tensor zerosOn(c10::Device device, std::uint64_t bytes)
{
    at::Tensor zeros = at::zeros({static_cast<std::int64_t>(bytes / sizeof(float))}, device);
    if (!device.is_cpu())
        c10::impl::getDeviceGuardImpl(device.type())->synchronizeDevice(device.index());
    return zeros;
}

} // namespace ringside
