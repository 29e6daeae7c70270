// SPDX-License-Identifier: MIT
// Makes one of the gradients of all ranks: the training loop knows nothing else of an aggregation plan.
// Behind it a grouping (buckets.h), a schedule and an exchange compose; to add a plan: README.md beside this folder.
#pragma once

#include "agent/worker/collectives/communicator.h"
#include "agent/worker/models/sgd.h"
#include "agent/worker/plans/buckets.h"
#include "agent/worker/plans/carrier.h"
#include "core/protocol/aggregationplan.h"
#include "core/protocol/sample.h"

#include <array>
#include <future>
#include <memory>
#include <vector>

namespace ringside {

/// Votes to end: the number of ranks whose loss is no number, and of those that were told to end.
using Votes = std::array<float, 2>;

/// The messages of an iteration, one entry each, in the order of their starts; startNs is CLOCK_MONOTONIC. Known once
/// all have ended, which on a GPU may be long after the host.
using Timings = std::shared_future<std::vector<BucketTiming>>;
/// Those of an iteration that sends nothing.
Timings noTimings();

/// Called by the compute thread only. An iteration is: begin, backward, finish, update. Or, if it is layerwise: begin,
/// backward, the next forward pass with await and update for each layer, finish.
/// A tensor is named by its index in Model::parameters().
class Aggregator
{
public:
    virtual ~Aggregator() = default;

    /// The factor that backward starts with, so that the sum over ranks is the mean: dividing costs no pass over
    /// memory. 1 where each rank's gradients make an update of their own.
    virtual float gradientScale() const = 0;

    /// Forgets the gradients of the last iteration.
    virtual void begin() = 0;
    /// This rank's gradient of a tensor is complete. Called by gradient hooks inside backward; does not block.
    virtual void ready(std::size_t tensor) = 0;
    /// Backward is over: sends what was held back until then, if other work follows before the calls below, which
    /// otherwise do that themselves. Does not block.
    virtual void launch() {}
    /// From here on the compute thread's work finds this tensor's gradient as the mean over all ranks, or its new
    /// weights. Blocks until it is there, or, where a GPU exchanges it, until that is enqueued. After backward.
    virtual Result<void> await(std::size_t tensor) = 0;
    /// The same of all. A lost peer is an error, of this call or of a later one.
    virtual Result<void> finish() = 0;
    /// Changes weights that were awaited: by the optimizer, or, where servers own the update, to what they sent.
    virtual void update(Sgd& optimizer, const Layer& tensors) { optimizer.step(tensors); }

    /// True where the next forward pass is to wait for each layer's tensors by themselves.
    virtual bool isLayerwise() const { return false; }

    /// Once finish() has ended well: asks what all ranks vote. Does not block; the next iteration may begin.
    virtual void startVote(const Votes& mine) = 0;
    /// Blocks until that is known: the sum over the ranks that train, the same on all of them. Where ranks wait for no
    /// other, it counts the others' vote before. All zero if none was started since the last.
    virtual Result<Votes> awaitVote() = 0;

    /// Timings of the iteration that has begun last.
    virtual Timings timings() const = 0;
};

/// The parts of an aggregator. All references have to outlive it, except the lists.
struct Aggregation
{
    const AggregationPlan& plan;              ///< whose parts go together (whyNotComposed)
    const std::vector<Parameter>& parameters; ///< of the model
    Communicator& ranks;                      ///< those that train
    Communicator* world = nullptr;            ///< all processes; a plan with servers needs it
    std::vector<TensorGroup> merged = {};     ///< groups of a plan that merges layers (merging.h), as on all ranks
    AroundCarrier around = asItIs;
};

/// The aggregator for this plan. Collective. A single rank without servers has none of the machinery, whatever the plan
/// says.
Result<std::unique_ptr<Aggregator>> makeAggregator(const Aggregation& aggregation);
/// The makers that it chooses from: by parameter servers, where there is nothing to aggregate, by a collective.
Result<std::unique_ptr<Aggregator>> makeServed(const Aggregation& aggregation);
Result<std::unique_ptr<Aggregator>> makeAlone(const Aggregation& aggregation);
Result<std::unique_ptr<Aggregator>> makeSummed(const Aggregation& aggregation);

} // namespace ringside
