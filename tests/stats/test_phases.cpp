// SPDX-License-Identifier: MIT
#include "core/stats/phases.h"

#include <doctest/doctest.h>
#include <random>

using namespace ringside;
using namespace ringside::stats;

TEST_CASE("Loading is a mean like the phases, and no part of their sum")
{
    const RankPhaseSums first{10, {10'000'000}, 0, 20'000'000, 300'000'000}; // 1, 2 and 30 ms
    const RankPhaseSums second{5, {15'000'000}, 0, 20'000'000, 50'000'000};  // 3, 4 and 10 ms
    const MeanIteration run = meanIteration({first, second});
    CHECK(run.read == doctest::Approx(3));
    CHECK(run.decode == doctest::Approx(20));
    CHECK(run.length() == doctest::Approx(2));
    CHECK(meanOverRuns({run, MeanIteration{}}).decode == doctest::Approx(10));
}

TEST_CASE("Phases are means over iterations, then ranks, then runs")
{
    const RankPhaseSums first{10, {0, 0, 30'000'000, 60'000'000, 10'000'000, 0, 0}, 40'000'000};
    const RankPhaseSums second{5, {0, 0, 25'000'000, 30'000'000, 10'000'000, 0, 0}, 20'000'000};
    const MeanIteration run = meanIteration({first, second});
    CHECK(run.phases[2] == doctest::Approx(4)); // (3 + 5) / 2: ranks count the same, whatever their iterations
    CHECK(run.phases[3] == doctest::Approx(6));
    CHECK(run.length() == doctest::Approx(11.5));
    CHECK(run.hiddenCommunication() == doctest::Approx(4 - 1.5));
    CHECK(meanOverRuns({run, MeanIteration{}}).phases[2] == doctest::Approx(2));
}

TEST_CASE("Ranks without iterations are left out, and no run at all is all zero")
{
    const MeanIteration run = meanIteration({{4, {8'000'000, 0, 0, 0, 0, 0, 0}, 0}, {}});
    CHECK(run.phases[0] == doctest::Approx(2));
    CHECK(meanIteration({}).length() == 0);
    CHECK(meanOverRuns({}).length() == 0);
}

TEST_CASE("Communication that is all exposed is not hidden, whatever the clocks say")
{
    CHECK(meanIteration({{1, {0, 0, 0, 0, 1'000'000, 0, 0}, 999'000}}).hiddenCommunication() == 0);
}

TEST_CASE("Mean phases add up to the mean length, for any runs")
{
    std::mt19937_64 random(1);
    std::uniform_int_distribution<std::int64_t> ns(0, 1'000'000'000);
    for (int trial = 0; trial < 200; ++trial) {
        std::vector<MeanIteration> runs;
        double lengths = 0;
        for (int run = 0; run < 6; ++run) {
            std::vector<RankPhaseSums> ranks(4);
            for (RankPhaseSums& rank : ranks) {
                rank.iterations = static_cast<std::uint32_t>(1 + random() % 50);
                for (auto& phase : rank.phases)
                    phase = ns(random);
            }
            runs.push_back(meanIteration(ranks));
            lengths += runs.back().length() / 6;
        }
        CHECK(meanOverRuns(runs).length() == doctest::Approx(lengths).epsilon(1e-12));
    }
}

TEST_CASE("A phase that one rank or run does not report is absent for all, and is part of the rest")
{
    const PhaseSet some{Phase::forward, Phase::backward, Phase::commExposed}, fewer{Phase::forward, Phase::update};
    const RankPhaseSums all{10, {10'000'000, 0, 30'000'000, 60'000'000, 10'000'000, 0, 0}, 40'000'000};
    RankPhaseSums less{10, {0, 0, 30'000'000, 60'000'000, 10'000'000, 0, 10'000'000}, 40'000'000};
    less.told = some;
    const MeanIteration run = meanIteration({all, less});
    CHECK(run.told == some);
    CHECK(run.phases[0] == 0);
    CHECK(run.phases[3] == doctest::Approx(6));
    CHECK(run.phases[6] == doctest::Approx(1)); // of both ranks, one of which reports where it is
    CHECK(run.length() == doctest::Approx(11));
    CHECK(run.hiddenCommunication() == doctest::Approx(3));
    MeanIteration other = meanIteration({all});
    other.told = fewer;
    const MeanIteration both = meanOverRuns({run, other});
    CHECK(both.told == PhaseSet{Phase::forward});
    CHECK(both.length() == doctest::Approx(11));
    CHECK(both.phases[2] == doctest::Approx(3));
    CHECK(both.phases[6] == doctest::Approx(8));
    CHECK(both.hiddenCommunication() == 0); // not known
    CHECK(meanOverRuns({}).told.hasAll());
}
