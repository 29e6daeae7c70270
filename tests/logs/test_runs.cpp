// SPDX-License-Identifier: MIT
// Borders between runs, by the epochs that processes announce.
#include "core/logs/figure.h"
#include "tests/logs/examples.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <random>
#include <string>
#include <vector>

using namespace ringside::logs;
using ringside::test::contentOf, ringside::test::interleaved, ringside::test::lineForm;

namespace {

/// As Keras prints with verbose=2.
LogFormat announcedEpochs()
{
    return {.name = "announced",
            .title = "Announced",
            .lines = {lineForm("^Epoch {epoch}/{epochs}", Meaning::context),
                      lineForm("^{iterations}/{total_iterations} - {duration} - {duration_per_iteration}/step",
                               Meaning::epoch)}};
}

/// Lines of runs of two epochs, one behind the other.
std::vector<std::string> linesOfSweep(const std::vector<int>& milliseconds)
{
    std::vector<std::string> lines;
    for (const int ms : milliseconds)
        for (int epoch = 1; epoch <= 2; ++epoch) {
            lines.push_back(fmt::format("Epoch {}/2\n", epoch));
            lines.push_back(fmt::format("100/100 - {0}s - {1}ms/step - loss: 2.3{1}\n", ms / 10, ms + epoch));
        }
    return lines;
}

} // namespace

TEST_CASE("an epoch that is announced again begins another run")
{
    std::string log;
    for (const std::string& line : linesOfSweep({50, 90, 170}))
        log += line;
    const LogContent content = contentOf(announcedEpochs(), log, {.batchPerRank = 32});
    REQUIRE(content.runs.size() == 3);
    CHECK(content.findings.empty());
    for (std::size_t run = 0; run < 3; ++run) {
        REQUIRE(content.runs[run].lanes.size() == 1);
        CHECK(content.runs[run].lanes[0].epochs.size() == 2);
        CHECK(content.runs[run].firstLine == 1 + 4 * run);
        CHECK(figureOf(content.runs[run], 1).missing == std::vector<std::string_view>{"ranks"});
    }
    CHECK(figureOf(content.runs[2], 1).perLane == doctest::Approx(32 / 0.172));
}

TEST_CASE("ranks with tags announce their epochs in any order, over several runs")
{
    std::vector<std::vector<std::string>> lines(3);
    for (std::size_t rank = 0; rank < 3; ++rank)
        for (const std::string& line : linesOfSweep({50, 90, 170}))
            lines[rank].push_back(fmt::format("{}: {}", rank, line));
    std::mt19937 random(13);
    for (int round = 0; round < 100; ++round) {
        const std::string log = interleaved(lines, random);
        CAPTURE(log);
        const LogContent content = contentOf(announcedEpochs(), log);
        REQUIRE(content.runs.size() == 3);
        for (const LogRun& run : content.runs) {
            REQUIRE(run.lanes.size() == 3);
            for (const LogLane& lane : run.lanes)
                CHECK(lane.epochs.size() == 2);
        }
    }
}

namespace {

LogFormat steps()
{
    return {.name = "steps",
            .title = "Steps",
            .lines = {lineForm("step {iteration}: {items_per_second} images/s"),
                      lineForm("batch size: {batch_per_rank}", Meaning::context)}};
}

std::string stepLine(int iteration, double rate)
{
    return fmt::format("step {}: {} images/s\n", iteration, rate);
}

/// As of two processes into one pipe: each writes `block` lines at once, the second one `late` fewer at first.
std::string inBlocks(int block, int late, int steps, const std::string& tag = {})
{
    std::string log;
    int printed[2] = {0, 0};
    while (printed[1] < steps)
        for (int process = 0; process < 2; ++process) {
            const int end = printed[process] + block - (process == 1 && printed[1] == 0 ? late : 0);
            while (printed[process] < std::min(end, steps))
                log += tag + stepLine(++printed[process], 100 + process);
        }
    return log;
}

bool isUsed(const LogRun& run)
{
    return figureOf(run, 1).perLane.has_value();
}

} // namespace

TEST_CASE("processes whose lines alternate in blocks are found, and none of their lines is used")
{
    for (const auto& [block, late] : {std::pair(50, 2), {64, 1}, {7, 3}}) {
        const LogContent content = contentOf(steps(), inBlocks(block, late, 400), {.batchPerRank = 32, .ranks = 2});
        CAPTURE(block);
        REQUIRE(content.findings.size() == 1);
        CHECK(content.findings[0].code == FindingCode::mixedProcesses);
        CHECK(content.findings[0].line == static_cast<std::uint64_t>(2 * block - late + 1));
        CHECK(std::ranges::none_of(content.runs, isUsed));
    }
    const LogContent equal = contentOf(steps(), inBlocks(50, 0, 400), {.batchPerRank = 32, .ranks = 2});
    CHECK(std::ranges::none_of(equal.runs, isUsed));
    std::string ahead; // one is four lines ahead of the other
    for (int step = 1; step <= 20; ++step)
        ahead += stepLine(step, 100) + (step > 4 ? stepLine(step - 4, 101) : std::string());
    CHECK(std::ranges::none_of(contentOf(steps(), ahead).runs, isUsed));
    const LogContent twoJobs = contentOf(steps(), inBlocks(10, 1, 50, "[1,0]<stdout>:"));
    CHECK(std::ranges::none_of(twoJobs.runs, isUsed));
}

TEST_CASE("runs one behind the other are no mixed lines, from wherever each goes on")
{
    std::string log;
    for (const auto& [from, to] : {std::pair(0, 100), {60, 200}, {0, 300}, {300, 310}, {10, 330}, {310, 500}})
        for (int step = from + 10; step <= to; step += 10)
            log += stepLine(step, 100);
    const LogContent content = contentOf(steps(), log, {.batchPerRank = 32});
    CHECK(content.findings.empty());
    CHECK(content.runs.size() == 5);
    CHECK(std::ranges::all_of(content.runs, isUsed));
}

TEST_CASE("a job that prints its settings when it is resumed is one job, from wherever it goes on")
{
    const auto resumed = [](const std::vector<std::pair<int, int>>& runs) {
        std::string log;
        double rate = 100;
        for (const auto& [from, to] : runs) {
            log += "batch size: 32\n";
            for (int step = from + 10; step <= to; step += 10)
                log += stepLine(step, rate);
            ++rate;
        }
        return contentOf(steps(), log);
    };
    std::vector<std::pair<int, int>> halves, crashes = {{0, 210}};
    for (int restart = 0; restart < 5; ++restart)
        halves.emplace_back(200 * restart, 200 * restart + 400);
    for (int restart = 0; restart < 20; ++restart)
        crashes.emplace_back(200 + 10 * restart, 220 + 10 * restart);
    for (const auto& runs : {halves, crashes}) {
        const LogContent content = resumed(runs);
        CHECK(content.findings.empty());
        CHECK(content.runs.size() == runs.size());
        CHECK(std::ranges::all_of(content.runs, isUsed));
    }
}

TEST_CASE("processes whose lines alternate in blocks are found behind their settings, too")
{
    for (const int late : {0, 2}) {
        const std::string blocks = inBlocks(50, late, 400), first = inBlocks(50, 0, 50);
        const std::string ofOne = first.substr(0, first.size() / 2), header = "batch size: 32\n";
        REQUIRE(blocks.starts_with(ofOne));
        const LogContent content = contentOf(steps(), header + ofOne + header + blocks.substr(ofOne.size()));
        CHECK(std::ranges::none_of(content.runs, isUsed));
    }
}

TEST_CASE("an epoch whose record is lost leaves the numbers of those that follow as they were announced")
{
    const LogFormat format{.name = "bars",
                           .title = "Bars",
                           .lines = {lineForm("Epoch {epoch} begins", Meaning::context),
                                     lineForm("{iterations} done in {seconds}s", Meaning::epoch)}};
    const auto read = [&](const std::vector<std::string>& tags, int lost) {
        std::string log;
        for (int epoch = 1; epoch <= 4; ++epoch) {
            for (const std::string& tag : tags)
                log += fmt::format("{}Epoch {} begins\n", tag, epoch);
            for (const std::string& tag : tags)
                log +=
                    epoch == lost ? tag + "10 done in\n" : fmt::format("{}10 done in {}s\n", tag, epoch + tags.size());
        }
        return contentOf(format, log);
    };
    for (const auto& tags :
         std::vector<std::vector<std::string>>{{""}, {"[1,0]<stdout>:"}, {"[1,0]<stdout>:", "[1,1]<stdout>:"}}) {
        CHECK(read(tags, 0).findings.empty());
        for (const int lost : {1, 2, 3}) {
            const LogContent content = read(tags, lost);
            REQUIRE(content.runs.size() == 1);
            REQUIRE(content.runs[0].lanes.size() == tags.size());
            std::vector<std::int64_t> epochs;
            for (const LogRecord& record : content.runs[0].lanes[0].epochs)
                epochs.push_back(*record.epoch);
            std::vector<std::int64_t> expected{1, 2, 3, 4};
            std::erase(expected, lost);
            CHECK(epochs == expected);
            REQUIRE(content.findings.size() == 1);
            CHECK(content.findings[0].code == FindingCode::epochsMissing);
            CHECK(content.findings[0].printed == lost);
            CHECK(content.findings[0].count == tags.size());
        }
        CHECK(read(tags, 4).findings.empty()); // as of a run that was ended
    }
    // Two processes without tags announce each epoch twice, and one may be an epoch ahead.
    const LogContent two = contentOf(format, "Epoch 1 begins\nEpoch 1 begins\n10 done in 2s\nEpoch 2 begins\n"
                                             "10 done in 3s\nEpoch 2 begins\n10 done in 2s\n10 done in 3s\n");
    REQUIRE(two.runs.size() == 1);
    REQUIRE(two.runs[0].lanes.size() == 2);
    for (const LogLane& lane : two.runs[0].lanes)
        CHECK(lane.epochs.size() == 2);
}

TEST_CASE("intervals that hold an evaluation are in no rate where others hold none")
{
    const LogFormat format{.name = "solver",
                           .title = "Solver",
                           .lines = {lineForm("Iteration {iteration} at {items_per_second} images/s"),
                                     lineForm("Testing net", Meaning::test)}};
    const auto rateOf = [&](int everyTested) {
        std::string log;
        for (int record = 0; record < 13; ++record) {
            const bool isTested = record % 3 < everyTested;
            log += fmt::format("{}Iteration {} at {} images/s\n", isTested ? "Testing net\n" : "", 20 * record,
                               isTested ? 60 : 100);
        }
        return figureOf(contentOf(format, log, {.ranks = 1}).runs.at(0), 1).itemsPerSecond;
    };
    CHECK(rateOf(0) == 100);
    CHECK(rateOf(2) == 100); // two of three are slower
    CHECK(rateOf(3) == 60);
}
