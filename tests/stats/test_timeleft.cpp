// SPDX-License-Identifier: MIT
#include "core/stats/timeleft.h"
#include "tests/support/seeds.h"

#include <doctest/doctest.h>
#include <random>

using namespace ringside::stats;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// The course of an experiment: runs in the order in which they ended, each of which knows how long it took.
struct Timeline
{
    std::vector<PastRun> runs;
    std::int64_t nowNs = 0;

    void run(const std::string& configuration, double seconds, const std::string& campaign = "a")
    {
        const std::int64_t start = nowNs;
        nowNs += static_cast<std::int64_t>(seconds * kSecond);
        runs.push_back({configuration, campaign, start, nowNs});
    }
    void pause(double seconds) { nowNs += static_cast<std::int64_t>(seconds * kSecond); }
};

/// Lengths as of a real experiment: three models whose runs take 9, 41 and 310 s give or take a tenth, repeat after
/// repeat, 2 to 4 s apart.
Timeline interleaved(int repeats, std::mt19937_64& random)
{
    std::uniform_real_distribution<double> about(0.9, 1.1), apart(2, 4);
    Timeline timeline;
    for (int repeat = 0; repeat < repeats; ++repeat)
        for (const auto& [configuration, seconds] : {std::pair("lenet", 9.0), {"alexnet", 41.0}, {"resnet50", 310.0}}) {
            timeline.run(configuration, seconds * about(random));
            timeline.pause(apart(random));
        }
    return timeline;
}

/// By what factor the time left was wrong after `done` of the runs.
double errorAfter(const Timeline& timeline, std::size_t done)
{
    const std::vector<PastRun> past(timeline.runs.begin(), timeline.runs.begin() + static_cast<std::ptrdiff_t>(done));
    std::vector<RunToDo> toDo;
    for (std::size_t i = done; i < timeline.runs.size(); ++i)
        toDo.push_back({timeline.runs[i].configuration});
    const double left = *secondsLeft(past, toDo);
    const double really = static_cast<double>(timeline.runs.back().endNs - past.back().endNs) / 1e9;
    return std::max(left / really, really / left);
}

} // namespace

TEST_CASE("after three runs of each configuration the time left is right within a factor of 1.5")
{
    for (const auto seed : ringside::test::seeds(1, 200)) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        const Timeline timeline = interleaved(8, random);
        for (std::size_t done = 9; done < timeline.runs.size(); ++done)
            CHECK(errorAfter(timeline, done) < 1.5);
    }
}

TEST_CASE("a night, a hold or lost contact between two runs is no pace")
{
    std::mt19937_64 random(1);
    Timeline timeline = interleaved(3, random);
    timeline.pause(9 * 3'600);
    const Timeline rest = interleaved(3, random);
    for (PastRun run : rest.runs) {
        run.startNs += timeline.nowNs;
        run.endNs += timeline.nowNs;
        timeline.runs.push_back(run);
    }
    for (std::size_t done = 10; done < timeline.runs.size(); ++done)
        CHECK(errorAfter(timeline, done) < 1.5);
}

TEST_CASE("long runs that come last are not taken for short ones")
{
    Timeline timeline;
    for (int i = 0; i < 3; ++i) {
        timeline.run("short", 10);
        timeline.run("long", 1'000);
    }
    for (int i = 0; i < 9; ++i)
        timeline.run("short", 10);
    const auto left = secondsLeft(timeline.runs, std::vector<RunToDo>(6, RunToDo{"long"}));
    CHECK(*left == doctest::Approx(6'000));
}

TEST_CASE("campaigns that run beside each other share the work")
{
    Timeline timeline;
    for (int i = 0; i < 6; ++i) {
        timeline.runs.push_back({"one", "a", i * 100 * kSecond, (i + 1) * 100 * kSecond});
        timeline.runs.push_back({"one", "b", i * 100 * kSecond, (i + 1) * 100 * kSecond});
    }
    std::vector<RunToDo> toDo(5, RunToDo{"one", 0, "a"});
    toDo.resize(10, RunToDo{"one", 0, "b"});
    CHECK(*secondsLeft(timeline.runs, toDo) == doctest::Approx(500));
}

TEST_CASE("the campaign that is last has nothing beside it any more")
{
    Timeline timeline; // as many runs on a site that is twice as slow
    for (int i = 0; i < 6; ++i)
        timeline.runs.push_back({"quick", "a", i * 50 * kSecond, (i + 1) * 50 * kSecond});
    for (int i = 0; i < 3; ++i)
        timeline.runs.push_back({"slow", "b", i * 100 * kSecond, (i + 1) * 100 * kSecond});
    CHECK(*secondsLeft(timeline.runs, std::vector<RunToDo>(3, RunToDo{"slow", 0, "b"})) == doctest::Approx(300));
    CHECK(*secondsLeft(timeline.runs, {{"slow", 40, "b"}}) == doctest::Approx(60));
}

TEST_CASE("what a run has done of its time is no longer left")
{
    Timeline timeline;
    timeline.run("one", 100);
    CHECK(*secondsLeft(timeline.runs, {{"one", 60}}) == doctest::Approx(40));
    CHECK(*secondsLeft(timeline.runs, {{"one", 160}}) == 0);
    CHECK(*secondsLeft(timeline.runs, {{"one", 60}, {"another"}}) == doctest::Approx(140));
    CHECK_FALSE(secondsLeft({}, {{"one"}}));
}
