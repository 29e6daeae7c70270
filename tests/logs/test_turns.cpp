// SPDX-License-Identifier: MIT
// Two jobs that print into one log by turns, line by line, are no runs of a record or two each.
#include "core/logs/figure.h"
#include "core/logs/turns.h"
#include "tests/logs/examples.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <limits>
#include <string>
#include <vector>

using namespace ringside::logs;
using ringside::test::contentOf, ringside::test::lineForm;

namespace {

LogFormat steps()
{
    return {.name = "steps",
            .title = "Steps",
            .lines = {lineForm("step {iteration}: {items_per_second} images/s"),
                      lineForm("training begins", Meaning::start)}};
}

std::string stepLine(int iteration, double rate, const std::string& tag = {})
{
    return fmt::format("{}step {}: {} images/s\n", tag, iteration, rate);
}

/// Returns the log of jobs that begin at these iterations and print each tenth one, by turns.
std::string byTurns(const std::vector<int>& begins, int records, const std::string& tag = {})
{
    std::string log;
    for (int record = 1; record <= records; ++record)
        for (std::size_t job = 0; job < begins.size(); ++job)
            log += stepLine(begins[job] + 10 * record, 100 + static_cast<double>(job), tag);
    return log;
}

/// Returns the log of one job that is resumed: each run from where it goes on to where it ends.
std::string resumed(const std::vector<std::pair<int, int>>& runs)
{
    std::string log;
    for (std::size_t run = 0; run < runs.size(); ++run)
        for (int step = runs[run].first + 10; step <= runs[run].second; step += 10)
            log += stepLine(step, 100 + static_cast<double>(run));
    return log;
}

bool isUsed(const LogRun& run)
{
    const auto figure = figureOf(run, 1);
    return figure.itemsPerSecond || figure.perLane;
}

bool hasMixed(const LogContent& content)
{
    return std::ranges::any_of(content.findings, [](const Finding& finding) {
        return finding.code == FindingCode::mixedProcesses || finding.code == FindingCode::recordsByTurns;
    });
}

} // namespace

TEST_CASE("jobs that print by turns under one tag are found, and none of their lines is used")
{
    for (const std::vector<int>& begins : {std::vector{0, 0},
                                           {0, 500},
                                           {500, 0},
                                           {0, 10},
                                           {0, 0, 0},
                                           {0, 0, 500},
                                           {0, 100, 200},
                                           {0, 500, 1'000, 1'500},
                                           std::vector(16, 0)}) {
        for (const std::string tag : {"[1,0]<stdout>:", "0: ", ""}) {
            CAPTURE(begins.size());
            CAPTURE(begins.back());
            CAPTURE(tag);
            const LogContent content = contentOf(steps(), byTurns(begins, 40, tag), {.ranks = 1});
            CHECK(hasMixed(content));
            CHECK(std::ranges::none_of(content.runs, isUsed));
        }
    }
}

TEST_CASE("the finding names the line from which on the jobs print by turns")
{
    const std::string alone = resumed({{0, 200}});
    const LogContent content = contentOf(steps(), alone + "training begins\n" + byTurns({0, 500}, 40), {.ranks = 1});
    REQUIRE(content.findings.size() == 1);
    CHECK(content.findings[0].code == FindingCode::recordsByTurns);
    CHECK(content.findings[0].line == 24); // 20 alone, the beginning, and one of each job
    CHECK(content.findings[0].count == 1);
    REQUIRE(content.runs.size() > 1);
    CHECK(isUsed(content.runs.front()));
    CHECK(std::none_of(content.runs.begin() + 1, content.runs.end(), isUsed));
}

TEST_CASE("a run in front of jobs that print by turns is used, and so is one that a line announces behind them")
{
    const std::string alone = resumed({{0, 2'000}});
    for (const std::vector<int>& begins : {std::vector{0, 500}, {0, 0}, {0, 0, 0}, std::vector(16, 0)}) {
        CAPTURE(begins.size());
        CAPTURE(begins.back());
        const std::string log = alone + byTurns(begins, 40) + "training begins\n" + alone;
        const LogContent content = contentOf(steps(), log, {.ranks = 1});
        CHECK(hasMixed(content));
        REQUIRE(content.runs.size() > 2);
        CHECK(isUsed(content.runs.front()));
        CHECK(std::none_of(content.runs.begin() + 1, content.runs.end() - 1, isUsed));
        CHECK(isUsed(content.runs.back()));
    }
}

TEST_CASE("runs of a sweep that begin later each time are runs, however long they are")
{
    struct Sweep
    {
        const char* what;
        std::vector<std::pair<int, int>> runs; ///< first record and step
        std::vector<int> lengths;
    };
    const std::vector<Sweep> sweeps = {
        {"an epoch's iterations, by batch",
         {{100, 100}, {133, 133}, {200, 200}, {267, 267}, {400, 400}, {533, 533}, {800, 800}},
         {2, 3, 8, 90}},
        {"log interval", {{10, 10}, {15, 15}, {20, 20}, {30, 30}, {50, 50}, {75, 75}, {100, 100}}, {3, 8, 90}},
        {"warm-up", {{10, 10}, {15, 10}, {20, 10}, {25, 10}, {30, 10}, {35, 10}, {40, 10}}, {2, 3, 8, 90}},
        {"by time",
         {{100, 100}, {110, 110}, {120, 120}, {130, 130}, {140, 140}, {150, 150}, {160, 160}},
         {2, 3, 8, 90}}};
    for (const Sweep& sweep : sweeps)
        for (const int length : sweep.lengths) {
            CAPTURE(sweep.what);
            CAPTURE(length);
            std::string log;
            for (const auto& [first, step] : sweep.runs)
                for (int record = 0; record < length; ++record)
                    log += stepLine(first + record * step, 100);
            const LogContent content = contentOf(steps(), log, {.ranks = 1});
            CHECK(content.findings.empty());
            CHECK(content.runs.size() == sweep.runs.size());
            CHECK(std::ranges::all_of(content.runs, isUsed));
        }
}

TEST_CASE("runs that go on from a checkpoint, however often, are runs")
{
    std::vector<std::pair<int, int>> close, few, many;
    for (int restart = 0; restart < 40; ++restart) {
        close.emplace_back(10 * restart, 10 * restart + 30); // one record behind where the one before began
        few.emplace_back(30 * restart, 30 * restart + 50);   // five records, of which two were lost
        many.emplace_back(50 * restart, 50 * restart + 130);
    }
    for (const auto& runs : {close, few, many}) {
        const LogContent content = contentOf(steps(), resumed(runs), {.ranks = 1});
        CHECK_FALSE(hasMixed(content));
        CHECK(content.runs.size() == runs.size());
        CHECK(std::ranges::all_of(content.runs, isUsed));
    }
}

TEST_CASE("short runs that all begin at the same place, or that a line announces, are runs")
{
    std::string sweep, announced;
    for (int run = 0; run < 40; ++run) {
        sweep += stepLine(10, 100 + run) + stepLine(20, 200 + run);
        announced += "training begins\n" + stepLine(10 + 10 * run, 100 + run) + stepLine(20 + 10 * run, 200 + run);
    }
    for (const std::string& log : {sweep, announced}) {
        const LogContent content = contentOf(steps(), log, {.ranks = 1});
        CHECK_FALSE(hasMixed(content));
        CHECK(content.runs.size() == 40);
        CHECK(std::ranges::all_of(content.runs, isUsed));
    }
}

TEST_CASE("longer runs are turns where each of them is as long, and begins within the first step of the one before")
{
    const auto areTurns = [](const std::vector<int>& lengths) {
        Turns turns;
        bool isMixed = false;
        std::int64_t begin = 0;
        std::uint64_t line = 0;
        for (std::size_t run = 0; run < 30; ++run, begin += 10)
            for (int record = 0; record < lengths[run % lengths.size()]; ++record)
                isMixed |= turns.add({0, begin + 100 * record}, run, ++line);
        return isMixed;
    };
    CHECK(areTurns({3}));
    CHECK(areTurns({16}));
    CHECK_FALSE(areTurns({17}));
    CHECK_FALSE(areTurns({3, 5}));
}

TEST_CASE("epochs whose counters begin again are one run")
{
    const LogFormat format{.name = "epochs",
                           .title = "Epochs",
                           .lines = {lineForm("epoch {epoch} step {iteration}: {items_per_second} images/s")}};
    std::string log;
    for (int epoch = 0; epoch < 40; ++epoch)
        for (const int step : {10, 20})
            log += fmt::format("epoch {} step {}: {} images/s\n", epoch, step, 100 + epoch);
    const LogContent content = contentOf(format, log, {.ranks = 1});
    CHECK(content.findings.empty());
    REQUIRE(content.runs.size() == 1);
    CHECK(isUsed(content.runs.front()));
}

TEST_CASE("turns are counted at places of any numbers")
{
    constexpr auto kLeast = std::numeric_limits<std::int64_t>::min(), kMost = std::numeric_limits<std::int64_t>::max();
    Turns turns;
    bool isMixed = false;
    for (std::size_t run = 0; run < 20; ++run) {
        isMixed |= turns.add({0, kLeast + static_cast<std::int64_t>(run)}, run, 2 * run + 1);
        isMixed |= turns.add({0, kMost}, run, 2 * run + 2);
    }
    CHECK(isMixed);
    CHECK(turns.firstRun() == 0);
    CHECK(turns.firstLine() == 3);
}
