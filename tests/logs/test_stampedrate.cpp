// SPDX-License-Identifier: MIT
#include "core/logs/stampedrate.h"

#include "core/logs/figure.h"
#include "tests/logs/examples.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <set>
#include <string>

using namespace ringside::logs;
using ringside::test::contentOf, ringside::test::lineForm;

namespace {

LogFormat solver()
{
    return {.name = "solver",
            .title = "Solver",
            .lines = {lineForm("Iteration {iteration} ({iterations_per_second} iter/s, {seconds}s/")},
            .warmupRecords = 1};
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
