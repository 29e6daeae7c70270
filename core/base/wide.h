// SPDX-License-Identifier: MIT
// For loops over many numbers: compiled once more for processors with wider registers. The version that runs is chosen
// when the program starts, before the thread sanitizer can bear it; where compiler or processor know none, there is
// one.
#pragma once

#include <cstddef> // says which C library this is

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&                           \
    !defined(__SANITIZE_THREAD__)
/// Before a function with such a loop, at its definition.
#define RINGSIDE_WIDE [[gnu::target_clones("avx2", "default")]]
/// The same for floating-point numbers, with a · b + c rounded once where the processor can: as libtorch's kernels do.
#define RINGSIDE_WIDE_FUSED [[gnu::target_clones("fma", "default")]]
#else
#define RINGSIDE_WIDE
#define RINGSIDE_WIDE_FUSED
#endif

/// Before what such a function calls inside the loop, so that it is compiled with it.
#define RINGSIDE_WITHIN [[gnu::always_inline]] inline
