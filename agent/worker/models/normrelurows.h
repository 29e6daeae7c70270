// SPDX-License-Identifier: MIT
// The loops of normrelu.h over rows of one number a channel, in libtorch's channels_last order. Their terms are added
// and rounded as libtorch's batch norm does it. No two arrays overlap. Any thread.
#pragma once

#include <cstdint>

namespace ringside {

/// Pointers to numbers of each channel.
struct NormFactors
{
    const float *mean, *inverse; ///< of the batch: its mean, and one over its standard deviation
    const float *a, *b;          ///< norm(x) = a · x + b
    const float* scale;
};

/// Sums over rows, of each channel.
void addRows(const float* x, std::int64_t rows, std::int64_t channels, float* sums);
void addSquares(const float* x, const float* mean, std::int64_t rows, std::int64_t channels, float* sums);

/// y = max(0, norm(x) + shortcut), whose shortcut may be null.
void writeRelu(const float* x, const float* shortcut, const NormFactors& norm, std::int64_t rows, std::int64_t channels,
               float* y);

/// Adds up the gradients behind ReLU that it lets pass, and their products with what x is apart from its mean.
void addPassed(const float* x, const float* after, const NormFactors& norm, std::int64_t rows, std::int64_t channels,
               float* sums, float* products);
/// The same where a shortcut was added: y says what passed, and the shortcut needs it.
void writePassed(const float* x, const float* after, const float* y, const NormFactors& norm, std::int64_t rows,
                 std::int64_t channels, float* passed, float* sums, float* products);

/// The gradient by x: (passed - meanPassed - (x - mean) · slope) · inverse · scale
void writeGradient(const float* x, const float* passed, const NormFactors& norm, const float* meanPassed,
                   const float* slope, std::int64_t rows, std::int64_t channels, float* gradient);
/// The same of gradients that have to pass ReLU yet.
void writeReluGradient(const float* x, const float* after, const NormFactors& norm, const float* meanPassed,
                       const float* slope, std::int64_t rows, std::int64_t channels, float* gradient);

} // namespace ringside
