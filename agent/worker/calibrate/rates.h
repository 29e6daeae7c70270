// SPDX-License-Identifier: MIT
// What the cores of one rank can do; each about a second. Called on all ranks at once, as they compute in a training.
#pragma once

namespace ringside {

/// Floating-point operations per second of float32 products of 1,024 × 1,024 matrices by libtorch, on its threads; a
/// multiply-add is two.
double gemmRate();

/// Bytes per second read and written while libtorch's threads copy 64 MiB, beyond any cache. What a processor fetches
/// of lines before it overwrites them is not counted.
double memoryRate();

/// Pictures per second that this thread decodes and resizes to 224 pixels: a JPEG of 500 × 375, as most of ImageNet, in
/// memory. 0 without libjpeg-turbo.
double pictureRate();

} // namespace ringside
