// SPDX-License-Identifier: MIT
#include "agent/worker/train/step.h"

#include <utility>
#include <vector>

namespace ringside {

Step::Step(Model& model, std::unique_ptr<Aggregator> aggregator, std::unique_ptr<Sgd> optimizer, PhaseClock& clock)
    : m_model(model)
    , m_clock(clock)
    , m_aggregator(std::move(aggregator))
    , m_optimizer(std::move(optimizer))
{
}

Result<bool> Step::finish(bool)
{
    m_clock.enter(Phase::commExposed);
    TRY(m_aggregator->finish());
    return true;
}

void Step::update(const Layer& tensors)
{
    m_clock.enter(Phase::update);
    m_aggregator->update(*m_optimizer, tensors);
}

namespace {

class LayerwiseStep : public Step, private LayerObserver
{
public:
    using Step::Step;

    void beforeForward(LayerObserver* observer) override
    {
        if (!m_isBehind)
            return;
        m_isDue.assign(m_model.layers().size(), true);
        m_observer = observer;
        m_model.observe(this);
    }

    /// The layers that the pass did not reach, and whatever went wrong in it.
    Result<bool> afterForward() override
    {
        if (!std::exchange(m_isBehind, false))
            return false;
        m_model.observe(m_observer);
        for (std::size_t layer = 0; layer < m_isDue.size(); ++layer)
            if (m_isDue[layer])
                complete(layer);
        TRY(m_outcome);
        return Step::finish(false);
    }

    Result<bool> finish(bool isLast) override
    {
        m_isBehind = !isLast;
        return isLast ? Step::finish(true) : Result<bool>(false);
    }

private:
    void enter(std::size_t layer) override
    {
        if (m_isDue[layer]) { // a batch may pass a layer twice
            complete(layer);
            m_clock.enter(Phase::forward);
        }
        if (m_observer)
            m_observer->enter(layer);
    }
    void leave(std::size_t layer, const at::Tensor& first, const at::Tensor& last) override
    {
        if (m_observer)
            m_observer->leave(layer, first, last);
    }

    /// After a failure nothing is waited for; afterForward reports it.
    void complete(std::size_t layer)
    {
        m_isDue[layer] = false;
        const Layer& tensors = m_model.layers()[layer];
        m_clock.enter(Phase::commExposed);
        for (std::size_t i = 0; m_outcome && i < tensors.parameters; ++i)
            m_outcome = aggregator().await(tensors.firstParameter + i);
        if (m_outcome)
            update(tensors);
    }

    bool m_isBehind = false; ///< an iteration is not complete
    LayerObserver* m_observer = nullptr;
    std::vector<bool> m_isDue; ///< by layer
    Result<void> m_outcome;
};

} // namespace

std::unique_ptr<Step> makeStep(Model& model, std::unique_ptr<Aggregator> aggregator, std::unique_ptr<Sgd> optimizer,
                               PhaseClock& clock)
{
    if (aggregator->isLayerwise())
        return std::make_unique<LayerwiseStep>(model, std::move(aggregator), std::move(optimizer), clock);
    return std::make_unique<Step>(model, std::move(aggregator), std::move(optimizer), clock);
}

} // namespace ringside
