// SPDX-License-Identifier: MIT
// A network as the training loop sees it. To add one: README.md beside this folder.
#pragma once

#include <ATen/core/Tensor.h>
#include <cstdint>
#include <string>
#include <vector>

namespace ringside {

inline constexpr std::int64_t kChannels = 3; ///< of an image

/// A trainable tensor under the name that torchvision gives it, so that weights can be compared and exchanged.
struct Parameter
{
    std::string name;
    at::Tensor value; ///< fp32, requires_grad
};

/// Floating-point operations of convolutions and linear layers; a multiply-add is two. What else a network does is left
/// out, as in published figures.
struct Work
{
    std::int64_t forward = 0;
    std::int64_t backward = 0; ///< the gradients of the weights, and of the input where it needs one

    std::int64_t total() const { return forward + backward; }
    bool operator==(const Work&) const = default;
};

/// Built of layers (layers.h) that register their parameters here in the order of their construction. Compute thread
/// only. Errors of libtorch are exceptions (c10::Error), caught around the whole training loop.
class Model
{
public:
    virtual ~Model() = default;
    Model() = default;
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;

    /// Logits, n × classes, of a batch n × channels × size × size.
    virtual at::Tensor forward(const at::Tensor& images) = 0;

    const std::vector<Parameter>& parameters() const { return m_parameters; }
    /// Trainable numbers, and their number of tensors' gradients in bytes.
    std::int64_t parameterCount() const;
    std::int64_t gradientBytes() const { return parameterCount() * static_cast<std::int64_t>(sizeof(float)); }

    /// What the layers count while one image of this side passes them forward. Leaves libtorch's random numbers as they
    /// were.
    Work workPerImage(std::int64_t size);

    /// Puts every 4-D parameter into channels_last order. Before any gradient exists: a gradient has its parameter's
    /// order.
    void toChannelsLast();

    /// For layers: takes a new parameter in, and gives out the tensor to compute with.
    at::Tensor add(std::string name, at::Tensor initial);
    /// For layers: each number of `output` is a sum of so many products with numbers of `input`.
    void count(const at::Tensor& output, std::int64_t products, const at::Tensor& input);

private:
    std::vector<Parameter> m_parameters;
    Work m_work; ///< of all forwards so far
};

} // namespace ringside
