// SPDX-License-Identifier: MIT
// The update of an iteration, layer by layer inside the next forward pass: a layer waits for its own gradients (or for
// its own weights, from servers) and is updated just before it computes, so that those behind it may still be on their
// way. With the schedule `priority` the front layers come first.
#pragma once

#include "agent/worker/models/model.h"
#include "agent/worker/models/sgd.h"
#include "agent/worker/plans/aggregator.h"
#include "agent/worker/timing/phaseclock.h"

#include <vector>

namespace ringside {

/// Compute thread only; keeps references to all four. Waits are of phase comm_exposed and updates of phase update,
/// inside the forward pass, too. Between settle and the next precede it leaves no trace in the model.
class LayerwiseUpdate : public LayerObserver
{
public:
    LayerwiseUpdate(Model& model, Aggregator& aggregator, Sgd& optimizer, PhaseClock& clock);

    /// The next forward pass does what is left of the iteration before. `observer`, if any, is told of each layer after
    /// its update.
    void precede(LayerObserver* observer);
    /// After that pass: the layers that it did not pass, and whatever went wrong in it. Then the aggregation is
    /// complete.
    Result<void> settle();

    void enter(std::size_t layer) override;
    void leave(std::size_t layer, const at::Tensor& first, const at::Tensor& last) override;

private:
    void update(std::size_t layer);

    Model& m_model;
    Aggregator& m_aggregator;
    Sgd& m_optimizer;
    PhaseClock& m_clock;
    LayerObserver* m_observer = nullptr;
    std::vector<bool> m_isDue; ///< by layer
    Result<void> m_outcome;
};

} // namespace ringside
