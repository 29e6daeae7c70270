// SPDX-License-Identifier: MIT
// A model with what turns it into a training problem: the batch as tensors, precision, layout, cross-entropy loss.
#pragma once

#include "agent/worker/data/batchsource.h"
#include "agent/worker/device/batchring.h"
#include "agent/worker/models/models.h"
#include "core/protocol/levels.h"

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

namespace ringside {

struct ProblemSettings
{
    const ModelEntry* model = nullptr;
    ModelOptions modelOptions;
    std::uint64_t seed = 1;
    int batch = 1; ///< of one rank
    int imageSize = kStandardImageSize;
    int sequenceLength = 0; ///< tokens; 0: the model reads pictures
    Precision precision = Precision::fp32;
    bool channelsLast = false;
    std::optional<std::chrono::nanoseconds> pacedLayer; ///< layers take this long in place of computing

    bool isOfTokens() const { return sequenceLength > 0; }
    /// The size of one item: pixels of a side, or tokens.
    int itemSize() const { return isOfTokens() ? sequenceLength : imageSize; }
};

/// Compute thread only.
class Classifier
{
public:
    /// Builds the model from the seed: the same weights on every rank.
    explicit Classifier(const ProblemSettings& settings);
    virtual ~Classifier() = default;

    Model& model() { return *m_model; }
    /// To the GPU that settings name. Before the first batch.
    void moveTo(c10::Device device);
    c10::Device device() const { return m_device; }

    /// Copies the batch into tensors that live as long as this, unless it is the one that they hold; it may be
    /// overwritten afterwards. On a GPU the copy is on its way when this returns.
    virtual void load(const Batch& batch);
    /// Lets the copy of the next batch to the GPU begin before it is loaded. Not on the CPU.
    void bring(const Batch& batch);
    /// The ring of copies to a GPU; null on the CPU.
    const BatchRing* ring() const { return m_ring ? &*m_ring : nullptr; }
    /// The mean loss over the batch, and over all positions of its sequences; a number with a graph behind it.
    virtual at::Tensor forward();
    /// Fills the gradients with those of scale · loss.
    void backward(const at::Tensor& loss, float scale);

    /// For a graph of the device, which reads and writes the same memory each time: batches stay in one place.
    void keepPlaces();
    /// The factor of the gradients below.
    void setScale(float scale);
    /// Forward and backward at once: the gradients by parameter, and the loss. Calls no hooks, fills no `.grad`.
    std::vector<at::Tensor> gradients(at::Tensor& loss);

private:
    void takeFromRing();

    std::unique_ptr<Model> m_model;
    Precision m_precision;
    c10::Device m_device = c10::kCPU;
    at::Tensor m_batch;
    at::Tensor m_labels;                              ///< one after the other
    std::optional<std::uint64_t> m_loaded, m_brought; ///< the batch's number
    std::optional<BatchRing> m_ring;
    at::Tensor m_scale;
    bool m_keepsPlaces = false;
};

} // namespace ringside
