// SPDX-License-Identifier: MIT
// Gradients go to parameter servers, which own the update (parameterserver.h); the weights come back. The time between
// is the server's and the wire's: a unit is pushed without waiting for the weights of the one before.
#pragma once

#include "agent/worker/plans/aggregator.h"
#include "agent/worker/plans/gradientbuckets.h"
#include "agent/worker/plans/gradienthooks.h"
#include "agent/worker/plans/servers/pushpullthread.h"
#include "agent/worker/plans/servers/serverlink.h"
#include "agent/worker/plans/units.h"

namespace ringside {

/// A unit is a bucket, or with the schedule “priority” a chunk of one. Units go as they are there, and with “priority”
/// those of the front layers first; ranks need not agree on an order.
///
/// Asynchronous updates are by each rank's own gradients, not by the n-th part of them: n ranks take n steps where
/// synchronous ones take one (as in MXNet: apache/mxnet, python/mxnet/module/module.py, rescale_grad of dist_async).
class ServedAggregator : public Aggregator
{
public:
    /// The servers are behind the ranks in `world`. Collective among the ranks.
    static Result<std::unique_ptr<Aggregator>> make(const Aggregation& aggregation);

    float gradientScale() const override { return m_scale; }
    void begin() override;
    void ready(std::size_t tensor) override;
    void launch() override;
    Result<void> await(std::size_t tensor) override;
    Result<void> finish() override;
    const std::vector<BucketTiming>& timings() const override { return m_thread.timings(); }
    bool takeWeights() override;
    bool takeWeightsOf(const Layer& layer) override;
    bool isLayerwise() const override { return m_isLayerwise; }
    Result<void> vote(std::span<float> votes, Communicator& ranks) override;

private:
    ServedAggregator(const AggregationPlan& plan, const std::vector<Parameter>& parameters, int ranks,
                     Communicator& world, AggregatorHooks hooks);
    std::span<float> weightsOf(std::uint32_t unit);
    void push(std::size_t bucket);

    const std::vector<Parameter> m_parameters;
    const bool m_isOverlapped;
    const bool m_isAsynchronous;
    const bool m_isLayerwise;
    const float m_scale;
    AggregatorHooks m_testHooks;
    GradientBuckets m_buckets;
    std::vector<Unit> m_units;
    std::vector<bool> m_launched; ///< by bucket
    ServerLink m_link;
    PushPullThread m_thread;
    GradientHooks m_hooks;
};

} // namespace ringside
