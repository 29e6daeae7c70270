// SPDX-License-Identifier: MIT
#include "agent/worker/train/layerwiseupdate.h"

namespace ringside {

LayerwiseUpdate::LayerwiseUpdate(Model& model, Aggregator& aggregator, Sgd& optimizer, PhaseClock& clock)
    : m_model(model)
    , m_aggregator(aggregator)
    , m_optimizer(optimizer)
    , m_clock(clock)
    , m_isDue(model.layers().size())
{
}

void LayerwiseUpdate::precede(LayerObserver* observer)
{
    m_isDue.assign(m_isDue.size(), true);
    m_observer = observer;
    m_model.observe(this);
}

void LayerwiseUpdate::enter(std::size_t layer)
{
    if (m_isDue[layer]) { // a batch may pass a layer twice
        update(layer);
        m_clock.enter(Phase::forward);
    }
    if (m_observer)
        m_observer->enter(layer);
}

void LayerwiseUpdate::leave(std::size_t layer, const at::Tensor& first, const at::Tensor& last)
{
    if (m_observer)
        m_observer->leave(layer, first, last);
}

/// After a failure nothing is waited for; settle() reports it.
void LayerwiseUpdate::update(std::size_t layer)
{
    m_isDue[layer] = false;
    const Layer& tensors = m_model.layers()[layer];
    m_clock.enter(Phase::commExposed);
    for (std::size_t i = 0; m_outcome && i < tensors.parameters; ++i)
        m_outcome = m_aggregator.await(tensors.firstParameter + i);
    if (!m_outcome)
        return;
    m_clock.enter(Phase::update);
    if (!m_aggregator.takeWeightsOf(tensors))
        m_optimizer.step(tensors);
}

Result<void> LayerwiseUpdate::settle()
{
    m_model.observe(m_observer);
    for (std::size_t layer = 0; layer < m_isDue.size(); ++layer)
        if (m_isDue[layer])
            update(layer);
    m_clock.enter(Phase::commExposed);
    TRY(m_outcome);
    return m_aggregator.finish();
}

} // namespace ringside
