// SPDX-License-Identifier: MIT
// Measures the GPU of one rank; each rate for about the given time. Called on all ranks at once, as they compute in a
// training. Timed by events of the device, with so much work enqueued between them that launching it does not count.
#pragma once

#include "agent/worker/calibrate/rates.h"

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

namespace ringside {

/// Floating-point operations per second of products of square matrices; a multiply-add is two. Matrices have 1,024
/// rows, doubled until a product takes a millisecond, 8,192 at most. `tf32`: whether factors of float32 may be rounded
/// to it; a GPU without it computes as without.
double deviceGemmRate(c10::Device device, c10::ScalarType type, bool tf32,
                      std::chrono::milliseconds budget = kMeasuring);

/// Bytes per second read and written while 256 MiB of the device's memory are copied to another place of it: each byte
/// counts twice.
double deviceMemoryRate(c10::Device device, std::chrono::milliseconds budget = kMeasuring);

/// Bytes per second from page-locked memory of the host to the device, 64 MiB at a time; and back.
double toDeviceRate(c10::Device device, std::chrono::milliseconds budget = kMeasuring);
double toHostRate(c10::Device device, std::chrono::milliseconds budget = kMeasuring);

} // namespace ringside
