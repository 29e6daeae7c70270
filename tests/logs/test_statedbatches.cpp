// SPDX-License-Identifier: MIT
// Logs whose lines state two batches: which of them the program trains with is not guessed.
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

LogFormat format()
{
    return {.name = "batches",
            .title = "Batches",
            .lines = {lineForm("batch size: {batch_per_rank}", Meaning::context),
                      lineForm("all batches: {batch_global}", Meaning::context),
                      lineForm("training begins", Meaning::start),
                      lineForm("process of batch {batch_per_rank}", Meaning::reporter),
                      lineForm("begin with batch {batch_per_rank}", Meaning::start),
                      lineForm("step {iteration}: {iterations_per_second} its/s, batch {batch_per_rank}"),
                      lineForm("step {iteration}: {iterations_per_second} its/s")}};
}

std::string steps(int from = 1, const std::string& behind = {}, const std::string& tag = {})
{
    std::string log;
    for (int step = from; step < from + 5; ++step)
        log += fmt::format("{}step {}: 2 its/s{}\n", tag, step, behind);
    return log;
}

/// Returns the batch of each run.
std::vector<std::int64_t> batchesIn(const LogContent& content)
{
    std::vector<std::int64_t> batches;
    for (const LogRun& run : content.runs)
        batches.push_back(run.settings.batchPerRank.value_or(0));
    return batches;
}

std::vector<Finding> unclearIn(const LogContent& content)
{
    std::vector<Finding> found;
    std::ranges::copy_if(content.findings, std::back_inserter(found),
                         [](const Finding& finding) { return finding.code == FindingCode::batchUnclear; });
    return found;
}

} // namespace

TEST_CASE("two batches in a header are found, and neither is used")
{
    const std::string log = "batch size: 32\nbatch size: 256\n" + steps();
    const LogContent content = contentOf(format(), log, {.ranks = 1});
    REQUIRE(unclearIn(content).size() == 1);
    CHECK(unclearIn(content)[0].line == 2);
    CHECK(unclearIn(content)[0].printed == 256);
    CHECK(unclearIn(content)[0].against == 32);
    REQUIRE(content.runs.size() == 1);
    CHECK_FALSE(content.runs[0].settings.batchPerRank);
    CHECK(content.runs[0].stated[0].isUnclear());
    const LogFigure figure = figureOf(content.runs[0], 1);
    CHECK_FALSE(figure.itemsPerSecond);
    CHECK(figure.missing == std::vector<std::string_view>{"batch_per_rank"});
    // The user says which it is.
    const LogContent told = contentOf(format(), log, {.batchPerRank = 32, .ranks = 1});
    CHECK(figureOf(told.runs.at(0), 1).itemsPerSecond == 64);
    CHECK(unclearIn(told).empty());
    const LogContent again = contentOf(format(), "batch size: 32\nbatch size: 256\nbatch size: 32\n" + steps());
    CHECK(unclearIn(again).size() == 1);
    CHECK_FALSE(again.runs.at(0).settings.batchPerRank);
}

TEST_CASE("the batch of a run that ended before its first record is not the next one's")
{
    for (const std::string log :
         {"training begins\nbatch size: 64\ntraining begins\nbatch size: 32\n",
          "begin with batch 64\nbegin with batch 32\n", "process of batch 64\nprocess of batch 32\n",
          "batch size: 64\nout of memory\nbatch size: 32\n"}) {
        CAPTURE(log);
        const LogContent content = contentOf(format(), log + steps(), {.ranks = 1});
        CHECK(content.findings.empty());
        CHECK(batchesIn(content) == std::vector<std::int64_t>{32});
    }
}

TEST_CASE("ranks that print batches and no records change nothing of later runs")
{
    std::string tagged, flushed; // by the one rank at once, by the other when it ends
    for (const int batch : {64, 32}) {
        const std::string line = fmt::format("batch size: {}\n", batch);
        tagged += "[1] " + line + "[0] " + line + steps(1, {}, "[0] ");
        flushed += line + "a model\n" + steps() + line + "a model\n";
    }
    for (const std::string& log : {tagged, flushed}) {
        const LogContent content = contentOf(format(), log, {.ranks = 1});
        CHECK(unclearIn(content).empty());
        CHECK(batchesIn(content) == std::vector<std::int64_t>{64, 32});
    }
    // The batch of the run in which such a rank states it is known, too.
    const std::string one = "[1] batch size: 64\n" + steps(1, {}, "[0] ");
    CHECK(batchesIn(contentOf(format(), one)) == std::vector<std::int64_t>{64});
    CHECK(batchesIn(contentOf(format(), one + steps(1, {}, "[0] "))) == std::vector<std::int64_t>{0, 0});
}

TEST_CASE("a number that is no batch counts for nothing")
{
    const std::string digits(300, '9');
    for (const std::string& none : {std::string("0"), std::string("-1"), digits})
        for (const std::string& log :
             {"batch size: 32\nbatch size: " + none + "\n", "batch size: " + none + "\nbatch size: 32\n"}) {
            CAPTURE(log);
            const LogContent content = contentOf(format(), log + steps(), {.ranks = 1});
            CHECK(unclearIn(content).empty());
            CHECK(batchesIn(content) == std::vector<std::int64_t>{32});
        }
}

TEST_CASE("where records state the one batch, the other one may be unclear")
{
    const std::string log = "all batches: 64\nall batches: 128\n" + steps(1, ", batch 32");
    const LogContent content = contentOf(format(), log, {.ranks = 2});
    CHECK(unclearIn(content).size() == 1);
    CHECK_FALSE(content.runs.at(0).settings.batchGlobal);
    CHECK(content.runs.at(0).settings.batchPerRank == 32);
}

TEST_CASE("another batch behind records of the same run is none of the run's")
{
    const std::string log = "batch size: 32\n" + steps() + "batch size: 100\n"; // a validation's, or the next run's
    const LogContent last = contentOf(format(), log);
    CHECK(unclearIn(last).empty());
    CHECK(batchesIn(last) == std::vector<std::int64_t>{32});
    const LogContent between = contentOf(format(), log + steps(6));
    REQUIRE(unclearIn(between).size() == 1);
    CHECK(unclearIn(between)[0].line == 7); // not that of the record behind it
    CHECK(batchesIn(between) == std::vector<std::int64_t>{0});
}

TEST_CASE("batches that agree, or are those of different runs, are used")
{
    const std::string twice = "batch size: 32\nbatch size: 32\n" + steps();
    const LogContent content = contentOf(format(), twice + "batch size: 64\n" + steps());
    CHECK(unclearIn(content).empty());
    REQUIRE(content.runs.size() == 2);
    CHECK(content.runs[0].settings.batchPerRank == 32);
    CHECK(content.runs[1].settings.batchPerRank == 64);
    const LogContent begun = contentOf(format(), "batch size: 32\nbegin with batch 64\n" + steps());
    CHECK(unclearIn(begun).empty());
    CHECK(begun.runs.at(0).settings.batchPerRank == 64);
}

TEST_CASE("runs of two records that state different batches are a sweep, however many they are")
{
    std::string log;
    std::vector<std::int64_t> batches;
    for (int run = 1; run <= 20; ++run) {
        batches.push_back(16 * run);
        log += fmt::format("batch size: {}\nstep 10: 2 its/s\nstep 20: {} its/s\n", batches.back(), run);
    }
    const LogContent content = contentOf(format(), log, {.ranks = 1});
    CHECK(content.findings.empty());
    CHECK(batchesIn(content) == batches);
    // Processes that report their own batches may be ranks.
    const std::string late = "process of batch 32\nstep 1: 2 its/s\nprocess of batch 16\nstep 1: 3 its/s\n"
                             "step 2: 2 its/s\nstep 2: 3 its/s\n";
    const LogContent ranks = contentOf(format(), late);
    CHECK(unclearIn(ranks).empty());
    REQUIRE(ranks.runs.size() == 1);
    CHECK(ranks.runs[0].lanes.size() == 2);
    CHECK(batchesIn(ranks) == std::vector<std::int64_t>{0});
}

TEST_CASE("a batch that each record states may change")
{
    const LogContent content = contentOf(format(), steps(1, ", batch 16") + steps(6, ", batch 32"), {.ranks = 1});
    CHECK(unclearIn(content).empty());
    REQUIRE(content.runs.size() == 1);
    CHECK(content.runs[0].lanes.at(0).records.at(0).itemRate == 32);
    CHECK(content.runs[0].lanes.at(0).records.at(9).itemRate == 64);
    const LogFigure figure = figureOf(content.runs[0], 1);
    CHECK(figure.itemsPerSecond == 64); // of four records by 16 and five by 32
    CHECK(findingsOf(content.runs[0], figure, 1).empty());
    CHECK(batchesIn(content) == std::vector<std::int64_t>{16});
    // The log's batch wins over another answer of the user.
    CHECK(batchesIn(contentOf(format(), steps(1, ", batch 16"), {.batchPerRank = 8})) == std::vector<std::int64_t>{16});
}

TEST_CASE("ranks that state different batches are found, in any order of their lines")
{
    std::vector<std::vector<std::string>> lines(2);
    for (std::size_t rank = 0; rank < 2; ++rank) {
        lines[rank].push_back(fmt::format("[{}] batch size: {}\n", rank, rank == 0 ? 32 : 64));
        for (int step = 1; step <= 5; ++step)
            lines[rank].push_back(fmt::format("[{}] step {}: {} its/s\n", rank, step, 2 + rank));
    }
    std::mt19937 random(5);
    for (int round = 0; round < 50; ++round) {
        const LogContent content = contentOf(format(), interleaved(lines, random));
        REQUIRE(content.runs.size() == 1);
        CHECK(unclearIn(content).size() == 1);
        CHECK_FALSE(content.runs[0].settings.batchPerRank);
        CHECK(content.runs[0].lanes.size() == 2);
    }
}
