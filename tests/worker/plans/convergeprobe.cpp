// SPDX-License-Identifier: MIT
// One process of a small problem, by an exact plan and then by others: a quadratic function of some thousand numbers in
// tensors of many sizes, whose minimum each rank takes to be elsewhere. What a plan loses for good shows: only the mean
// over ranks of whole gradients vanishes at the minimum that all seek, no rank's own does.
// usage: convergeprobe TRIAL … (trials.h), of plans with the same number of servers, which are the last processes. The
// model is tensors of many sizes, or "cut" for one that is so large that it is cut over several servers, or
// "forgetting" where a plan, of a collective, drops what compression loses. Off is how much more than by the exact plan
// is left after as many iterations, in parts of how far above its minimum the function was at first. Exit code 0 if all
// are allowed, and the exact plan has come down.
#include "agent/worker/endprocess.h"
#include "agent/worker/models/sgd.h"
#include "agent/worker/plans/aggregator.h"
#include "agent/worker/plans/bucketaggregator.h"
#include "agent/worker/plans/compressions/exchange.h"
#include "agent/worker/plans/servers/shards.h"
#include "agent/worker/selftest/plangradients.h"
#include "tests/worker/plans/servedworld.h"
#include "tests/worker/plans/trials.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <algorithm>
#include <map>

using namespace ringside;

namespace {

using Sizes = std::vector<std::int64_t>;
const Sizes kManySizes{1'200, 40, 3'000, 3, 700};
const Sizes kCutSizes{std::int64_t{kCutNumbers} + 1, 700};
constexpr double kDisagreement = 0.25; ///< of the ranks, in parts of the way to the minimum
constexpr double kLeastCurvature = 0.5;
constexpr OptimizerSettings kOptimizer{0.02, 0.5, 0};
constexpr double kExactly = 5e-5; ///< at most, of what there was at first, is left by the exact plan

/// Half the sum of curvature × (value - target)², whose targets are the rank's own.
struct Problem
{
    std::vector<Parameter> parameters; ///< 0 at first
    std::vector<at::Tensor> curvatures, targets;
    std::vector<at::Tensor> minimum; ///< the mean of all ranks' targets

    Problem(const Sizes& sizes, int rank, int ranks)
    {
        at::manual_seed(1);
        for (const std::int64_t size : sizes) {
            const auto common = at::randn({size});
            curvatures.push_back(kLeastCurvature + (1 - kLeastCurvature) * at::rand({size}));
            const auto all = common + kDisagreement * at::randn({ranks, size});
            targets.push_back(all[rank].clone());
            minimum.push_back(all.mean(0));
            parameters.push_back({"", at::zeros({size}).requires_grad_(true)});
        }
    }

    /// A linear function with the gradients that the quadratic one has here: autograd makes fewer tensors of it.
    at::Tensor loss() const
    {
        at::Tensor sum = at::zeros({});
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const at::Tensor& value = parameters[i].value;
            sum = sum + value.dot((value.detach() - targets[i]).mul_(curvatures[i]));
        }
        return sum;
    }
    double excess() const
    {
        const at::NoGradGuard noGraph;
        double sum = 0;
        for (std::size_t i = 0; i < parameters.size(); ++i)
            sum += 0.5 * (curvatures[i] * (parameters[i].value - minimum[i]).square()).sum().item<double>();
        return sum;
    }
};

/// The loss of a compression in one unit and iteration is final: nothing adds it to the next.
class Forgetting : public Exchange
{
public:
    Forgetting(const AggregationPlan& plan, Communicator& communicator)
        : m_plan(plan)
        , m_communicator(communicator)
    {
    }
    Result<std::uint64_t> sum(std::uint32_t unit, std::span<float> gradients) override
    {
        TRY_ASSIGN(const auto exchange, makeExchange(m_plan, m_communicator));
        return exchange->sum(unit, gradients);
    }

private:
    const AggregationPlan m_plan;
    Communicator& m_communicator;
};

const Sizes& sizesOf(const test::Trial& trial)
{
    return trial.model == "cut" ? kCutSizes : kManySizes;
}

Result<std::unique_ptr<Aggregator>> aggregatorOf(const test::Trial& trial, const std::vector<Parameter>& parameters,
                                                 const test::ServedWorld& processes)
{
    const AggregationPlan& plan = trial.plan;
    if (trial.model != "forgetting")
        return makeAggregator({plan, parameters, *processes.ranks, processes.world.get()});
    return aggregatorFor(plan, groupsOf(plan, parameters), parameters, *processes.ranks,
                         std::make_unique<Forgetting>(plan, *processes.ranks));
}

/// Returns the part of the first excess that is left.
Result<double> minimise(const test::Trial& trial, const test::ServedWorld& processes)
{
    const Problem problem(sizesOf(trial), processes.ranks->rank(), processes.ranks->worldSize());
    const double first = problem.excess();
    Sgd optimizer(problem.parameters, kOptimizer);
    TRY_ASSIGN(const auto aggregator, aggregatorOf(trial, problem.parameters, processes));
    for (int i = 0; i < trial.iterations; ++i) {
        aggregator->begin();
        problem.loss().backward(at::scalar_tensor(aggregator->gradientScale()));
        TRY(aggregator->await(problem.parameters.size() - 1));
        TRY(aggregator->finish());
        aggregator->update(optimizer, optimizer.all());
    }
    return problem.excess() / first;
}

double leftBy(const test::Trial& trial, const test::ServedWorld& processes)
{
    const auto left = minimise(trial, processes);
    if (!left)
        processes.giveUp(left.error());
    return *left;
}

/// In place of the trial's plan.
double leftExactly(test::Trial trial, const test::ServedWorld& processes)
{
    trial.plan = planOf(Collective::allreduce, Grouping::one, Schedule::afterBackward);
    trial.model = trial.model == "cut" ? "cut" : "";
    return leftBy(trial, processes);
}

int serve(const test::ServedWorld& processes, const test::Trials& trials)
{
    for (const test::Trial& trial : trials) {
        processes.serve(trial.plan, kOptimizer);
        processes.endPlan();
    }
    return 0;
}

int train(const test::ServedWorld& processes, const test::Trials& trials)
{
    std::map<Sizes, double> exactly;
    bool good = true;
    for (const test::Trial& trial : trials) {
        const auto [exact, isNew] = exactly.try_emplace(sizesOf(trial));
        if (isNew)
            exact->second = leftExactly(trial, processes);
        const double left = leftBy(trial, processes);
        processes.endPlan();
        fmt::print("rank {}: {} {}{}: {:.1e} left, {:.1e} by the exact plan\n", processes.ranks->rank(), trial.model,
                   trial.plan.name, trial.plan.asynchronous ? " asynchronous" : "", left, exact->second);
        good = good && exact->second <= kExactly && trial.allows(std::max(left - exact->second, 0.0));
    }
    return good ? 0 : 1;
}

int exitCodeOf(std::span<char*> words)
{
    at::set_num_threads(1); // several processes share a core here, and threads that spin for one another starve
    const auto trials = test::trialsIn(words);
    const auto processes = trials.empty() ? std::nullopt : test::ServedWorld::join(trials.front().plan.serverRanks());
    if (!processes || processes->training < 2)
        return 2;
    return processes->isServer ? serve(*processes, trials) : train(*processes, trials);
}

} // namespace

int main(int argc, char** argv)
{
    endProcess(exitCodeOf(std::span(argv, static_cast<std::size_t>(argc))));
}
