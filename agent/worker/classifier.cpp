// SPDX-License-Identifier: MIT
#include "agent/worker/classifier.h"

#include "agent/worker/autocast.h"
#include "agent/worker/models/paced.h"

#include <ATen/ATen.h>
#include <cstring>

namespace ringside {

namespace {

std::unique_ptr<Model> makeModel(const TrainSettings& settings)
{
    at::manual_seed(settings.run.seed);
    auto model = settings.model->make(settings.modelOptions);
    if (settings.channelsLast)
        model->toChannelsLast();
    if (settings.pacedLayer)
        return makePaced(*model, *settings.pacedLayer, settings.modelOptions.classes);
    return model;
}

at::Tensor emptyImages(const TrainSettings& settings)
{
    const auto layout = settings.channelsLast ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
    return at::zeros({settings.batch, kChannels, settings.imageSize, settings.imageSize}).contiguous(layout);
}

} // namespace

Classifier::Classifier(const TrainSettings& settings)
    : m_model(makeModel(settings))
    , m_precision(settings.precision)
    , m_images(emptyImages(settings))
    , m_labels(at::zeros({settings.batch}, at::kLong))
    , m_scale(at::ones({}))
{
}

void Classifier::moveTo(c10::Device device)
{
    m_device = device;
    m_model->moveTo(device);
    m_scale = m_scale.to(device);
    m_ring.emplace(m_images, m_labels, device);
    m_images = m_ring->inputs();
    m_labels = m_ring->labels();
}

void Classifier::load(const Batch& batch)
{
    if (m_ring) {
        m_ring->load(batch.images, batch.labels);
        m_images = m_ring->inputs();
        m_labels = m_ring->labels();
        return;
    }
    std::memcpy(m_images.data_ptr<float>(), batch.images, m_images.nbytes());
    std::memcpy(m_labels.data_ptr<std::int64_t>(), batch.labels, m_labels.nbytes());
}

at::Tensor Classifier::forward()
{
    const Autocast autocast(m_precision, m_device.type());
    return at::cross_entropy_loss(m_model->forward(m_images), m_labels);
}

void Classifier::backward(const at::Tensor& loss, float scale)
{
    m_scale.fill_(scale);
    loss.backward(m_scale.to(loss.scalar_type()));
}

} // namespace ringside
