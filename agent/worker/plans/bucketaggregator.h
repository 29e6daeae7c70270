// SPDX-License-Identifier: MIT
// Gradients in buckets that are the same in every iteration, exchanged by a policy and a carrier: what every plan of
// several ranks does, whatever its grouping, schedule, collective and compression.
#pragma once

#include "agent/worker/plans/aggregator.h"
#include "agent/worker/plans/compressions/exchange.h"
#include "agent/worker/plans/exchangethread.h"
#include "agent/worker/plans/gradientbuckets.h"
#include "agent/worker/plans/gradienthooks.h"
#include "agent/worker/plans/units.h"

namespace ringside {

class BucketAggregator : public Aggregator
{
public:
    /// The parts of the aggregator. A unit is a bucket, or with a layerwise schedule a chunk of one.
    struct Parts
    {
        Schedule schedule;
        GradientBuckets buckets;
        std::vector<Unit> units; ///< of the buckets, in their order
        std::unique_ptr<ExchangePolicy> policy;
        std::unique_ptr<Carrier> carrier;
        float gradientScale = 1;
        ExchangeThread::SumVotes sumVotes = {};
    };
    BucketAggregator(const std::vector<Parameter>& parameters, Parts parts);

    float gradientScale() const override { return m_scale; }
    void begin() override;
    void ready(std::size_t tensor) override;
    void launch() override;
    Result<void> await(std::size_t tensor) override;
    Result<void> finish() override;
    void startVote(const Votes& mine) override { m_thread.startVote(mine); }
    Result<Votes> awaitVote() override { return m_thread.awaitVote(); }
    bool isLayerwise() const override { return m_schedule.isLayerwise; }
    Timings timings() const override { return m_thread.timings(); }

protected:
    GradientBuckets& buckets() { return m_buckets; }
    const std::vector<Unit>& units() const { return m_units; }

private:
    void offer(std::size_t bucket);
    Result<void> awaitBucket(std::size_t bucket);
    /// The first unit of a bucket; of the one behind the last, how many there are.
    std::uint32_t firstUnitOf(std::size_t bucket) const { return m_firstUnits[bucket]; }

    const std::vector<Parameter> m_parameters;
    const ScheduleWords& m_schedule;
    const float m_scale;
    GradientBuckets m_buckets;
    const std::vector<Unit> m_units;
    const std::vector<std::uint32_t> m_firstUnits; ///< by bucket, and the number of units
    std::vector<bool> m_offered;                   ///< by bucket
    std::size_t m_notOffered = 0;
    ExchangeThread m_thread;
    GradientHooks m_hooks;
};

/// The aggregator of a collective: groups of tensors, each in the order of backward, and the exchange that sums them
/// over `ranks`. Stores the reference.
std::unique_ptr<BucketAggregator> aggregatorFor(const AggregationPlan& plan, const std::vector<TensorGroup>& groups,
                                                const std::vector<Parameter>& parameters, Communicator& ranks,
                                                std::unique_ptr<Exchange> exchange,
                                                const AroundCarrier& around = asItIs);

} // namespace ringside
