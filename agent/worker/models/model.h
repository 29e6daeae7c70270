// SPDX-License-Identifier: MIT
// A network as the training loop sees it. To add one: README.md beside this folder.
#pragma once

#include <ATen/core/Tensor.h>
#include <cstdint>
#include <string>
#include <vector>

namespace ringside {

inline constexpr std::int64_t kChannels = 3; ///< of an image

/// A trainable tensor under the name that the reference implementation gives it (torchvision; Hugging Face's for GPT-2,
/// torch.nn's for the LSTM), so that weights can be compared and exchanged.
struct Parameter
{
    std::string name;
    at::Tensor value; ///< fp32, requires_grad
};

/// A convolution, a linear layer, an embedding or an LSTM's layer with all that is computed and learnt together with
/// it, such as a norm. A tensor that two layers share is of the first, whose gradient is ready after that of the other.
struct Layer
{
    std::string name; ///< of its convolution or product: "layer1.0.conv2"
    std::size_t firstParameter = 0;
    std::size_t parameters = 0; ///< so many, one after the other
};

/// Follows a batch through the layers of a model, which it names by their index in Model::layers().
class LayerObserver
{
public:
    virtual ~LayerObserver() = default;
    virtual void enter(std::size_t layer) = 0;
    /// The results of its first and its last operation; the same tensor if it has but one.
    virtual void leave(std::size_t layer, const at::Tensor& first, const at::Tensor& last) = 0;
};

/// Floating-point operations of convolutions, linear layers and an LSTM's cells, and of the two products of attention
/// (every position with every other, though half of them are masked); a multiply-add is two. Other work is left out, as
/// in published figures; an embedding lookup counts as nothing.
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

    /// Logits, n × classes, of a batch n × channels × size × size; of one of n × length tokens, n × length × classes.
    virtual at::Tensor forward(const at::Tensor& batch) = 0;
    /// A batch of one item of this size, in pixels or tokens; its numbers mean nothing.
    virtual at::Tensor example(std::int64_t size) const;

    const std::vector<Parameter>& parameters() const { return m_parameters; }
    const std::vector<Layer>& layers() const { return m_layers; }
    std::int64_t gradientBytes(const Layer& layer) const;
    /// Sets the observer of the forwards that follow, or none. It must outlive them.
    void observe(LayerObserver* observer) { m_observer = observer; }

    /// Trainable numbers, and their number of tensors' gradients in bytes.
    std::int64_t parameterCount() const;
    std::int64_t gradientBytes() const { return parameterCount() * static_cast<std::int64_t>(sizeof(float)); }

    /// The work of passing one item of this size forward. Leaves libtorch's random numbers as they were.
    Work workPerItem(std::int64_t size);

    /// Moves parameters, and other state of the layers, to this device. Before any gradient exists.
    void moveTo(c10::Device device);
    /// Returns the device that its parameters are on.
    c10::Device device() const;
    /// Puts every 4-D parameter into channels_last order. Before any gradient exists: a gradient has its parameter's
    /// order.
    void toChannelsLast();

    /// For layers: what is added from here to the next call is of this layer. Its index.
    std::size_t beginLayer(std::string name);
    /// For layers: around all that they compute.
    void enter(std::size_t layer) const
    {
        if (m_observer)
            m_observer->enter(layer);
    }
    void leave(std::size_t layer, const at::Tensor& first, const at::Tensor& last) const
    {
        if (m_observer)
            m_observer->leave(layer, first, last);
    }
    /// For layers: adds a new parameter and returns the tensor to compute with.
    at::Tensor add(std::string name, at::Tensor initial);
    /// For layers: stores state besides parameters, such as running means, and returns it.
    at::Tensor keep(at::Tensor state);
    /// For layers: each number of `output` is a sum of so many products with numbers of `input`.
    void count(const at::Tensor& output, std::int64_t products, const at::Tensor& input);
    /// For layers: so many sums of so many products, of whose factors backward computes so many gradients.
    void count(std::int64_t sums, std::int64_t products, int gradients);

protected:
    /// Parameters lie where they will stay from here on, on the device of the model.
    virtual void settle() {}

private:
    std::vector<Parameter> m_parameters;
    std::vector<at::Tensor> m_kept;
    std::vector<Layer> m_layers;
    LayerObserver* m_observer = nullptr;
    Work m_work; ///< of all forwards so far
};

} // namespace ringside
