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

void Classifier::load(const Batch& batch)
{
    std::memcpy(m_images.data_ptr<float>(), batch.images, m_images.nbytes());
    std::memcpy(m_labels.data_ptr<std::int64_t>(), batch.labels, m_labels.nbytes());
}

at::Tensor Classifier::forward()
{
    const Autocast autocast(m_precision);
    return at::cross_entropy_loss(m_model->forward(m_images), m_labels);
}

void Classifier::backward(const at::Tensor& loss, float scale)
{
    m_scale.fill_(scale);
    loss.backward(m_scale.to(loss.scalar_type()));
}

} // namespace ringside
