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

at::Tensor emptyBatch(const TrainSettings& settings)
{
    if (settings.isOfTokens())
        return at::zeros({settings.batch, settings.sequenceLength}, at::kLong);
    const auto layout = settings.channelsLast ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
    return at::zeros({settings.batch, kChannels, settings.imageSize, settings.imageSize}).contiguous(layout);
}

} // namespace

Classifier::Classifier(const TrainSettings& settings)
    : m_model(makeModel(settings))
    , m_precision(settings.precision)
    , m_batch(emptyBatch(settings))
    , m_labels(at::zeros({settings.isOfTokens() ? m_batch.numel() : settings.batch}, at::kLong))
    , m_scale(at::ones({}))
{
}

void Classifier::moveTo(c10::Device device)
{
    m_device = device;
    m_model->moveTo(device);
    m_scale = m_scale.to(device);
    m_ring.emplace(m_batch, m_labels, device);
    m_batch = m_ring->inputs();
    m_labels = m_ring->labels();
}

void Classifier::load(const Batch& batch)
{
    const void* items = batch.tokens ? static_cast<const void*>(batch.tokens) : batch.images;
    if (m_ring) {
        m_ring->load(items, batch.labels);
        m_batch = m_ring->inputs();
        m_labels = m_ring->labels();
        return;
    }
    std::memcpy(m_batch.data_ptr(), items, m_batch.nbytes());
    std::memcpy(m_labels.data_ptr<std::int64_t>(), batch.labels, m_labels.nbytes());
}

at::Tensor Classifier::forward()
{
    const Autocast autocast(m_precision, m_device.type());
    const auto logits = m_model->forward(m_batch).flatten(0, -2);
    return at::cross_entropy_loss(logits, m_labels.slice(0, 0, logits.size(0))); // paced models have fewer
}

void Classifier::backward(const at::Tensor& loss, float scale)
{
    m_scale.fill_(scale);
    loss.backward(m_scale.to(loss.scalar_type()));
}

} // namespace ringside
