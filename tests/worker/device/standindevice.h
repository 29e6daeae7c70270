// SPDX-License-Identifier: MIT
// A stand-in for a GPU, under libtorch's device type HPU, which nothing else uses here: its memory is the host's, and
// it computes by libtorch's CPU kernels. It lets the worker's own code for devices run where no GPU is, and proves
// nothing about CUDA. Like a GPU it does late what is asked of it, on every stream: what an operation or a copy leaves
// is there only when the host waits for an event behind it, or computes with it on the same stream. So who forgets to
// wait finds old numbers. Where the stand-in for CUDA's runtime is in the process, it knows this memory as a device's.
#pragma once

#include "tests/worker/device/standinstreams.h"

#include <c10/core/Device.h>
#include <cstdint>

namespace ringside::test {

/// Once in a process, before anything of libtorch is used.
void installStandInDevice(Pace pace = Pace::late);

/// Returns the bytes that were copied to and from it so far, by libtorch and by CUDA's runtime.
std::uint64_t bytesOverTheBus();

inline constexpr c10::DeviceType kStandIn = c10::kHPU;

} // namespace ringside::test
