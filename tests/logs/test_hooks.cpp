// SPDX-License-Identifier: MIT
// Two hooks of one process print at different iterations.
#include "core/logs/figure.h"
#include "tests/logs/examples.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

using namespace ringside::logs;
using ringside::test::contentOf, ringside::test::lineForm;

namespace {

/// As estimators of TensorFlow print.
LogFormat hooks()
{
    return {.name = "hooks",
            .title = "Hooks",
            .lines = {lineForm("Average examples/sec: {} ({items_per_second}), step = {iteration}", Meaning::interval,
                               Scope::all),
                      lineForm("loss = {loss}, step = {iteration} ({seconds} sec)", Meaning::interval, Scope::all),
                      lineForm("loss = {loss}, step = {iteration}", Meaning::interval, Scope::all)}};
}

std::string rateLine(int step)
{
    return fmt::format("Average examples/sec: 2900.5 ({}), step = {}\n", step == 10 ? 900 : 3000 + step % 7, step);
}

std::string lossLine(int step, int first, int every)
{
    const double loss = 9 - step / 100.0;
    return step == first ? fmt::format("loss = {:.4f}, step = {}\n", loss, step)
                         : fmt::format("loss = {:.4f}, step = {} ({:.3f} sec)\n", loss, step, every * 0.085);
}

/// Lines of both hooks up to a step: a rate each `rateEvery`, and a loss each `lossEvery` from `first` on.
std::string linesOf(int last, int rateEvery, int first, int lossEvery)
{
    std::string log;
    for (int step = 0; step <= last; ++step) {
        if (step > 0 && step % rateEvery == 0)
            log += rateLine(step);
        if (step >= first && (step - first) % lossEvery == 0)
            log += lossLine(step, first, lossEvery);
    }
    return log;
}

const LogRun& onlyRun(const LogContent& content)
{
    REQUIRE(content.runs.size() == 1);
    REQUIRE(content.runs[0].lanes.size() == 1);
    return content.runs[0];
}

} // namespace

TEST_CASE("a loss of another hook's iterations is no record, and begins no run")
{
    // The second loss is of step 101, before the rate of step 110 and behind that of step 100; others are of the same
    // steps as a rate, or printed by a hook that prints more often.
    for (const auto& [first, every] : std::vector<std::pair<int, int>>{{1, 100}, {0, 100}, {1, 25}}) {
        CAPTURE(first);
        CAPTURE(every);
        const LogContent content = contentOf(hooks(), linesOf(600, 10, first, every), {.batchGlobal = 256});
        const LogRun& run = onlyRun(content);
        const LogFigure figure = figureOf(run, 1);
        CHECK(*figure.itemsPerSecond == doctest::Approx(3003).epsilon(0.001));
        CHECK(figure.lastLoss == 9 - (first + 600 / every * every - (first > 0 ? every : 0)) / 100.0);
        CHECK(findingsOf(run, figure, 1).empty());
        CHECK(content.findings.empty());
        CHECK(run.lanes[0].records.size() >= 60);
        for (const LogRecord& record : run.lanes[0].records)
            CHECK((!record.itemRate || *record.iterations <= 10));
    }
}

TEST_CASE("a rate that stands behind the next loss is of the same run")
{
    for (const int every : {10, 100}) {
        std::string log;
        for (int step = every; step <= 600; step += every)
            log += (step % 100 == 0 ? lossLine(step + 1, 101, 100) : "") + rateLine(step);
        const LogContent content = contentOf(hooks(), log);
        const LogFigure figure = figureOf(onlyRun(content), 1);
        CHECK(*figure.itemsPerSecond == doctest::Approx(3003).epsilon(0.001));
        CHECK(figure.firstLoss == 9 - 1.01);
        CHECK(figure.missing.empty());
    }
}

TEST_CASE("a rate that is printed more rarely than the loss makes the records")
{
    const LogContent content = contentOf(hooks(), linesOf(600, 100, 1, 10));
    const LogRun& run = onlyRun(content);
    CHECK(*figureOf(run, 1).itemsPerSecond == doctest::Approx(3003).epsilon(0.001));
    CHECK(figureOf(run, 1).missing.empty());
    CHECK(figureOf(run, 1).firstLoss == 9 - 0.01);
}

TEST_CASE("hooks of the same iterations make one record, and a run that begins again is another")
{
    const std::string once = linesOf(100, 10, 0, 10);
    const LogContent content = contentOf(hooks(), once + once);
    REQUIRE(content.runs.size() == 2);
    for (const LogRun& run : content.runs) {
        REQUIRE(run.lanes.size() == 1);
        REQUIRE(run.lanes[0].records.size() == 11);
        CHECK(*run.lanes[0].records[5].seconds == doctest::Approx(0.85));
        CHECK(run.lanes[0].records[5].itemRate);
    }
    const LogContent apart = contentOf(hooks(), linesOf(600, 10, 1, 100) + linesOf(600, 10, 1, 100));
    CHECK(apart.runs.size() == 2);
}
