// SPDX-License-Identifier: MIT
#include "agent/worker/models/paced.h"

#include <ATen/ATen.h>
#include <thread>
#include <torch/csrc/autograd/custom_function.h>

namespace ringside {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr int kBackwardLonger = 2; // than forward: gradients by the input and by the weights
constexpr double kGradientSize = 1e-4;

struct PacedLayer
{
    std::vector<at::Tensor> parameters;
    std::vector<at::Tensor> gradients;
    std::chrono::nanoseconds time{0};
};

/// A node of the graph between the layer before and the layer after: hooks of gradients fire as they do of real layers.
struct Pause : torch::autograd::Function<Pause>
{
    static at::Tensor forward(AutogradContext* context, const at::Tensor& before, at::TensorList,
                              const PacedLayer* layer)
    {
        std::this_thread::sleep_for(layer->time);
        context->saved_data["layer"] = reinterpret_cast<std::int64_t>(layer);
        return before.clone();
    }

    static variable_list backward(AutogradContext* context, const variable_list& after)
    {
        const auto* layer = reinterpret_cast<const PacedLayer*>(context->saved_data["layer"].toInt());
        std::this_thread::sleep_for(kBackwardLonger * layer->time);
        variable_list gradients{after.front()};
        gradients.insert(gradients.end(), layer->gradients.begin(), layer->gradients.end());
        gradients.emplace_back(); // none of `layer`
        return gradients;
    }
};

/// Up to the last dot. Where torch.nn's LSTM has the layer at the end ("rnn.weight_ih_l0"), up to the dot, and that.
std::string layerOf(std::string_view parameter)
{
    const auto dot = parameter.rfind('.');
    const auto suffix = parameter.rfind("_l");
    const bool isNumbered = suffix != std::string_view::npos && suffix > dot &&
                            parameter.find_first_not_of("0123456789", suffix + 2) == std::string_view::npos;
    return std::string(parameter.substr(0, dot)) + (isNumbered ? "." + std::string(parameter.substr(suffix + 1)) : "");
}

class PacedModel : public Model
{
public:
    PacedModel(const Model& real, std::chrono::nanoseconds perLayer, std::int64_t classes)
        : m_classes(classes)
        , m_first(at::zeros({}).requires_grad_(true))
    {
        const auto begins = layersOf(real.parameters());
        for (std::size_t i = 0; i < begins.size(); ++i)
            addLayer(real, begins[i], i + 1 < begins.size() ? begins[i + 1] : real.parameters().size(), perLayer);
    }

    at::Tensor forward(const at::Tensor& batch) override
    {
        at::Tensor x = m_first;
        for (std::size_t i = 0; i < m_layers.size(); ++i) {
            enter(i);
            x = Pause::apply(x, at::TensorList(m_layers[i].parameters), &m_layers[i]);
            leave(i, x, x);
        }
        return x.expand({batch.size(0), m_classes});
    }

private:
    void addLayer(const Model& real, std::size_t begin, std::size_t end, std::chrono::nanoseconds time)
    {
        PacedLayer layer;
        layer.time = time;
        beginLayer(layerOf(real.parameters()[begin].name));
        for (std::size_t i = begin; i < end; ++i) {
            const Parameter& parameter = real.parameters()[i];
            layer.parameters.push_back(add(parameter.name, parameter.value));
            layer.gradients.push_back(at::randn_like(parameter.value.detach()) * kGradientSize);
        }
        m_layers.push_back(std::move(layer));
    }

    std::int64_t m_classes;
    at::Tensor m_first;
    std::vector<PacedLayer> m_layers;
};

} // namespace

std::vector<std::size_t> layersOf(const std::vector<Parameter>& parameters)
{
    std::vector<std::size_t> begins;
    std::string last;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        std::string layer = layerOf(parameters[i].name);
        if (i == 0 || layer != last)
            begins.push_back(i);
        last = std::move(layer);
    }
    return begins;
}

std::unique_ptr<Model> makePaced(const Model& real, std::chrono::nanoseconds perLayer, std::int64_t classes)
{
    return std::make_unique<PacedModel>(real, perLayer, classes);
}

} // namespace ringside
