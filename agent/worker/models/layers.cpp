// SPDX-License-Identifier: MIT
#include "agent/worker/models/layers.h"

#include <cmath>

namespace ringside {

namespace {

constexpr double kNarrowDeviation = 0.01;

Fan fanOf(const ConvolutionShape& shape)
{
    const auto window = shape.kernel.height * shape.kernel.width;
    return {shape.in * window, shape.out * window};
}

std::vector<std::int64_t> weightSizes(const ConvolutionShape& shape)
{
    return {shape.out, shape.in, shape.kernel.height, shape.kernel.width};
}

at::Tensor convolve(Model& model, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                    const ConvolutionShape& shape)
{
    auto y = at::conv2d(x, weight, bias, {shape.stride, shape.stride}, {shape.padding.height, shape.padding.width});
    model.count(y, fanOf(shape).in, x);
    return y;
}

} // namespace

at::Tensor uniformByFanIn(at::IntArrayRef sizes, const Fan& fan)
{
    const double bound = 1 / std::sqrt(static_cast<double>(fan.in));
    return at::empty(sizes).uniform_(-bound, bound);
}

at::Tensor normalByFanOut(at::IntArrayRef sizes, const Fan& fan)
{
    return at::empty(sizes).normal_(0, std::sqrt(2 / static_cast<double>(fan.out)));
}

at::Tensor narrowNormal(at::IntArrayRef sizes, const Fan&)
{
    return at::empty(sizes).normal_(0, kNarrowDeviation);
}

at::Tensor zeros(at::IntArrayRef sizes, const Fan&)
{
    return at::zeros(sizes);
}

Convolution::Convolution(Model& model, const std::string& name, const ConvolutionShape& shape, const Initials& initials)
    : m_model(&model)
    , m_layer(model.beginLayer(name))
    , m_shape(shape)
    , m_weight(model.add(name + ".weight", initials.weight(weightSizes(shape), fanOf(shape))))
    , m_bias(model.add(name + ".bias", initials.bias({shape.out}, fanOf(shape))))
{
}

at::Tensor Convolution::operator()(const at::Tensor& x) const
{
    m_model->enter(m_layer);
    auto y = convolve(*m_model, x, m_weight, m_bias, m_shape);
    m_model->leave(m_layer, y, y);
    return y;
}

NormedConvolution::NormedConvolution(Model& model, const std::string& convolution, const std::string& norm,
                                     const ConvolutionShape& shape, const Norming& norming)
    : m_model(&model)
    , m_layer(model.beginLayer(convolution))
    , m_shape(shape)
    , m_weight(model.add(convolution + ".weight", norming.weight(weightSizes(shape), fanOf(shape))))
    , m_norm{.scale = model.add(norm + ".weight", at::ones({shape.out})),
             .shift = model.add(norm + ".bias", at::zeros({shape.out})),
             .runningMean = model.keep(at::zeros({shape.out})),
             .runningVariance = model.keep(at::ones({shape.out})),
             .epsilon = norming.epsilon}
{
}

at::Tensor NormedConvolution::operator()(const at::Tensor& x) const
{
    m_model->enter(m_layer);
    const auto convolved = convolve(*m_model, x, m_weight, {}, m_shape);
    auto y = norm(convolved, m_norm);
    m_model->leave(m_layer, convolved, y);
    return y;
}

at::Tensor NormedConvolution::relu(const at::Tensor& x, const at::Tensor& shortcut) const
{
    m_model->enter(m_layer);
    const auto convolved = convolve(*m_model, x, m_weight, {}, m_shape);
    auto y = normRelu(convolved, m_norm, shortcut);
    m_model->leave(m_layer, convolved, y);
    return y;
}

Linear::Linear(Model& model, const std::string& name, std::int64_t in, std::int64_t out, const Initials& initials)
    : m_model(&model)
    , m_layer(model.beginLayer(name))
    , m_weight(model.add(name + ".weight", initials.weight({out, in}, {in, out})))
    , m_bias(model.add(name + ".bias", initials.bias({out}, {in, out})))
{
}

at::Tensor Linear::operator()(const at::Tensor& x) const
{
    m_model->enter(m_layer);
    auto y = at::linear(x, m_weight, m_bias);
    m_model->count(y, m_weight.size(1), x);
    m_model->leave(m_layer, y, y);
    return y;
}

at::Tensor maxPool(const at::Tensor& x, std::int64_t kernel, std::int64_t stride, std::int64_t padding, Edge edge)
{
    return at::max_pool2d(x, {kernel, kernel}, {stride, stride}, {padding, padding}, {1, 1}, edge == Edge::include);
}

at::Tensor dropout(const at::Tensor& x, double share)
{
    return share > 0 ? at::dropout(x, share, true) : x;
}

} // namespace ringside
