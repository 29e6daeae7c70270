// SPDX-License-Identifier: MIT
// Processes that say once whose records they print.
#include "core/logs/figure.h"
#include "tests/logs/examples.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <random>
#include <string>
#include <vector>

using namespace ringside::logs;
using ringside::test::contentOf, ringside::test::interleaved, ringside::test::lineForm;

namespace {

LogFormat format()
{
    return {.name = "reports",
            .title = "Reports",
            .lines = {lineForm("report of all, {ranks} ranks", Meaning::reporter, Scope::all),
                      lineForm("report of one, {ranks} ranks", Meaning::reporter),
                      lineForm("step {iteration}: {items_per_second} images/s"),
                      lineForm("node {iteration}: {items_per_second} images/s", Meaning::interval, Scope::node)}};
}

std::string steps(double rate, const std::string& tag = {})
{
    std::string log;
    for (int step = 1; step <= 5; ++step)
        log += fmt::format("{}step {}: {} images/s\n", tag, step, rate);
    return log;
}

} // namespace

TEST_CASE("records of a process that reports for all ranks are not added up")
{
    const LogContent content = contentOf(format(), "report of all, 4 ranks\n" + steps(100));
    REQUIRE(content.runs.size() == 1);
    const LogFigure figure = figureOf(content.runs[0], 1);
    CHECK(figure.scope == Scope::all);
    CHECK(figure.itemsPerSecond == 100);
    CHECK(figure.ranks == 4);
    CHECK(figure.missing.empty());
}

TEST_CASE("a process reports for itself again where a later line says so, or none ever said more")
{
    const LogContent content =
        contentOf(format(), "report of all, 4 ranks\n" + steps(100) + "report of one, 1 ranks\n" + steps(50));
    std::vector<Scope> scopes;
    for (const LogRun& run : content.runs)
        for (const LogLane& lane : run.lanes)
            scopes.push_back(lane.scope);
    CHECK(scopes == std::vector{Scope::all, Scope::rank});
    const LogContent plain = contentOf(format(), steps(100));
    CHECK(plain.runs.at(0).lanes.at(0).scope == Scope::rank);
}

TEST_CASE("a line that has another scope of its own stays in it")
{
    const LogContent content = contentOf(format(), "report of all, 4 ranks\nnode 1: 5 images/s\nnode 2: 5 images/s\n");
    CHECK(content.runs.at(0).lanes.at(0).scope == Scope::node);
}

TEST_CASE("each process with a tag says it for itself, in any order of lines")
{
    std::vector<std::vector<std::string>> lines(2);
    for (std::size_t rank = 0; rank < 2; ++rank) {
        lines[rank].push_back(fmt::format("[{}] report of {}, 2 ranks\n", rank, rank == 0 ? "all" : "one"));
        for (int step = 1; step <= 5; ++step)
            lines[rank].push_back(fmt::format("[{}] step {}: {} images/s\n", rank, step, rank == 0 ? 100 : 50));
    }
    std::mt19937 random(3);
    for (int round = 0; round < 50; ++round) {
        const LogContent content = contentOf(format(), interleaved(lines, random));
        REQUIRE(content.runs.size() == 1);
        REQUIRE(content.runs[0].lanes.size() == 2);
        for (const LogLane& lane : content.runs[0].lanes) {
            CHECK(lane.scope == (lane.rank == 0 ? Scope::all : Scope::rank));
            CHECK(lane.records.size() == 5);
        }
        CHECK(figureOf(content.runs[0], 1).itemsPerSecond == 100);
    }
}

TEST_CASE("where lines are of all ranks by themselves, a process may say that its own are of one, from some epoch on")
{
    const LogFormat format{
        .name = "epochs",
        .title = "Epochs",
        .lines = {lineForm("loop of one, {ranks} ranks", Meaning::reporter),
                  lineForm("loop of all, {ranks} ranks", Meaning::reporter, Scope::all),
                  lineForm("training begins", Meaning::start),
                  lineForm("step {iteration}: {items_per_second} images/s", Meaning::interval, Scope::all)}};
    const auto figuresOf = [&](const std::string& log) {
        std::vector<std::string> figures;
        for (const LogRun& run : contentOf(format, log).runs) {
            const LogFigure figure = figureOf(run, 1);
            figures.push_back(fmt::format("{} {}", ringside::nameOf(figure.scope), figure.itemsPerSecond.value_or(0)));
        }
        return fmt::format("{}", fmt::join(figures, ", "));
    };
    std::string log = steps(100, "[0] ") + steps(100, "[1] ");
    for (int epoch = 0; epoch < 2; ++epoch)
        for (const int rank : {0, 1})
            log += fmt::format("[{}] loop of one, 2 ranks\n", rank) + steps(50 + rank, fmt::format("[{}] ", rank));
    log += "[0] training begins\n" + steps(70, "[0] ");
    CHECK(figuresOf(log) == "all 100, rank 101, rank 101, all 70");

    const std::string untagged = "training begins\n" + steps(100) + "training begins\nloop of one, 1 ranks\n" +
                                 steps(50) + "training begins\nloop of all, 2 ranks\n" + steps(70);
    CHECK(figuresOf(untagged) == "all 100, rank 50, all 70");
    const std::string others = steps(100) + "training begins\n[0] loop of one, 2 ranks\n[1] loop of one, 2 ranks\n" +
                               steps(50, "[0] ") + steps(50, "[1] ");
    CHECK(figuresOf(others) == "all 100, rank 100");
    const std::string more = steps(100, "[0] ") + "training begins\nloop of one, 3 ranks\n" + steps(50, "[0] ") +
                             steps(50, "[1] ") + steps(50, "[2] ");
    CHECK(figuresOf(more) == "all 100, rank 150");
}
