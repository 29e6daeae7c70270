// SPDX-License-Identifier: MIT
// Checks how often the 95 % intervals hold the truth, by simulation with fixed seeds.
#include "core/stats/ratio.h"

#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <random>

using namespace ringside::stats;

namespace {

/// Rates of runs: a lower bound on time, a tail of slow runs. The median is 100.
class Runs
{
public:
    explicit Runs(std::uint64_t seed)
        : m_random(seed)
    {
    }

    std::vector<double> draw(int n)
    {
        std::vector<double> rates;
        for (int i = 0; i < n; ++i)
            rates.push_back(100 / std::exp(0.03 * m_normal(m_random)));
        return rates;
    }

private:
    std::mt19937_64 m_random;
    std::normal_distribution<double> m_normal;
};

double share(int trials, const std::function<bool()>& holds)
{
    int count = 0;
    for (int i = 0; i < trials; ++i)
        count += holds();
    return static_cast<double>(count) / trials;
}

bool contains(const Interval& interval, double value)
{
    return interval.low <= value && value <= interval.high;
}

} // namespace

TEST_CASE("The rank interval holds the true median as often as its ranks say")
{
    // Le Boudec, Performance Evaluation of Computer and Communication Systems, table A.1.
    for (const auto& [n, tabulated] : {std::pair(6, 0.969), {10, 0.979}, {20, 0.959}}) {
        Runs runs(static_cast<std::uint64_t>(n));
        const double covered = share(20'000, [&] { return contains(*medianInterval(runs.draw(n)), 100); });
        CAPTURE(n);
        // Standard error of 20,000 trials: 0.0015.
        CHECK(covered == doctest::Approx(tabulated).epsilon(0.006));
        CHECK(covered >= 0.95 - 0.005);
    }
}

TEST_CASE("The bootstrap interval of a ratio holds the true ratio in about 95 of 100 cases")
{
    for (const int n : {6, 10, 20}) {
        Runs runs(static_cast<std::uint64_t>(100 + n));
        const double covered = share(400, [&] {
            const auto base = runs.draw(n);
            return contains(*ratioOfMedians(runs.draw(n), base).interval, 1);
        });
        CAPTURE(n);
        // Standard error of 400 trials: 0.011; three of them on either side of 0.95 and of what bootstraps lose or win.
        CHECK(covered >= 0.91);
        CHECK(covered <= 0.99);
    }
}
