// SPDX-License-Identifier: MIT
// Equal lines of ranks without tags, and several lines of one rank that say the same.
#include "core/logs/figure.h"
#include "tests/logs/examples.h"

#include <array>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <random>
#include <string>
#include <vector>

using namespace ringside::logs;
using ringside::test::contentOf, ringside::test::interleaved, ringside::test::lineForm;

namespace {

/// As torchtitan prints: the loss is that of all ranks, and tokens per second are nearly the same on each.
LogFormat steps()
{
    return {.name = "steps",
            .title = "Steps",
            .lines = {lineForm("step: {iteration} loss: {loss} {} tps: {items_per_second}")}};
}

std::string stepLine(int step, int second, int rate, double memory = 24.91)
{
    return fmt::format(
        "[titan] 2026-11-21 08:43:{:02},1{:02} - root - INFO - step: {:2}  loss: {:8.5f}  memory: {}GiB  "
        "tps: {}  mfu: 9.90%\n",
        10 + step, second, step, 8.1 - step / 10.0, memory, rate);
}

/// As MXNet prints for two metrics.
LogFormat metrics()
{
    return {.name = "metrics",
            .title = "Metrics",
            .lines = {lineForm("Epoch[{epoch}] Batch [{iteration}] Speed: {items_per_second} samples/sec{?} "
                               "cross-entropy={loss}")}};
}

std::vector<std::string> metricLines(int iteration, double speed)
{
    std::vector<std::string> lines;
    for (const char* metric : {"accuracy", "top_k_accuracy_5"})
        lines.push_back(
            fmt::format("Epoch[0] Batch [{}]\tSpeed: {:.2f} samples/sec\t{}=0.5\n", iteration, speed, metric));
    return lines;
}

} // namespace

TEST_CASE("equal lines of a step are one rank's each")
{
    constexpr int kRanks = 8, kSteps = 8;
    std::string log;
    for (int step = 1; step <= kSteps; ++step)
        for (int rank = 0; rank < kRanks; ++rank)
            log += stepLine(step, rank, 10'050 - (rank + step) % 2);
    for (const auto told : {std::optional<std::int64_t>(), std::optional<std::int64_t>(kRanks)}) {
        const LogContent content = contentOf(steps(), log, {.ranks = told});
        REQUIRE(content.runs.size() == 1);
        const LogRun& run = content.runs[0];
        REQUIRE(run.lanes.size() == kRanks);
        for (const LogLane& lane : run.lanes)
            CHECK(lane.records.size() == kSteps);
        CHECK(findingsOf(run, figureOf(run, 1), 1).empty());
        REQUIRE(content.findings.size() == 1);
        CHECK(content.findings[0].code == FindingCode::linesOfTwoRanks);
        if (told)
            CHECK(*figureOf(run, 1).itemsPerSecond == doctest::Approx(8 * 10'050).epsilon(0.001));
    }
}

TEST_CASE("an equal line is that of a rank which has not come so far, in whatever words")
{
    std::string log;
    for (int step = 1; step <= 6; ++step)
        for (int rank = 0; rank < 3; ++rank)
            log += stepLine(step, rank, step == 1 ? 3'000 + rank : 10'050, 24.9 + 0.1 * rank);
    const LogContent content = contentOf(steps(), log, {.ranks = 3});
    REQUIRE(content.runs.size() == 1);
    REQUIRE(content.runs[0].lanes.size() == 3);
    for (const LogLane& lane : content.runs[0].lanes)
        CHECK(lane.records.size() == 6);
}

TEST_CASE("lines for each metric of a rank are one record, in whatever order two ranks print them")
{
    for (unsigned seed = 1; seed <= 50; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        std::string log;
        for (int run = 0; run < 2; ++run)
            for (int iteration = 20; iteration <= 100; iteration += 20)
                log += interleaved(
                    {metricLines(iteration, 540.5 + iteration), metricLines(iteration, 541.5 + iteration)}, random);
        const LogContent content = contentOf(metrics(), log, {.batchPerRank = 32, .ranks = 2});
        REQUIRE(content.runs.size() == 2);
        for (const LogRun& run : content.runs) {
            REQUIRE(run.lanes.size() == 2);
            for (const LogLane& lane : run.lanes)
                CHECK(lane.records.size() == 5);
        }
    }
}

TEST_CASE("a line that comes again behind the first records of a rank is no other rank's, and no other run's")
{
    std::string log;
    for (int step = 1; step <= 6; ++step)
        log += stepLine(step, 0, 10'000 + step);
    const LogContent content = contentOf(steps(), log + stepLine(6, 0, 10'006), {.ranks = 1});
    REQUIRE(content.runs.size() == 1);
    REQUIRE(content.runs[0].lanes.size() == 1);
    CHECK(content.runs[0].lanes[0].records.size() == 6);
}
