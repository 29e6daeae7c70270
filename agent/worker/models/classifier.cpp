// SPDX-License-Identifier: MIT
#include "agent/worker/models/classifier.h"

#include "agent/worker/models/autocast.h"
#include "agent/worker/models/paced.h"

#include <ATen/ATen.h>
#include <cstring>
#include <torch/csrc/autograd/autograd.h>

namespace ringside {

namespace {

std::unique_ptr<Model> makeModel(const ProblemSettings& settings)
{
    at::manual_seed(settings.seed);
    auto model = settings.model->make(settings.modelOptions);
    if (settings.channelsLast)
        model->toChannelsLast();
    if (settings.pacedLayer)
        return makePaced(*model, *settings.pacedLayer, settings.modelOptions.classes);
    return model;
}

at::Tensor emptyBatch(const ProblemSettings& settings)
{
    if (settings.isOfTokens())
        return at::zeros({settings.batch, settings.sequenceLength}, at::kLong);
    const auto layout = settings.channelsLast ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
    return at::zeros({settings.batch, kChannels, settings.imageSize, settings.imageSize}).contiguous(layout);
}

const void* itemsOf(const Batch& batch)
{
    return batch.tokens ? static_cast<const void*>(batch.tokens) : batch.images;
}

} // namespace

Classifier::Classifier(const ProblemSettings& settings)
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
    takeFromRing();
}

void Classifier::load(const Batch& batch)
{
    if (m_loaded == batch.number)
        return;
    m_loaded = batch.number;
    if (m_ring) {
        bring(batch);
        m_ring->use();
        return takeFromRing();
    }
    std::memcpy(m_batch.data_ptr(), itemsOf(batch), m_batch.nbytes());
    std::memcpy(m_labels.data_ptr<std::int64_t>(), batch.labels, m_labels.nbytes());
}

void Classifier::bring(const Batch& batch)
{
    if (m_brought == batch.number)
        return;
    m_brought = batch.number;
    m_ring->bring(itemsOf(batch), batch.labels);
}

void Classifier::takeFromRing()
{
    if (m_keepsPlaces) {
        m_batch.copy_(m_ring->inputs());
        m_labels.copy_(m_ring->labels());
        return;
    }
    m_batch = m_ring->inputs();
    m_labels = m_ring->labels();
}

at::Tensor Classifier::forward()
{
    const Autocast autocast(m_precision, m_device.type());
    const auto logits = m_model->forward(m_batch).flatten(0, -2);
    return at::cross_entropy_loss(logits, m_labels.slice(0, 0, logits.size(0))); // paced models have fewer
}

void Classifier::backward(const at::Tensor& loss, float scale)
{
    setScale(scale);
    loss.backward(m_scale.to(loss.scalar_type()));
}

void Classifier::keepPlaces()
{
    m_keepsPlaces = true;
    m_batch = m_batch.clone();
    m_labels = m_labels.clone();
}

void Classifier::setScale(float scale)
{
    m_scale.fill_(scale);
}

std::vector<at::Tensor> Classifier::gradients(at::Tensor& loss)
{
    std::vector<at::Tensor> values;
    for (const Parameter& parameter : m_model->parameters())
        values.push_back(parameter.value);
    const at::Tensor graph = forward();
    loss = graph.detach();
    return torch::autograd::grad({graph}, values, {m_scale.to(graph.scalar_type())});
}

} // namespace ringside
