// SPDX-License-Identifier: MIT
// Checks that losses of compressions are added to the next gradients: over many steps the sum is that of the gradients.
#include "agent/worker/plans/compressions/exchange.h"
#include "agent/worker/selftest/plangradients.h"
#include "agent/worker/selftest/selftest.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <random>

namespace ringside {

namespace {

constexpr std::size_t kCount = 20'000;
constexpr int kSteps = 400;
/// Share of the norm. The part of a number that is held back is that of some tens of steps: about 5 % of so many.
constexpr double kTolerance = 1e-1;
constexpr double kLeastLoss = 0.3; ///< of a single step, or there is nothing to add

/// Each rank's own, the same in every step.
std::vector<float> gradientsOf(int rank)
{
    std::mt19937 random(static_cast<unsigned>(rank) + 1);
    std::normal_distribution<float> normal;
    std::vector<float> gradients(kCount);
    for (float& gradient : gradients)
        gradient = normal(random);
    return gradients;
}

/// The norm of the difference between a sum of so many steps and as many right ones, over the norm of these.
double relativeError(const std::vector<double>& sum, const std::vector<float>& right, int steps)
{
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
        const double expected = static_cast<double>(steps) * right[i];
        difference += (sum[i] - expected) * (sum[i] - expected);
        norm += expected * expected;
    }
    return std::sqrt(difference / norm);
}

Result<Deviation> sumsUp(Communicator& communicator, Compression compression)
{
    const auto plan = planOf(Collective::allreduce, Grouping::one, Schedule::afterBackward, compression);
    TRY_ASSIGN(const auto exchange, makeExchange(plan, communicator));
    const std::vector<float> mine = gradientsOf(communicator.rank());
    std::vector<float> right = mine;
    TRY(communicator.allReduceSum(std::span(right)));
    std::vector<double> sum(kCount);
    double first = 0;
    for (int step = 1; step <= kSteps; ++step) {
        std::vector<float> gradients = mine;
        TRY(exchange->sum(0, gradients));
        std::transform(sum.begin(), sum.end(), gradients.begin(), sum.begin(), std::plus<>());
        if (step == 1)
            first = relativeError(sum, right, 1);
    }
    if (first < kLeastLoss)
        return Deviation{1, fmt::format("a single step loses only {:.0e}", first)};
    return Deviation{relativeError(sum, right, kSteps), {}};
}

RankCheck checkOf(Compression compression)
{
    return {fmt::format("sum of {} steps by {} with error feedback", kSteps, nameOf(compression)), kTolerance,
            [compression](Communicator& communicator) { return sumsUp(communicator, compression); }};
}

} // namespace

std::vector<RankCheck> feedbackChecks()
{
    std::vector<RankCheck> checks;
    for (const Compression compression : kCompressions)
        if (wordsOf(compression).keepsLosses)
            checks.push_back(checkOf(compression));
    return checks;
}

} // namespace ringside
