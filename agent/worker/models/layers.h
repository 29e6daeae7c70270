// SPDX-License-Identifier: MIT
// Layers over ATen's functions, with torch.nn's initial values. Each registers its parameters with the model that owns
// it, counts its work there, and reports when it begins and ends. Numbers come from libtorch's CPU generator:
// at::manual_seed before building a model makes it reproducible.
#pragma once

#include "agent/worker/models/model.h"
#include "agent/worker/models/normrelu.h"

namespace ringside {

/// The size of a window, or of the padding on each side of a picture. One number stands for a square.
struct Extent
{
    constexpr Extent(std::int64_t both)
        : Extent(both, both)
    {
    }
    constexpr Extent(std::int64_t rows, std::int64_t columns)
        : height(rows)
        , width(columns)
    {
    }

    std::int64_t height;
    std::int64_t width;
};

struct ConvolutionShape
{
    std::int64_t in = 1;
    std::int64_t out = 1;
    Extent kernel = 1;
    std::int64_t stride = 1;
    Extent padding = 0;
};

/// The number of products that an output of a layer sums up, and of outputs in which an input is a factor.
struct Fan
{
    std::int64_t in = 1;
    std::int64_t out = 1;
};

/// Initial numbers of a parameter of these sizes.
using Initial = at::Tensor (*)(at::IntArrayRef sizes, const Fan& fan);

/// U(-1/√in, 1/√in): what torch.nn's default for convolutions and linear layers, kaiming_uniform(a = √5), amounts to.
at::Tensor uniformByFanIn(at::IntArrayRef sizes, const Fan& fan);
/// N(0, 2/out): kaiming_normal(mode = fan_out, relu), the choice of the ResNets and of VGG's convolutions.
at::Tensor normalByFanOut(at::IntArrayRef sizes, const Fan& fan);
/// N(0, 0.01²): the choice of GoogLeNet and of VGG's linear layers.
at::Tensor narrowNormal(at::IntArrayRef sizes, const Fan& fan);
at::Tensor zeros(at::IntArrayRef sizes, const Fan& fan);

/// For a layer with bias.
struct Initials
{
    Initial weight = uniformByFanIn;
    Initial bias = uniformByFanIn;
};

/// Convolution with bias.
class Convolution
{
public:
    Convolution(Model& model, const std::string& name, const ConvolutionShape& shape, const Initials& initials = {});
    at::Tensor operator()(const at::Tensor& x) const;

private:
    Model* m_model;
    std::size_t m_layer;
    ConvolutionShape m_shape;
    at::Tensor m_weight;
    at::Tensor m_bias;
};

/// Settings of batch norm in which networks differ.
struct Norming
{
    Initial weight = normalByFanOut; ///< of the convolution
    double epsilon = 1e-5;           ///< torch.nn.BatchNorm2d's default
};

/// Convolution without bias, then batch norm over the batch of this rank (as DDP does), and ReLU if that follows.
class NormedConvolution
{
public:
    NormedConvolution(Model& model, const std::string& convolution, const std::string& norm,
                      const ConvolutionShape& shape, const Norming& norming = {});
    at::Tensor operator()(const at::Tensor& x) const;
    /// max(0, norm + shortcut); an undefined shortcut is none.
    at::Tensor relu(const at::Tensor& x, const at::Tensor& shortcut = {}) const;

private:
    Model* m_model;
    std::size_t m_layer;
    ConvolutionShape m_shape;
    at::Tensor m_weight;
    BatchNorm m_norm;
};

class Linear
{
public:
    Linear(Model& model, const std::string& name, std::int64_t in, std::int64_t out, const Initials& initials = {});
    at::Tensor operator()(const at::Tensor& x) const;

private:
    Model* m_model;
    std::size_t m_layer;
    at::Tensor m_weight;
    at::Tensor m_bias;
};

/// Treatment of a last window that reaches over the edge of the picture.
enum class Edge
{
    leaveOut,
    include
};

at::Tensor maxPool(const at::Tensor& x, std::int64_t kernel, std::int64_t stride, std::int64_t padding = 0,
                   Edge edge = Edge::leaveOut);
/// Leaves out this share of the numbers; 0 leaves them as they are.
at::Tensor dropout(const at::Tensor& x, double share);

} // namespace ringside
