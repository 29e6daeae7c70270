// SPDX-License-Identifier: MIT
// Buckets of gradients that are the same in every iteration, exchanged after backward or overlapped with it.
#pragma once

#include "agent/worker/plans/aggregator.h"
#include "agent/worker/plans/communicationthread.h"
#include "agent/worker/plans/gradientbuckets.h"
#include "agent/worker/plans/gradienthooks.h"

namespace ringside {

/// Buckets are communicated in the same order on all ranks, whatever the order of the gradients.
class BucketAggregator : public Aggregator
{
public:
    BucketAggregator(Schedule schedule, const std::vector<TensorGroup>& groups,
                     const std::vector<Parameter>& parameters, int ranks, std::unique_ptr<Exchange> exchange,
                     AggregatorHooks hooks);

    float gradientScale() const override { return m_scale; }
    void begin() override;
    void ready(std::size_t tensor) override;
    void launch() override;
    Result<void> await(std::size_t tensor) override;
    Result<void> finish() override;
    const std::vector<BucketTiming>& timings() const override { return m_thread.timings(); }

private:
    const std::vector<Parameter> m_parameters;
    const bool m_overlapped;
    const float m_scale;
    AggregatorHooks m_testHooks;
    GradientBuckets m_buckets;
    std::size_t m_launched = 0;
    std::unique_ptr<Exchange> m_exchange;
    CommunicationThread m_thread;
    GradientHooks m_hooks;
};

} // namespace ringside
