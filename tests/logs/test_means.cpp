// SPDX-License-Identifier: MIT
// Running means, of which the reader takes the difference between two lines.
#include "core/logs/figure.h"
#include "tests/logs/examples.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>

using namespace ringside::logs;
using ringside::test::contentOf, ringside::test::lineForm;

namespace {

LogFormat meansOfTime()
{
    return {.name = "means",
            .title = "Means",
            .lines = {lineForm("Starting training from iteration {earlier_iterations}", Meaning::start),
                      lineForm("iter: {iteration} time: {seconds_per_iteration}", Meaning::mean, Scope::all)},
            .warmupRecords = 1};
}

/// Records of 20 iterations each, of which the first 100 took 1.2 s and all others 0.3 s, by a job that goes on from
/// `earlier`. The stamps of the lines say `stamped` times as much.
std::string job(int earlier, int records, double stamped = 1)
{
    std::string log = fmt::format("[11/24 17:00:00 loop]: Starting training from iteration {}\n", earlier);
    for (int record = 1; record <= records; ++record) {
        const int made = record * 20;
        const double seconds = made <= 100 ? made * 1.2 : 120 + (made - 100) * 0.3;
        const int now = static_cast<int>(seconds * stamped);
        log += fmt::format("[11/24 17:{:02}:{:02} events]: iter: {} time: {:.6f}\n", now / 60, now % 60, earlier + made,
                           seconds / made);
    }
    return log;
}

std::optional<double> rateOf(const LogRun& run)
{
    return figureOf(run, 1).itemsPerSecond;
}

} // namespace

TEST_CASE("the time between two means is held against the stamps of their lines")
{
    const LogSettings given{.batchGlobal = 12};
    const LogContent right = contentOf(meansOfTime(), job(0, 20), given);
    CHECK(right.findings.empty());
    CHECK(*rateOf(right.runs.at(0)) == doctest::Approx(40).epsilon(0.001));

    const LogContent hurried = contentOf(meansOfTime(), job(0, 20, 0.5), given);
    REQUIRE(hurried.findings.size() == 1);
    CHECK(hurried.findings[0].code == FindingCode::timeAgainstStamps);
    CHECK(hurried.findings[0].line == 3);
    CHECK(hurried.findings[0].count == 19);
    CHECK_FALSE(rateOf(hurried.runs.at(0)));
}

TEST_CASE("a mean of a run that goes on from an earlier one is of its own iterations")
{
    for (const std::string& before : {std::string(), job(0, 15)}) {
        const LogContent content = contentOf(meansOfTime(), before + job(16'000, 20), {.batchGlobal = 12});
        CHECK(content.findings.empty());
        REQUIRE(content.runs.size() == (before.empty() ? 1 : 2));
        const LogRun& resumed = content.runs.back();
        CHECK(*rateOf(resumed) == doctest::Approx(40).epsilon(0.001));
        CHECK(resumed.lanes.at(0).records.at(0).iterations == 20);
        CHECK(resumed.lanes.at(0).records.at(1).iterations == 20);
    }
}
