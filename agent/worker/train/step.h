// SPDX-License-Identifier: MIT
// The handling of an iteration's gradients: when they are awaited, and when weights change by them.
#pragma once

#include "agent/worker/models/sgd.h"
#include "agent/worker/plans/aggregator.h"
#include "agent/worker/timing/phaseclock.h"

#include <memory>

namespace ringside {

/// The strategy of a step. It owns aggregation and optimizer and enters the phases of waits and updates. This one waits
/// after backward until all gradients are exchanged; then all weights change. Compute thread only; stores references to
/// model and clock.
///
/// An iteration is: beforeForward, the forward pass, afterForward, backward, finish, and an update where that says so.
class Step
{
public:
    Step(Model& model, std::unique_ptr<Aggregator> aggregator, std::unique_ptr<Sgd> optimizer, PhaseClock& clock);
    virtual ~Step() = default;

    Aggregator& aggregator() { return *m_aggregator; }

    /// `observer`, if any, follows the layers of the forward pass.
    virtual void beforeForward(LayerObserver*) {}
    /// True if the iteration before, which was incomplete, is complete now: exchanged, and weights changed.
    virtual Result<bool> afterForward() { return false; }
    /// True if all gradients are exchanged; if not, the next forward pass completes the iteration. True for the last
    /// one.
    virtual Result<bool> finish(bool isLast);
    /// Changes all weights, once all gradients are exchanged.
    void update() { update(m_optimizer->all()); }

protected:
    void update(const Layer& tensors);

    Model& m_model;
    PhaseClock& m_clock;

private:
    std::unique_ptr<Aggregator> m_aggregator;
    std::unique_ptr<Sgd> m_optimizer;
};

/// The strategy that the aggregation asks for. A layerwise one updates each layer inside the next forward pass: it
/// waits for its own gradients (or for its own weights, from servers) just before it computes, so that those behind it
/// may still be on their way. Waits are of phase comm_exposed and updates of phase update there, too. Between
/// afterForward and the next beforeForward it leaves no trace in the model.
std::unique_ptr<Step> makeStep(Model& model, std::unique_ptr<Aggregator> aggregator, std::unique_ptr<Sgd> optimizer,
                               PhaseClock& clock);

} // namespace ringside
