// SPDX-License-Identifier: MIT
#include "agent/worker/classifier.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <cstring>

namespace ringside {

namespace {

constexpr std::int64_t kChannels = 3;

/// bf16 as PyTorch's autocast does it: convolutions and products in bf16, sums and losses in fp32. On for the forward
/// pass of this thread; casts of weights are kept for the pass and dropped after it.
class Autocast
{
public:
    explicit Autocast(Precision precision)
        : m_on(precision == Precision::bf16)
    {
        if (!m_on)
            return;
        at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
        at::autocast::set_autocast_enabled(at::kCPU, true);
        at::autocast::set_autocast_cache_enabled(true);
        at::autocast::increment_nesting();
    }
    ~Autocast()
    {
        if (!m_on)
            return;
        if (at::autocast::decrement_nesting() == 0)
            at::autocast::clear_cache();
        at::autocast::set_autocast_enabled(at::kCPU, false);
    }
    Autocast(const Autocast&) = delete;
    Autocast& operator=(const Autocast&) = delete;

private:
    bool m_on;
};

std::unique_ptr<Model> makeModel(const TrainSettings& settings)
{
    at::manual_seed(settings.run.seed);
    auto model = settings.model->make(settings.modelOptions);
    if (settings.channelsLast)
        model->toChannelsLast();
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
