// SPDX-License-Identifier: MIT
#include "agent/worker/models/normrelurows.h"

#include "core/base/wide.h"

namespace ringside {

namespace {

/// NaN stays NaN.
RINGSIDE_WITHIN float relu(float x)
{
    return x < 0 ? 0.0F : x;
}

RINGSIDE_WITHIN float passedBy(float y, float after)
{
    return y <= 0 ? 0.0F : after;
}

} // namespace

RINGSIDE_WIDE_FUSED void addRows(const float* __restrict x, std::int64_t rows, std::int64_t channels,
                                 float* __restrict sums)
{
    for (std::int64_t row = 0; row < rows; ++row, x += channels)
        for (std::int64_t c = 0; c < channels; ++c)
            sums[c] += x[c];
}

RINGSIDE_WIDE_FUSED void addSquares(const float* __restrict x, const float* __restrict mean, std::int64_t rows,
                                    std::int64_t channels, float* __restrict sums)
{
    for (std::int64_t row = 0; row < rows; ++row, x += channels)
        for (std::int64_t c = 0; c < channels; ++c)
            sums[c] += (x[c] - mean[c]) * (x[c] - mean[c]);
}

RINGSIDE_WIDE_FUSED void writeRelu(const float* __restrict x, const float* __restrict shortcut, const NormFactors& norm,
                                   std::int64_t rows, std::int64_t channels, float* __restrict y)
{
    const float* __restrict a = norm.a, * __restrict b = norm.b;
    for (std::int64_t row = 0; row < rows; ++row, x += channels, y += channels) {
        if (shortcut) {
            for (std::int64_t c = 0; c < channels; ++c)
                y[c] = relu(x[c] * a[c] + b[c] + shortcut[c]);
            shortcut += channels;
        } else {
            for (std::int64_t c = 0; c < channels; ++c)
                y[c] = relu(x[c] * a[c] + b[c]);
        }
    }
}

RINGSIDE_WIDE_FUSED void addPassed(const float* __restrict x, const float* __restrict after, const NormFactors& norm,
                                   std::int64_t rows, std::int64_t channels, float* __restrict sums,
                                   float* __restrict products)
{
    const float* __restrict a = norm.a, * __restrict b = norm.b, * __restrict mean = norm.mean;
    for (std::int64_t row = 0; row < rows; ++row, x += channels, after += channels)
        for (std::int64_t c = 0; c < channels; ++c) {
            const float passed = passedBy(x[c] * a[c] + b[c], after[c]);
            sums[c] += passed;
            products[c] += (x[c] - mean[c]) * passed;
        }
}

RINGSIDE_WIDE_FUSED void writePassed(const float* __restrict x, const float* __restrict after,
                                     const float* __restrict y, const NormFactors& norm, std::int64_t rows,
                                     std::int64_t channels, float* __restrict passed, float* __restrict sums,
                                     float* __restrict products)
{
    const float* __restrict mean = norm.mean;
    for (std::int64_t row = 0; row < rows; ++row, x += channels, y += channels, after += channels, passed += channels)
        for (std::int64_t c = 0; c < channels; ++c) {
            passed[c] = passedBy(y[c], after[c]);
            sums[c] += passed[c];
            products[c] += (x[c] - mean[c]) * passed[c];
        }
}

RINGSIDE_WIDE_FUSED void writeGradient(const float* __restrict x, const float* __restrict passed,
                                       const NormFactors& norm, const float* __restrict meanPassed,
                                       const float* __restrict slope, std::int64_t rows, std::int64_t channels,
                                       float* __restrict gradient)
{
    const float* __restrict mean = norm.mean, * __restrict inverse = norm.inverse, * __restrict scale = norm.scale;
    for (std::int64_t row = 0; row < rows; ++row, x += channels, passed += channels, gradient += channels)
        for (std::int64_t c = 0; c < channels; ++c)
            gradient[c] = (passed[c] - meanPassed[c] - (x[c] - mean[c]) * slope[c]) * inverse[c] * scale[c];
}

RINGSIDE_WIDE_FUSED void writeReluGradient(const float* __restrict x, const float* __restrict after,
                                           const NormFactors& norm, const float* __restrict meanPassed,
                                           const float* __restrict slope, std::int64_t rows, std::int64_t channels,
                                           float* __restrict gradient)
{
    const float* __restrict a = norm.a, * __restrict b = norm.b, * __restrict mean = norm.mean, * __restrict inverse = norm.inverse, * __restrict scale = norm.scale;
    for (std::int64_t row = 0; row < rows; ++row, x += channels, after += channels, gradient += channels)
        for (std::int64_t c = 0; c < channels; ++c) {
            const float passed = passedBy(x[c] * a[c] + b[c], after[c]);
            gradient[c] = (passed - meanPassed[c] - (x[c] - mean[c]) * slope[c]) * inverse[c] * scale[c];
        }
}

} // namespace ringside
