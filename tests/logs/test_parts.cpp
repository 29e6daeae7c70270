// SPDX-License-Identifier: MIT
// Lines for each micro-batch are read as the steps that they make.
#include "core/logs/figure.h"
#include "tests/logs/examples.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>

using namespace ringside::logs;
using ringside::test::contentOf, ringside::test::lineForm;

namespace {

/// As LitGPT prints.
LogFormat microBatches()
{
    return {.name = "parts",
            .title = "Parts",
            .lines = {lineForm("iter {part} step {iteration} | loss train: {loss}, | iter time: "
                               "{milliseconds_per_iteration} ms (step)",
                               Meaning::iteration, Scope::all),
                      lineForm("iter {part} step {} | loss train: {}, | iter time: {milliseconds_per_iteration} ms",
                               Meaning::part, Scope::all)}};
}

/// Lines of each `every`-th of so many micro-batches, behind the first ones. The last of a step takes longer.
std::string linesOf(int count, int perStep, int every, int first = 0)
{
    std::string log;
    for (int i = first + 1; i <= first + count; ++i)
        if (i % every == 0)
            log += fmt::format("iter {} step {} | loss train: 2.50, | iter time: {} ms{}\n", i, i / perStep,
                               i % perStep == 0 ? 170.0 : 130.0, i % perStep == 0 ? " (step)" : "");
    return log;
}

LogRun runOf(const std::string& log)
{
    LogContent content = contentOf(microBatches(), log, {.batchGlobal = 84});
    REQUIRE(content.runs.size() == 1);
    REQUIRE(content.runs[0].lanes.size() == 1);
    CHECK(content.findings.empty());
    return std::move(content.runs[0]);
}

} // namespace

TEST_CASE("a step takes as long as its micro-batches together, and has its own batch")
{
    const LogRun run = runOf(linesOf(40, 4, 1));
    REQUIRE(run.lanes[0].records.size() == 10);
    for (const LogRecord& record : run.lanes[0].records) {
        CHECK(*record.seconds == doctest::Approx(0.56));
        CHECK(record.iterations == 1);
    }
    CHECK(*figureOf(run, 1).itemsPerSecond == doctest::Approx(84 / 0.56));
    CHECK(*figureOf(runOf(linesOf(10, 1, 1)), 1).itemsPerSecond == doctest::Approx(84 / 0.17));
}

TEST_CASE("a step has a time where as many of its parts are printed as it has, and else none")
{
    CHECK(*figureOf(runOf(linesOf(240, 4, 3)), 1).itemsPerSecond == doctest::Approx(84 / 0.56));
    CHECK(*figureOf(runOf(linesOf(100, 1, 10)), 1).itemsPerSecond == doctest::Approx(84 / 0.17));
    CHECK_FALSE(figureOf(runOf(linesOf(240, 4, 8)), 1).itemsPerSecond);
    CHECK_FALSE(figureOf(runOf(linesOf(240, 4, 2)), 1).itemsPerSecond);
    const LogRun resumed = runOf(linesOf(40, 4, 1, 1001)); // the first step's lines are not all there
    CHECK_FALSE(resumed.lanes[0].records[0].seconds);
    CHECK(*figureOf(resumed, 1).itemsPerSecond == doctest::Approx(84 / 0.56));
}

TEST_CASE("a run of steps that begins again is another, of which each step has its own parts")
{
    const LogContent content = contentOf(microBatches(), linesOf(42, 4, 1) + linesOf(40, 4, 1), {.batchGlobal = 84});
    REQUIRE(content.runs.size() == 2);
    for (const LogRun& run : content.runs)
        CHECK(*figureOf(run, 1).itemsPerSecond == doctest::Approx(84 / 0.56));
}
