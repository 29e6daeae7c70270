// SPDX-License-Identifier: MIT
#include "core/logs/stampedrate.h"

#include "core/logs/figure.h"
#include "tests/logs/examples.h"

#include <cmath>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <set>
#include <string>

using namespace ringside::logs;
using ringside::test::contentOf, ringside::test::lineForm;

namespace {

LogFormat rates()
{
    return {.name = "rates",
            .title = "Rates",
            .lines = {lineForm("Iteration {iteration} ({items_per_second} images/s")},
            .warmupRecords = 1};
}

LogFormat solver()
{
    return {.name = "solver",
            .title = "Solver",
            .lines = {lineForm("Iteration {iteration} ({iterations_per_second} iter/s, {seconds}s/")},
            .warmupRecords = 1};
}

/// So many records of 20 iterations each, of 2 s by their stamps, which report other times.
LogContent reporting(double seconds, int records, double printedIn = 2)
{
    std::string log;
    for (int line = 1; line <= records; ++line) {
        const double now = line * printedIn;
        log += fmt::format("I20261121 08:{:02}:{:06.3f} solver.cpp:239] Iteration {} ({:.1f} images/s)\n",
                           static_cast<int>(now) / 60, std::fmod(now, 60), line * 20, 640 / seconds);
    }
    return contentOf(rates(), log, {.batchPerRank = 32, .ranks = 1});
}

/// Records of 20 iterations each, of 2 s by their stamps; those of `hurried` lines report half of it, and before those
/// of `paused` lines half a minute passed.
std::string logOf(const std::set<int>& hurried, const std::set<int>& paused)
{
    std::string log;
    int now = 0;
    for (int line = 1; line <= 20; ++line) {
        now += paused.contains(line) ? 32 : 2;
        const double seconds = hurried.contains(line) ? 1 : 2;
        log +=
            fmt::format("I20261121 08:{:02}:{:02}.000 solver.cpp:239] Iteration {} ({:.1f} iter/s, {:.1f}s/20 iters)\n",
                        now / 60, now % 60, line * 20, 20 / seconds, seconds);
    }
    return log;
}

LogContent readLog(const std::set<int>& hurried, const std::set<int>& paused)
{
    return contentOf(solver(), logOf(hurried, paused), {.batchPerRank = 32, .ranks = 1});
}

} // namespace

TEST_CASE("a record that reports less time than passed, while that is as ever, is refused with its line")
{
    const LogContent content = readLog({5, 9, 13}, {});
    REQUIRE(content.findings.size() == 1);
    CHECK(content.findings[0].code == FindingCode::recordAgainstStamps);
    CHECK(content.findings[0].line == 5);
    CHECK(content.findings[0].count == 3);
    CHECK(content.findings[0].printed == doctest::Approx(1));
    CHECK(content.findings[0].against == doctest::Approx(2));
    const LogFigure figure = figureOf(content.runs[0], 1);
    CHECK(figure.refused == 3);
    CHECK(figure.itemsPerSecond == doctest::Approx(320));
    for (const LaneWork& lane : workOf(content.runs[0], figure, 1))
        for (const Work& work : lane.works)
            CHECK(work.items / work.seconds == doctest::Approx(320));
}

TEST_CASE("a pause between two records speaks against none of them")
{
    const LogContent content = readLog({}, {6, 11});
    CHECK(content.findings.empty());
    CHECK(figureOf(content.runs[0], 1).refused == 0);
}

TEST_CASE("where most records report less time than passed, none of them is used")
{
    const LogContent content = readLog({3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18}, {});
    CHECK(content.findings.empty());
    const LogFigure figure = figureOf(content.runs[0], 1);
    REQUIRE(figure.contradictions.size() == 1);
    CHECK(figure.contradictions[0].code == FindingCode::rateAgainstStamps);
    CHECK_FALSE(figure.itemsPerSecond);
}

TEST_CASE("records that report more time than passed are not used, however slow they make it")
{
    for (const double seconds : {1.0, 1.9, 2.1, 4.0, 30.0}) {
        CAPTURE(seconds);
        const LogContent content = reporting(seconds, 20);
        CHECK_FALSE(figureOf(content.runs[0], 1).itemsPerSecond);
    }
    CHECK(figureOf(reporting(2, 20).runs[0], 1).itemsPerSecond);
}

TEST_CASE("where most records report a time that is longer than passed, the few that agree are no figure")
{
    const auto read = [](int agreeing) {
        std::string log;
        for (int line = 1; line <= 20; ++line) {
            const double seconds = line <= agreeing ? 2 : 3;
            log += fmt::format("I20261121 08:00:{:02}.000 solver.cpp:239] Iteration {} ({:.2f} iter/s, {:.1f}s/20)\n",
                               2 * line, line * 20, 20 / seconds, seconds);
        }
        return contentOf(solver(), log, {.batchPerRank = 32, .ranks = 1});
    };
    const LogContent most = read(3);
    CHECK(most.findings.at(0).count == 17);
    const LogFigure figure = figureOf(most.runs.at(0), 1);
    CHECK_FALSE(figure.itemsPerSecond);
    REQUIRE(figure.contradictions.size() == 1);
    CHECK(figure.contradictions[0].code == FindingCode::rateAgainstStamps);
    CHECK(figure.contradictions[0].line == 4);
    CHECK(figure.contradictions[0].printed == doctest::Approx(213.44));
    CHECK(figure.contradictions[0].against == doctest::Approx(320));
    CHECK(figureOf(read(15).runs.at(0), 1).itemsPerSecond == doctest::Approx(320));
}

TEST_CASE("lines that were held back and came together say nothing of the time between them")
{
    const LogContent content = reporting(2, 20, 0.05);
    CHECK(figureOf(content.runs[0], 1).itemsPerSecond == doctest::Approx(320));
}
