// SPDX-License-Identifier: MIT
// Where a run ends and the next one begins, by the epochs that processes announce.
#include "core/logs/figure.h"
#include "tests/logs/examples.h"

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
