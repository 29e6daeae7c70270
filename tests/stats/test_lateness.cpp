// SPDX-License-Identifier: MIT
#include "core/stats/lateness.h"

#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::stats;

namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kMinute = 60'000 * kMs;

Lateness iteration(std::vector<std::int64_t> ns)
{
    return {std::move(ns), 100 * kMs};
}

} // namespace

TEST_CASE("A stamp is placed on rank 0's clock, however far the clocks are apart")
{
    const std::vector<ClockOffset> measured = {{10 * kMinute, -5 * kMinute, 1000},
                                               {20 * kMinute, -5 * kMinute + kMs, 3000}};
    const auto half = momentOf(15 * kMinute, measured);
    REQUIRE(half);
    CHECK(half->ns == 10 * kMinute + kMs / 2); // the drift of 1 ms was half over
    CHECK(half->uncertaintyNs == 3000);
    CHECK(momentOf(10 * kMinute, measured)->ns == 5 * kMinute);
    CHECK(momentOf(20 * kMinute, measured)->ns == 15 * kMinute + kMs);
}

TEST_CASE("What lies outside of the measurements is less certain with every minute")
{
    const std::vector<ClockOffset> measured = {{kMinute, 7, 1000}};
    CHECK(momentOf(kMinute, measured)->uncertaintyNs == 1000);
    CHECK(momentOf(2 * kMinute, measured)->ns == 2 * kMinute + 7);
    CHECK(momentOf(2 * kMinute, measured)->uncertaintyNs == 1000 + 1'200'000);
    CHECK(momentOf(0, measured)->uncertaintyNs == 1000 + 1'200'000);
    CHECK_FALSE(momentOf(kMinute, {}));
    CHECK(momentOf(60 * kMinute, std::vector<ClockOffset>{{0, 0, 0}})->uncertaintyNs == 0); // rank 0's own clock
}

TEST_CASE("The all-reduce begins when backward has ended")
{
    Sample sample;
    sample.startNs = 1000;
    sample.phases = {1, 2, 4, 8, 16, 32, 64};
    CHECK(allReduceStartNs(sample) == 1015);
    sample.told = {Phase::inputWait, Phase::h2d, Phase::forward, Phase::backward};
    CHECK(allReduceStartNs(sample) == 1015);
    sample.told = {Phase::forward, Phase::backward};
    CHECK_FALSE(allReduceStartNs(sample));
    sample.told = PhaseSet::all();
    sample.seq = 9;
    sample.iterations = 5; // where one of them begins is not known
    CHECK_FALSE(allReduceStartNs(sample));
    sample.iterations = 1;
    sample.ofRanks = 2;
    CHECK_FALSE(allReduceStartNs(sample));
}

TEST_CASE("A rank is later than the first by what is certain of it")
{
    const std::vector<Moment> moments = {{5 * kMs, 10'000}, {2 * kMs, 20'000}, {2 * kMs + 80'000, 10'000}};
    CHECK(lateness(moments) == std::vector<std::int64_t>{3 * kMs, 0, 0}); // 80 µs are less than three times 30
    CHECK(lateness(std::vector<Moment>{{4, 0}, {3, 0}}) == std::vector<std::int64_t>{1, 0});
    CHECK(lateness({}).empty());
}

TEST_CASE("A rank is named once it was late in twenty iterations in a row")
{
    std::vector<Lateness> iterations(19, iteration({0, 6 * kMs, 8 * kMs}));
    CHECK_FALSE(namedRank(iterations));
    iterations.push_back(iteration({0, 6 * kMs, 8 * kMs}));
    REQUIRE(namedRank(iterations));
    CHECK(namedRank(iterations)->rank == 2);
    CHECK(namedRank(iterations)->ns == 8 * kMs);
    iterations.push_back(iteration({0, 6 * kMs, 5 * kMs})); // 5 % is not more than 5 %
    CHECK(namedRank(iterations)->rank == 1);
    iterations.push_back(iteration({0, 0, 0}));
    CHECK_FALSE(namedRank(iterations));
}
