// SPDX-License-Identifier: MIT
// Buckets of gradients that are the same in every iteration: the place of each gradient, and which are complete.
#pragma once

#include "agent/worker/models/model.h"
#include "agent/worker/plans/buckets.h"
#include "agent/worker/plans/gradientstage.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ringside {

/// Gradients are copied into their place in the bucket as soon as they are there (and still in the cache); `.grad` then
/// is a view of the bucket, so what an exchange leaves there needs no copy back. A bucket of a single tensor is that
/// tensor's gradient itself. Buckets are numbered as backward reaches them. Compute thread only.
class GradientBuckets
{
public:
    /// Groups of all parameters, in the order in which their gradients become ready. `throughHost`: those of a GPU are
    /// exchanged in the host's memory.
    GradientBuckets(const std::vector<TensorGroup>& groups, const std::vector<Parameter>& parameters, bool throughHost);

    std::size_t count() const { return m_buckets.size(); }
    std::size_t bucketOf(std::size_t tensor) const { return m_bucketOf[tensor]; }
    /// The size of each bucket, in numbers.
    std::vector<std::size_t> numbers() const;

    /// Forgets the gradients.
    void clear();
    /// Puts the gradient of a tensor in its place; the bucket that it is in.
    std::size_t place(std::size_t tensor);
    bool isFull(std::size_t bucket) const { return m_buckets[bucket].missing == 0; }
    /// The payload of a full bucket. Each tensor's numbers are in the order of its memory.
    Payload payload(std::size_t bucket) const { return m_buckets[bucket].payload; }
    /// After the exchange: what it left in the payload is where the gradients are.
    void takeBack(std::size_t bucket) { m_stage.takeBack(bucket); }

    /// The weights of the bucket's tensors as a payload of theirs would have them; until the next call.
    std::span<float> weights(std::size_t bucket);
    /// Sets the weights of the layer, whose buckets are full, to the payloads that came back.
    void takeWeights(const Layer& layer);

private:
    struct Bucket
    {
        std::vector<std::size_t> tensors;
        at::Tensor flat; ///< undefined in a bucket of a single tensor
        Payload payload;
        std::size_t missing = 0; ///< gradients that backward has not reached yet
    };

    Bucket makeBucket(std::vector<std::size_t> tensors);

    const std::vector<Parameter> m_parameters;
    GradientStage m_stage;
    std::vector<Bucket> m_buckets;
    std::vector<std::size_t> m_bucketOf; ///< by tensor
    std::vector<at::Tensor> m_slots;     ///< by tensor: its place in the bucket; undefined if alone in it
};

/// Groups of these parameters by the plan's rule, which goes by their sizes alone.
std::vector<TensorGroup> groupsOf(const AggregationPlan& plan, const std::vector<Parameter>& parameters);

} // namespace ringside
