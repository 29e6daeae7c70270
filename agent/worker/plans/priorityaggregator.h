// SPDX-License-Identifier: MIT
// The schedule `priority` with collectives: what the front layers wait for overtakes what the layers behind them have
// ready, since the next forward pass needs it first (Jayarajan et al., "Priority-based parameter propagation for
// distributed DNN training", MLSys 2019).
#pragma once

#include "agent/worker/plans/aggregator.h"
#include "agent/worker/plans/agreeingthread.h"
#include "agent/worker/plans/gradientbuckets.h"
#include "agent/worker/plans/gradienthooks.h"
#include "agent/worker/plans/units.h"

#include <memory>

namespace ringside {

/// What goes now, of units that all ranks have ready, each a message by itself: the front-most first (they have the
/// highest numbers), one more as long as those before it hold less than a chunk together. So the ranks agree once a
/// chunk and not once for each small tensor, and what becomes ready waits for no more than about two chunks. Pure.
/// `bytes` is by unit.
std::vector<AgreeingThread::Units> frontMost(const AgreeingThread::Units& ready,
                                             const std::vector<std::uint64_t>& bytes, std::uint64_t chunk);

/// Units are numbered as backward reaches their buckets; timings name them by these numbers.
class PriorityAggregator : public Aggregator
{
public:
    PriorityAggregator(const AggregationPlan& plan, const std::vector<Parameter>& parameters,
                       Communicator& communicator, std::unique_ptr<Exchange> exchange, AggregatorHooks hooks);

    float gradientScale() const override { return m_scale; }
    void begin() override;
    void ready(std::size_t tensor) override;
    Result<void> await(std::size_t tensor) override;
    Result<void> finish() override;
    const std::vector<BucketTiming>& timings() const override { return m_thread.timings(); }
    bool isLayerwise() const override { return true; }

private:
    template <class Action> void forUnitsOf(std::size_t bucket, const Action& action);

    const std::vector<Parameter> m_parameters;
    const float m_scale;
    AggregatorHooks m_testHooks;
    GradientBuckets m_buckets;
    const std::vector<Unit> m_units;
    std::size_t m_missing = 0; ///< buckets that backward has not filled yet
    std::unique_ptr<Exchange> m_exchange;
    AgreeingThread m_thread;
    GradientHooks m_hooks;
};

} // namespace ringside
