// SPDX-License-Identifier: MIT
// A model with what turns it into a training problem: the batch as tensors, precision, layout, cross-entropy loss.
#pragma once

#include "agent/worker/data/batchsource.h"
#include "agent/worker/models/model.h"
#include "agent/worker/trainsettings.h"

#include <memory>

namespace ringside {

/// Compute thread only.
class Classifier
{
public:
    /// Builds the model from the run's seed: the same weights on every rank.
    explicit Classifier(const TrainSettings& settings);

    Model& model() { return *m_model; }

    /// Copies the batch into tensors that live as long as this; the batch may be overwritten afterwards.
    void load(const Batch& batch);
    /// The mean loss over the batch, a number with a graph behind it.
    at::Tensor forward();
    /// Fills the gradients with those of scale · loss.
    void backward(const at::Tensor& loss, float scale);

private:
    std::unique_ptr<Model> m_model;
    Precision m_precision;
    at::Tensor m_images;
    at::Tensor m_labels;
    at::Tensor m_scale;
};

} // namespace ringside
