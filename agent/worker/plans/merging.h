// SPDX-License-Identifier: MIT
// Groupings `optimal` and `merged`: gradients of neighbouring layers are merged where that shortens the iteration, by
// the times at which backward has them ready and the cost of a message (Shi, Chu and Li, "MG-WFBP: Efficient data
// communication for distributed synchronous SGD algorithms", INFOCOM 2019). As there, layers are timed before training
// begins, and the groups stay.
#pragma once

#include "agent/worker/collectives/communicator.h"
#include "agent/worker/models/classifier.h"
#include "agent/worker/plans/buckets.h"
#include "core/model/mergerule.h"
#include "core/protocol/calibration.h"
#include "core/protocol/plan.h"

#include <map>
#include <string>
#include <vector>

namespace ringside {

/// The decision and its inputs.
struct Merging
{
    std::vector<model::ReadyGradient> ready; ///< by layer, the last first: mean over the ranks
    std::vector<CostSegment> cost;           ///< of a message
    model::Groups groups;                    ///< of these layers
    std::vector<TensorGroup> tensors;        ///< the same groups

    /// For facts.json, under "model": "plan_groups", "plan_message_cost", "plan_exposed_ms".
    std::map<std::string, std::string> facts() const;
};

/// Times the layers of the model in up to five passes, forward and backward, of a batch of zeros, of which the first is
/// not counted; no weight changes and no random number is used up. The mean over the ranks and the cost decide by the
/// rule, on rank 0 for all. Collective; no gradient is left.
Result<Merging> mergeLayers(Classifier& classifier, Communicator& communicator, std::vector<CostSegment> cost,
                            model::MergeRule rule);

/// The parts of a plan made before the first iteration, and facts about them; both empty where no layers are merged.
struct Preparation
{
    std::vector<TensorGroup> merged;          ///< for makeAggregator
    std::map<std::string, std::string> facts; ///< for facts.json
};

/// For a plan that merges layers, measures the cost of a message and merges by it; else does nothing. Collective.
Result<Preparation> preparePlan(const RunSpec& run, Classifier& classifier, Communicator& communicator);

/// The tensors of groups of layers, both from the last to the first. Pure.
std::vector<TensorGroup> tensorsOf(const model::Groups& groups, const std::vector<Layer>& layers);

} // namespace ringside
