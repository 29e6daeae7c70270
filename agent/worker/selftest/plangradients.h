// SPDX-License-Identifier: MIT
// Compares gradients that ranks add up by a plan with those of one rank with all their items. For the self-test and for
// the tests of plans.
#pragma once

#include "agent/worker/collectives/communicator.h"
#include "agent/worker/models/classifier.h"
#include "agent/worker/models/models.h"
#include "agent/worker/plans/aggregator.h"
#include "agent/worker/train/trainsettings.h"
#include "core/protocol/aggregationplan.h"

#include <ATen/core/Tensor.h>
#include <cstdint>
#include <vector>

namespace ringside {

/// All collectives that sum.
std::vector<Collective> sums();
/// From now on the ranks of the communicator say in it that they are on so many nodes of equally many neighbouring
/// ones, of which the last node has what is left, and hierarchical plans go by that.
void pretendNodes(Communicator& communicator, int nodes);

/// The largest error of the worst tensor by the order of summation, and by rounding.
inline constexpr double kExactTolerance = 1e-5;
double toleranceOf(Compression compression);
/// True if it only rounds: its losses are not added to the next gradients.
bool rounds(Compression compression);

/// A plan of these parts, with several groups even in a small model, some of a single tensor.
AggregationPlan planOf(Collective collective, Grouping grouping, Schedule schedule,
                       Compression compression = Compression::none);
/// With each compression that goes with them.
std::vector<AggregationPlan> plansOf(Collective collective, Grouping grouping, Schedule schedule);
/// All plans that yield the gradients of one big batch.
std::vector<AggregationPlan> exactPlans(Collective collective);

/// Settings of one rank that train the model on small items, each rank's its own.
TrainSettings smallProblem(const ModelEntry& model, int batch, int rank, int worldSize);

/// Gradients of one rank by itself, by parameter.
std::vector<at::Tensor> gradientsOf(const TrainSettings& settings);
/// Those that a model has now, in the host's memory.
std::vector<at::Tensor> hostGradients(const Model& model);
/// The norm of the difference over the norm of what is right, over all tensors together.
double relativeError(const std::vector<at::Tensor>& right, const std::vector<at::Tensor>& gradients);
/// The error of the worst tensor by itself.
double worstError(const std::vector<at::Tensor>& right, const std::vector<at::Tensor>& gradients);

/// Groups of a plan that merges layers, by the times measured here and a cost; none of other plans. Collective. Fails
/// with internal if they are not what the rule makes of these times, or not of all tensors.
Result<std::vector<TensorGroup>> mergedFor(const AggregationPlan& plan, Classifier& classifier,
                                           Communicator& communicator);

/// The gradients of some iterations after aggregation by a plan.
struct Aggregated
{
    double worstError = 0;               ///< as above
    std::vector<std::uint64_t> messages; ///< bytes that this rank handed over, each time
};

/// LeNet, or another model, with four items a rank, each rank's its own. For one rank of several; errors are as above.
class PlanGradients
{
public:
    /// The model, if it is not LeNet, must outlive this.
    explicit PlanGradients(Communicator& communicator, const ModelEntry* model = nullptr);

    /// In so many iterations, since buckets are used again. Collective. Fails as the communicator does, and with
    /// internal where merged layers are not those of the rule.
    Result<Aggregated> aggregate(const AggregationPlan& plan, int iterations) const;
    /// The number of the model's weights.
    std::size_t numbers() const;
    /// The error of this rank's gradients without communication: large, or the above proves nothing.
    double ownError() const;

private:
    Communicator& m_communicator;
    const ModelEntry& m_model;
    std::vector<at::Tensor> m_right;
};

} // namespace ringside
