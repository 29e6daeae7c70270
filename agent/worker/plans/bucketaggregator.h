// SPDX-License-Identifier: MIT
// Buckets of gradients that are the same in every iteration, exchanged after backward or overlapped with it.
#pragma once

#include "agent/worker/plans/aggregator.h"
#include "agent/worker/plans/communicationthread.h"
#include "agent/worker/plans/gradienthooks.h"

#include <optional>
#include <span>

namespace ringside {

/// Gradient hooks copy each gradient into its place in the bucket as soon as it is there (and still in the cache);
/// `.grad` then is a view of the bucket, so what the exchange leaves there needs no copy back. A bucket of a single
/// tensor is that tensor's gradient itself. Buckets are communicated in the same order on all ranks, whatever the order
/// of the gradients.
class BucketAggregator : public Aggregator
{
public:
    BucketAggregator(const AggregationPlan& plan, const std::vector<Parameter>& parameters, int ranks,
                     std::unique_ptr<Exchange> exchange, AggregatorHooks hooks);

    float gradientScale() const override { return m_scale; }
    void begin() override;
    void ready(std::size_t tensor) override;
    Result<void> await(std::size_t tensor) override;
    Result<void> finish() override;
    const std::vector<BucketTiming>& timings() const override { return m_thread.timings(); }

    std::size_t bucketCount() const { return m_buckets.size(); }

private:
    struct Bucket
    {
        std::vector<std::size_t> tensors;
        at::Tensor flat; ///< undefined in a bucket of a single tensor
        std::span<float> payload;
        std::size_t missing = 0; ///< gradients that backward has not reached yet
    };

    Bucket makeBucket(std::vector<std::size_t> tensors);
    void place(Bucket& bucket, std::size_t tensor);
    void launch();
    bool isLast(std::size_t bucket) const { return bucket + 1 == m_buckets.size(); }

    const std::vector<Parameter> m_parameters;
    const bool m_overlapped;
    const float m_scale;
    AggregatorHooks m_testHooks;
    std::vector<Bucket> m_buckets;
    std::vector<std::size_t> m_bucketOf; ///< by tensor
    std::vector<at::Tensor> m_slots;     ///< by tensor: its place in the bucket; undefined if alone in it
    std::size_t m_launched = 0;
    std::unique_ptr<Exchange> m_exchange;
    CommunicationThread m_thread;
    std::optional<GradientHooks> m_hooks;
};

} // namespace ringside
