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
                      lineForm("begin with batch {batch_per_rank}", Meaning::start),
                      lineForm("step {iteration}: {iterations_per_second} its/s, batch {batch_per_rank}"),
                      lineForm("step {iteration}: {iterations_per_second} its/s")}};
}

std::string steps(int from = 1, const std::string& behind = {})
{
    std::string log;
    for (int step = from; step < from + 5; ++step)
        log += fmt::format("step {}: 2 its/s{}\n", step, behind);
    return log;
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
    CHECK(content.runs[0].isBatchUnclear);
    const LogFigure figure = figureOf(content.runs[0], 1);
    CHECK_FALSE(figure.itemsPerSecond);
    CHECK(figure.missing == std::vector<std::string_view>{"batch_per_rank"});
    // The user says which it is.
    const LogContent told = contentOf(format(), log, {.batchPerRank = 32, .ranks = 1});
    CHECK(figureOf(told.runs.at(0), 1).itemsPerSecond == 64);
}

TEST_CASE("another batch behind records of the same run is none of the run's")
{
    for (const std::string& behind : {steps(6), std::string()}) { // a validation's, with records behind it or not
        const LogContent content = contentOf(format(), "batch size: 32\n" + steps() + "batch size: 100\n" + behind);
        REQUIRE(content.runs.size() == 1);
        CHECK(unclearIn(content).size() == 1);
        CHECK_FALSE(content.runs[0].settings.batchPerRank);
    }
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

TEST_CASE("a batch that each record states may change")
{
    const LogContent content = contentOf(format(), steps(1, ", batch 16") + steps(6, ", batch 32"), {.ranks = 1});
    CHECK(unclearIn(content).empty());
    REQUIRE(content.runs.size() == 1);
    CHECK(content.runs[0].lanes.at(0).records.at(0).itemRate == 32);
    CHECK(content.runs[0].lanes.at(0).records.at(9).itemRate == 64);
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
