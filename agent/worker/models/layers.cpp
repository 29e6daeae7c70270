// SPDX-License-Identifier: MIT
#include "agent/worker/models/layers.h"

#include <cmath>

namespace ringside {

namespace {

constexpr double kNormMomentum = 0.1; // torch.nn.BatchNorm2d's defaults
constexpr double kNormEpsilon = 1e-5;

std::int64_t fanIn(const ConvolutionShape& shape)
{
    return shape.in * shape.kernel * shape.kernel;
}

std::vector<std::int64_t> weightSizes(const ConvolutionShape& shape)
{
    return {shape.out, shape.in, shape.kernel, shape.kernel};
}

at::Tensor convolve(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                    const ConvolutionShape& shape)
{
    return at::conv2d(x, weight, bias, {shape.stride, shape.stride}, {shape.padding, shape.padding});
}

} // namespace

at::Tensor uniformByFanIn(at::IntArrayRef sizes, std::int64_t fanIn)
{
    const double bound = 1 / std::sqrt(static_cast<double>(fanIn));
    return at::empty(sizes).uniform_(-bound, bound);
}

at::Tensor normalByFanOut(at::IntArrayRef sizes, std::int64_t fanOut)
{
    return at::empty(sizes).normal_(0, std::sqrt(2 / static_cast<double>(fanOut)));
}

Convolution::Convolution(Model& model, const std::string& name, const ConvolutionShape& shape)
    : m_shape(shape)
    , m_weight(model.add(name + ".weight", uniformByFanIn(weightSizes(shape), fanIn(shape))))
    , m_bias(model.add(name + ".bias", uniformByFanIn({shape.out}, fanIn(shape))))
{
}

at::Tensor Convolution::operator()(const at::Tensor& x) const
{
    return convolve(x, m_weight, m_bias, m_shape);
}

NormedConvolution::NormedConvolution(Model& model, const std::string& convolution, const std::string& norm,
                                     const ConvolutionShape& shape)
    : m_shape(shape)
    , m_weight(model.add(convolution + ".weight",
                         normalByFanOut(weightSizes(shape), shape.out * shape.kernel * shape.kernel)))
    , m_scale(model.add(norm + ".weight", at::ones({shape.out})))
    , m_shift(model.add(norm + ".bias", at::zeros({shape.out})))
    , m_runningMean(at::zeros({shape.out}))
    , m_runningVariance(at::ones({shape.out}))
{
}

at::Tensor NormedConvolution::operator()(const at::Tensor& x) const
{
    constexpr bool training = true;
    constexpr bool cudnn = true;
    return at::batch_norm(convolve(x, m_weight, {}, m_shape), m_scale, m_shift, m_runningMean, m_runningVariance,
                          training, kNormMomentum, kNormEpsilon, cudnn);
}

Linear::Linear(Model& model, const std::string& name, std::int64_t in, std::int64_t out)
    : m_weight(model.add(name + ".weight", uniformByFanIn({out, in}, in)))
    , m_bias(model.add(name + ".bias", uniformByFanIn({out}, in)))
{
}

at::Tensor Linear::operator()(const at::Tensor& x) const
{
    return at::linear(x, m_weight, m_bias);
}

at::Tensor maxPool(const at::Tensor& x, std::int64_t kernel, std::int64_t stride, std::int64_t padding)
{
    return at::max_pool2d(x, {kernel, kernel}, {stride, stride}, {padding, padding});
}

} // namespace ringside
