// SPDX-License-Identifier: MIT
// Measures the cores of one rank; each rate for about the given time. Called on all ranks at once, as they compute in a
// training.
#pragma once

#include <chrono>

namespace ringside {

/// For how long a measurement is repeated.
inline constexpr std::chrono::milliseconds kMeasuring{1'000};

/// Floating-point operations per second of float32 products of 1,024 × 1,024 matrices by libtorch, on its threads; a
/// multiply-add is two.
double gemmRate(std::chrono::milliseconds budget = kMeasuring);

/// Bytes per second read and written while libtorch's threads copy 64 MiB, beyond any cache. Lines that a processor
/// fetches before it overwrites them are not counted.
double memoryRate(std::chrono::milliseconds budget = kMeasuring);

/// Pictures per second that this thread decodes and resizes to 224 pixels: a JPEG of 500 × 375, as most of ImageNet, in
/// memory. 0 without libjpeg-turbo.
double pictureRate(std::chrono::milliseconds budget = kMeasuring);

} // namespace ringside
