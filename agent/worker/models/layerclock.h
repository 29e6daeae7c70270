// SPDX-License-Identifier: MIT
// When each layer of a model works in an iteration: stamps around its forward, and by hooks around its backward.
#pragma once

#include "agent/worker/models/model.h"
#include "core/protocol/sample.h"

#include <memory>
#include <vector>

namespace ringside {

/// Compute thread only. Between iterations it leaves no trace in the model or in libtorch's graph, so that those that
/// are not observed cost nothing.
class LayerClock : public LayerObserver
{
public:
    /// Of a model on CPU that outlives it.
    explicit LayerClock(Model& model);
    ~LayerClock() override;
    LayerClock(const LayerClock&) = delete;
    LayerClock& operator=(const LayerClock&) = delete;

    /// The next forward and backward are observed.
    void begin();
    bool isOn() const;
    /// After backward: what was observed, relative to this instant.
    std::vector<LayerTiming> end(std::int64_t iterationStartNs);

    /// That one observed iteration takes.
    std::uint64_t stampsPerIteration() const;

    void enter(std::size_t layer) override;
    void leave(std::size_t layer, const at::Tensor& first, const at::Tensor& last) override;

private:
    struct Accumulator;

    /// CLOCK_MONOTONIC; 0: not reached.
    struct Stamps
    {
        std::int64_t forwardStart = 0, forwardEnd = 0, backwardStart = 0, backwardEnd = 0, ready = 0;
    };

    void detach();

    Model& m_model;
    std::vector<Stamps> m_stamps;            ///< by layer
    std::vector<Accumulator> m_accumulators; ///< of all parameters, while it is on
};

} // namespace ringside
