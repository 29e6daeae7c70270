// SPDX-License-Identifier: MIT
// Measures when each layer of a model works in an iteration: stamps around its forward, and by hooks around its
// backward.
#pragma once

#include "agent/worker/device/stampboard.h"
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
    /// Observes a model that outlives it and will be on this device, by the device's time.
    explicit LayerClock(Model& model, c10::Device device = c10::kCPU);
    ~LayerClock() override;
    LayerClock(const LayerClock&) = delete;
    LayerClock& operator=(const LayerClock&) = delete;

    /// The next forward and backward are observed.
    void begin();
    bool isOn() const;
    /// An instant to count from, later than `begin`.
    std::int64_t zero() { return m_board->zero(); }
    /// After backward: nothing more is observed.
    void end();
    /// Another one, of a GPU that has done all that was observed: when this event happened.
    std::int64_t instantOf(const c10::Event& event) const { return m_board->instantOf(event); }
    /// Observations until `end`, relative to this instant: of CLOCK_MONOTONIC, on a GPU one of the two above. Waits for
    /// the GPU.
    std::vector<LayerTiming> timings(std::int64_t zeroNs) const;

    /// Stamps that one observed iteration records.
    std::uint64_t stampsPerIteration() const;

    void enter(std::size_t layer) override;
    void leave(std::size_t layer, const at::Tensor& first, const at::Tensor& last) override;

private:
    struct Accumulator;

    void detach();

    Model& m_model;
    std::unique_ptr<StampBoard> m_board;     ///< of each layer: when its forward begins, and so on
    std::vector<Accumulator> m_accumulators; ///< of all parameters, while it is on
};

} // namespace ringside
