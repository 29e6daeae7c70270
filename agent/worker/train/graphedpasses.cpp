// SPDX-License-Identifier: MIT
#include "agent/worker/train/graphedpasses.h"

#include "agent/worker/device/streams.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <set>

namespace ringside {

namespace {

/// As many as libtorch's own examples do before a capture.
constexpr int kWarmups = 3;

} // namespace

GraphedPasses::GraphedPasses(Classifier& classifier, std::unique_ptr<DeviceGraph> graph)
    : m_classifier(classifier)
    , m_graph(std::move(graph))
{
    m_classifier.keepPlaces();
    const c10::Device device = m_classifier.device();
    const auto* devices = c10::impl::getDeviceGuardImpl(device.type());
    devices->synchronizeDevice(device.index()); // the stream below does not wait for the default one
    const c10::StreamGuard beside(streamBeside(device));
    for (int i = 0; i < kWarmups; ++i)
        pass();
    m_gradients.clear(); // their memory, too, is the graph's to use
    m_loss.reset();
    devices->synchronizeDevice(device.index());
    m_graph->capture([this] { pass(); });
}

/// Gradients as backward leaves them in `.grad`: in the order of their parameter, none in the memory of another. They
/// are not left there, since hooks would then be called.
void GraphedPasses::pass()
{
    m_gradients = m_classifier.gradients(m_loss);
    const auto& parameters = m_classifier.model().parameters();
    std::set<const void*> taken;
    for (std::size_t i = 0; i < m_gradients.size(); ++i) {
        const at::Tensor& value = parameters[i].value;
        if (m_gradients[i].strides() != value.strides() || !taken.insert(m_gradients[i].const_data_ptr()).second)
            m_gradients[i] = at::empty_strided(value.sizes(), value.strides(), value.options().requires_grad(false))
                                 .copy_(m_gradients[i]);
    }
}

const at::Tensor& GraphedPasses::run(float scale, const std::function<void(std::size_t)>& ready)
{
    const at::NoGradGuard noGraph;
    m_classifier.setScale(scale);
    m_graph->replay();
    const auto& parameters = m_classifier.model().parameters();
    for (std::size_t i = parameters.size(); i-- > 0;) {
        at::Tensor value = parameters[i].value;
        value.mutable_grad() = m_gradients[i];
        ready(i);
    }
    return m_loss;
}

} // namespace ringside
