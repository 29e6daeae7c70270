// SPDX-License-Identifier: MIT
// Batch norm, the sum with a shortcut where there is one, and ReLU as one operation. On CPUs these wait for memory:
// libtorch's operations and their gradients read or write a layer's numbers 14 times, with a shortcut 17 times; this
// one 9 and 12 times.
#pragma once

#include <ATen/core/Tensor.h>

namespace ringside {

/// S. Ioffe and C. Szegedy, arXiv:1502.03167: over the batch and the places of a picture, with ε beside the variance.
struct BatchNorm
{
    at::Tensor scale, shift;                 ///< parameters, one number a channel
    at::Tensor runningMean, runningVariance; ///< brought up to date by each pass; the variance is the unbiased one
    double momentum = 0.1;                   ///< share of this batch in them; torch.nn.BatchNorm2d's default, as ε
    double epsilon = 1e-5;
};

/// Normalises a batch n × channels × height × width, by libtorch.
at::Tensor norm(const at::Tensor& x, const BatchNorm& batchNorm);

/// max(0, norm(x) + shortcut) of a batch n × channels × height × width; an undefined shortcut is none. Has gradients by
/// x, scale, shift and shortcut. In fp32, in channels_last order and on a CPU it is one operation; else libtorch's
/// ones. Where both are compiled for the same processor, each bit is the same. Leaves x and shortcut as they are.
at::Tensor normRelu(const at::Tensor& x, const BatchNorm& batchNorm, const at::Tensor& shortcut = {});

} // namespace ringside
