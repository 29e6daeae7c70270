// SPDX-License-Identifier: MIT
// The GPU that a rank computes on. The worker's sources know devices only by libtorch's device-generic interface (c10:
// Device, Stream, Event), so one program serves both: it needs nothing of CUDA to be built or to start, and loads
// libtorch's part for CUDA where a run asks for a GPU.
#pragma once

#include "core/base/error.h"

#include <c10/core/Device.h>

namespace ringside {

/// libtorch_cuda.so beside the libtorch that runs, with all that it needs; about a second the first time. It stays
/// loaded. Call it before anything else of libtorch: that asks once what there is, and never again. Says nothing of
/// GPUs. Fails with notFound where libtorch is one for CPUs, and with unavailable where the part cannot be loaded.
Result<void> loadTorchCuda();

/// The device of this kind that a rank of this place on its host uses. As loadTorchCuda, first of all. Fails as that
/// does, and with unavailable where libtorch finds no such device.
Result<c10::Device> openDevice(c10::DeviceType type, int localRank);

/// As libtorch's switches of these names. No effect on CPUs.
struct MathSwitches
{
    bool tf32 = false;
    bool cudnnBenchmark = false;
};
void setMath(const MathSwitches& math);

} // namespace ringside
