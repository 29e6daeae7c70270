// SPDX-License-Identifier: MIT
// Gradients go to parameter servers, which own the update (parameterserver.h); the weights come back. The time between
// is the server's and the wire's.
#pragma once

#include "agent/worker/plans/bucketaggregator.h"
#include "agent/worker/plans/servers/serverlink.h"

namespace ringside {

/// Units go as they are there, and with the schedule `priority` those of the front layers first; ranks need not agree
/// on an order.
///
/// Asynchronous updates are by each rank's own gradients, not by the n-th part of them: n ranks take n steps where
/// synchronous ones take one (as in MXNet: apache/mxnet, python/mxnet/module/module.py, rescale_grad of dist_async).
class ServedAggregator : public BucketAggregator
{
public:
    /// The servers are behind the ranks in `world`. Collective among the ranks.
    static Result<std::unique_ptr<Aggregator>> make(const Aggregation& aggregation);

    void update(Sgd&, const Layer& tensors) override { buckets().takeWeights(tensors); }

private:
    using BucketAggregator::BucketAggregator;
    std::span<float> weightsOf(std::uint32_t unit);
};

} // namespace ringside
