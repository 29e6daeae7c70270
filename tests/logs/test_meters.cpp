// SPDX-License-Identifier: MIT
// Lines of running means are read as the iterations between them.
#include "core/logs/figure.h"
#include "tests/logs/examples.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <numeric>

using namespace ringside;
using namespace ringside::logs;
using test::contentOf, test::lineForm;

namespace {

/// As the ImageNet example of PyTorch prints them.
LogFormat meters()
{
    return {.name = "meters",
            .title = "Meters",
            .lines = {lineForm("Epoch: [{epoch}][{iteration}/{total_iterations}] Time {} ({seconds_per_iteration}) "
                               "Data {} ({input_wait_seconds}) Loss {loss}",
                               Meaning::mean)}};
}

double meanOf(const std::vector<double>& numbers, std::size_t count)
{
    return std::accumulate(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(count), 0.0) /
           static_cast<double>(count);
}

/// Returns a line behind so many iterations, which took these times; a third of each was for its data.
std::string meterLine(const std::vector<double>& times, std::size_t count, std::size_t number, double loss = 2)
{
    const double time = times[count - 1], mean = meanOf(times, count);
    return fmt::format("Epoch: [0][{:5}/1000]\tTime {:6.3f} ({:6.3f})\tData {:6.3f} ({:6.3f})\tLoss {:.4e} (2.0e+00)\n",
                       number, time, mean, time / 3, mean / 3, loss);
}

/// Each tenth iteration finds its data there.
std::vector<double> stallingTimes(std::size_t count)
{
    std::vector<double> times(count, 2.0);
    for (std::size_t i = 0; i < count; i += 10)
        times[i] = 0.2;
    times[0] = 9;
    return times;
}

std::vector<double> constantTimes(double seconds)
{
    return std::vector<double>(1000, seconds);
}

} // namespace

TEST_CASE("the time between two lines of a mean is that of all iterations, whatever the printed one took")
{
    const auto times = stallingTimes(101);
    std::string fromOne, fromZero;
    for (std::size_t i = 0; i <= 100; i += 10) {
        fromOne += meterLine(times, i + 1, i + 1);
        fromZero += meterLine(times, i + 1, i);
    }
    for (const std::string& log : {fromOne, fromZero}) {
        const LogContent content = contentOf(meters(), log, {.batchPerRank = 256, .ranks = 1});
        REQUIRE(content.runs.size() == 1);
        const auto& records = content.runs[0].lanes.at(0).records;
        REQUIRE(records.size() == 11);
        CHECK(records[0].iterations == 1);
        CHECK(*records[0].seconds == doctest::Approx(9));
        for (std::size_t i = 1; i < records.size(); ++i) {
            CHECK(records[i].iterations == 10);
            CHECK(*records[i].seconds == doctest::Approx(18.2).epsilon(0.01));
        }
        CHECK(*figureOf(content.runs[0], 1).itemsPerSecond == doctest::Approx(256 / 1.82).epsilon(0.01));
        CHECK(content.findings.empty());
    }
}

TEST_CASE("phases that are printed as running means are those of the iterations between")
{
    const auto times = stallingTimes(21);
    const LogContent content =
        contentOf(meters(), meterLine(times, 1, 1) + meterLine(times, 11, 11) + meterLine(times, 21, 21));
    const LogLane& lane = content.runs.at(0).lanes.at(0);
    REQUIRE(lane.records.size() == 3);
    for (const std::size_t i : {1, 2}) {
        const auto phases = lane.phasesOf(lane.records[i]);
        REQUIRE(phases.size() == 1);
        CHECK(phases[0].phase == Phase::inputWait);
        CHECK(phases[0].seconds == doctest::Approx(1.82 / 3).epsilon(0.01));
    }
}

TEST_CASE("ranks without tags are told apart where their means are too rough for a record of each line")
{
    const auto fast = constantTimes(0.137), slow = constantTimes(0.155);
    std::string log;
    for (std::size_t i = 10; i <= 1000; i += 10)
        log += meterLine(fast, i, i, 2.1) + meterLine(slow, i, i, 2.2);
    const LogContent content = contentOf(meters(), log, {.batchPerRank = 32, .ranks = 2});
    REQUIRE(content.runs.size() == 1);
    const auto& lanes = content.runs[0].lanes;
    REQUIRE(lanes.size() == 2);
    for (const LogLane& lane : lanes) {
        CHECK(lane.records.size() > 5);
        CHECK(lane.records.size() < 50);
        for (const LogRecord& record : lane.records)
            CHECK(*record.loss == *lane.records.front().loss);
    }
    CHECK(*figureOf(content.runs[0], 1).itemsPerSecond == doctest::Approx(32 / 0.137 + 32 / 0.155).epsilon(0.01));
    REQUIRE(content.findings.size() == 1); // no line is missing between records of several
    CHECK(content.findings[0].code == FindingCode::linesOfTwoRanks);
}

TEST_CASE("a mean of few digits gives records as soon as enough iterations have followed")
{
    const auto times = constantTimes(0.012);
    std::string log;
    for (std::size_t i = 10; i <= 1000; i += 10)
        log += meterLine(times, i, i);
    const auto content = contentOf(meters(), log, {.batchPerRank = 32, .ranks = 1});
    const LogRun& run = content.runs.at(0);
    CHECK(run.lanes.at(0).records.size() >= 5);
    CHECK(*figureOf(run, 1).itemsPerSecond == doctest::Approx(32 / 0.012).epsilon(0.01));
}

TEST_CASE("means of a time and of a rate state together how many items an iteration has")
{
    const LogFormat format{
        .name = "rates",
        .title = "Rates",
        .lines = {lineForm("Train: {epoch} [{iteration}/{}({seconds_per_iteration}s, {items_per_second}/s)",
                           Meaning::mean, Scope::all)}};
    const std::string log = "Train: 0 [0/99] Time: 4.000s, 64.00/s (4.000s, 64.00/s)\n"
                            "Train: 0 [50/99] Time: 0.250s, 1024.00/s (1.000s, 256.00/s)\n"
                            "Train: 0 [99/99] Time: 0.250s, 1024.00/s (1.000s, 256.00/s)\n";
    const auto content = contentOf(format, log);
    const auto& records = content.runs.at(0).lanes.at(0).records;
    REQUIRE(records.size() == 3);
    CHECK(*records[1].itemRate == doctest::Approx(256 * 50 / 47.0)); // 51 s, of which the first iteration took 4
    CHECK(*records[2].itemRate == doctest::Approx(256));
}
