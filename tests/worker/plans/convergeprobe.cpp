// SPDX-License-Identifier: MIT
// One process of a small problem, by an exact plan and then by others: a quadratic function of some thousand numbers in
// tensors of many sizes, whose minimum each rank takes to be elsewhere. What a plan loses for good shows: only the mean
// over ranks of whole gradients vanishes at the minimum that all seek, no rank's own does.
// usage: convergeprobe [cut] [forgetting] ITERATIONS BOUND PLAN …: whether a tensor is so large that it is cut over
// several servers; whether plans, of a collective, drop what compression loses; plan.json's words for plans with the
// same number of servers, which are the last processes. Exit code 0 if the exact plan has come down to a hundredth of
// BOUND, and each other is after as many iterations no more than BOUND above it; both in parts of how far above its
// minimum the function was at first.
#include "agent/worker/plans/aggregator.h"
#include "agent/worker/plans/bucketaggregator.h"
#include "agent/worker/plans/compressions/exchange.h"
#include "agent/worker/plans/servers/shards.h"
#include "agent/worker/selftest/plangradients.h"
#include "agent/worker/sgd.h"
#include "tests/worker/plans/servedworld.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <algorithm>
#include <cstdlib>
#include <string_view>

using namespace ringside;

namespace {

using Sizes = std::vector<std::int64_t>;
const Sizes kManySizes{1'200, 40, 3'000, 3, 700};
const Sizes kCutSizes{std::int64_t{kCutNumbers} + 1, 700};
constexpr double kDisagreement = 0.25; ///< of the ranks, in parts of the way to the minimum
constexpr double kLeastCurvature = 0.5;
constexpr OptimizerSettings kOptimizer{0.02, 0.5, 0};
constexpr double kExactPart = 0.01;

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

    at::Tensor loss() const { return aboveAt(targets); }
    double excess() const
    {
        const at::NoGradGuard noGraph;
        return aboveAt(minimum).item<double>();
    }

private:
    at::Tensor aboveAt(const std::vector<at::Tensor>& points) const
    {
        at::Tensor sum = at::zeros({});
        for (std::size_t i = 0; i < parameters.size(); ++i)
            sum = sum + 0.5 * (curvatures[i] * (parameters[i].value - points[i]).square()).sum();
        return sum;
    }
};

/// What a compression loses of one unit in one iteration is lost: nobody is there to add it to the next.
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

struct Options
{
    Sizes sizes = kManySizes;
    bool isForgetting = false;

    /// Takes them from the front of the arguments.
    explicit Options(std::span<char*>& arguments)
    {
        if (take(arguments, "cut"))
            sizes = kCutSizes;
        isForgetting = take(arguments, "forgetting");
    }

private:
    static bool take(std::span<char*>& arguments, std::string_view word)
    {
        const bool isThere = !arguments.empty() && arguments.front() == word;
        arguments = arguments.subspan(isThere ? 1 : 0);
        return isThere;
    }
};

Result<std::unique_ptr<Aggregator>> aggregatorOf(const AggregationPlan& plan, const std::vector<Parameter>& parameters,
                                                 const test::ServedWorld& processes, bool isForgetting)
{
    if (!isForgetting)
        return makeAggregator({plan, parameters, *processes.ranks, processes.world.get()});
    return std::make_unique<BucketAggregator>(plan.schedule, groupsOf(plan, parameters), parameters,
                                              processes.ranks->worldSize(),
                                              std::make_unique<Forgetting>(plan, *processes.ranks), AggregatorHooks{});
}

/// What is left of the first excess.
Result<double> minimise(const AggregationPlan& plan, const test::ServedWorld& processes, const Options& options,
                        int iterations)
{
    const Problem problem(options.sizes, processes.ranks->rank(), processes.ranks->worldSize());
    const double first = problem.excess();
    Sgd optimizer(problem.parameters, kOptimizer);
    TRY_ASSIGN(const auto aggregator, aggregatorOf(plan, problem.parameters, processes, options.isForgetting));
    for (int i = 0; i < iterations; ++i) {
        aggregator->begin();
        problem.loss().backward(at::scalar_tensor(aggregator->gradientScale()));
        TRY(aggregator->await(problem.parameters.size() - 1));
        TRY(aggregator->finish());
        if (!aggregator->takeWeights())
            optimizer.step();
    }
    return problem.excess() / first;
}

double leftBy(const AggregationPlan& plan, const test::ServedWorld& processes, const Options& options, int iterations)
{
    const auto left = minimise(plan, processes, options, iterations);
    if (!left)
        processes.giveUp(left.error());
    return *left;
}

} // namespace

int main(int argc, char** argv)
{
    at::set_num_threads(1); // several processes share a core here, and threads that spin for one another starve
    auto arguments = std::span(argv, static_cast<std::size_t>(argc)).subspan(1);
    const Options options(arguments);
    const auto plans = test::plansIn(arguments.subspan(std::min<std::size_t>(arguments.size(), 2)));
    const auto processes = plans.empty() ? std::nullopt : test::ServedWorld::join(plans.front().serverRanks());
    if (!processes || processes->training < 2)
        return 2;
    if (processes->isServer) {
        for (const auto& plan : plans) {
            processes->serve(plan, kOptimizer);
            processes->endPlan();
        }
        return 0;
    }
    const int iterations = std::atoi(arguments[0]);
    const double bound = std::atof(arguments[1]);
    const double exact =
        leftBy(planOf(Collective::allreduce, Grouping::one, Schedule::afterBackward), *processes, options, iterations);
    bool good = exact <= kExactPart * bound;
    for (const auto& plan : plans) {
        const double left = leftBy(plan, *processes, options, iterations);
        processes->endPlan();
        fmt::print("rank {}: {}{}: {:.1e} left, {:.1e} by the exact plan\n", processes->ranks->rank(), plan.name,
                   plan.asynchronous ? " asynchronous" : "", left, exact);
        good = good && left - exact <= bound; // nor is what is no number
    }
    return good ? 0 : 1;
}
