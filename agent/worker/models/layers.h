// SPDX-License-Identifier: MIT
// Layers over ATen's functions, with torch.nn's initial values. Each registers its parameters with the model that owns
// it. Numbers come from libtorch's CPU generator: at::manual_seed before building a model makes it reproducible.
#pragma once

#include "agent/worker/models/model.h"

namespace ringside {

struct ConvolutionShape
{
    std::int64_t in = 1;
    std::int64_t out = 1;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t padding = 0;
};

/// U(-1/√fanIn, 1/√fanIn): what torch.nn's default for convolutions and linear layers, kaiming_uniform(a = √5), amounts
/// to.
at::Tensor uniformByFanIn(at::IntArrayRef sizes, std::int64_t fanIn);
/// N(0, 2/fanOut): kaiming_normal(mode = fan_out, relu), the ResNets' choice.
at::Tensor normalByFanOut(at::IntArrayRef sizes, std::int64_t fanOut);

/// Square convolution with bias.
class Convolution
{
public:
    Convolution(Model& model, const std::string& name, const ConvolutionShape& shape);
    at::Tensor operator()(const at::Tensor& x) const;

private:
    ConvolutionShape m_shape;
    at::Tensor m_weight;
    at::Tensor m_bias;
};

/// Square convolution without bias, then batch norm over the batch of this rank (as DDP does).
class NormedConvolution
{
public:
    NormedConvolution(Model& model, const std::string& convolution, const std::string& norm,
                      const ConvolutionShape& shape);
    at::Tensor operator()(const at::Tensor& x) const;

private:
    ConvolutionShape m_shape;
    at::Tensor m_weight;
    at::Tensor m_scale;
    at::Tensor m_shift;
    at::Tensor m_runningMean;
    at::Tensor m_runningVariance;
};

class Linear
{
public:
    Linear(Model& model, const std::string& name, std::int64_t in, std::int64_t out);
    at::Tensor operator()(const at::Tensor& x) const;

private:
    at::Tensor m_weight;
    at::Tensor m_bias;
};

at::Tensor maxPool(const at::Tensor& x, std::int64_t kernel, std::int64_t stride, std::int64_t padding = 0);

} // namespace ringside
