// SPDX-License-Identifier: MIT
// Tags before lines that name a pod or a host, and words before a colon that are none.
#include "core/logs/figure.h"
#include "core/logs/nametags.h"
#include "tests/logs/examples.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace ringside::logs;
using ringside::test::interleaved, ringside::test::lineForm;

namespace {

LogFormat steps()
{
    return {.name = "steps",
            .title = "Steps",
            .lines = {lineForm("^batch size: {batch_per_rank}", Meaning::context),
                      lineForm("step {iteration}: {items_per_second} images/s"),
                      lineForm("rank {rank} at {iteration}: {items_per_second} images/s")}};
}

/// As imports read a log: through the tags' names to the reader.
LogContent contentOf(const LogFormat& format, std::string_view log)
{
    LogReader reader(format);
    NameTags tags(
        format, [&](std::uint64_t number, std::string_view line, bool isWhole) { reader.read(number, line, isWhole); });
    LineSplitter splitter(
        [&](std::uint64_t number, std::string_view line, bool isWhole) { tags.read(number, line, isWhole); });
    splitter.feed(log);
    splitter.finish();
    tags.finish();
    LogContent content = reader.finish();
    tags.nameRanks(content);
    return content;
}

/// What each process prints behind its tag, in two runs; their rates tell them apart.
std::vector<std::vector<std::string>> linesOf(const std::vector<std::string>& tags)
{
    std::vector<std::vector<std::string>> lines(tags.size());
    for (std::size_t process = 0; process < tags.size(); ++process)
        for (int run = 0; run < 2; ++run) {
            lines[process].push_back(fmt::format("{}batch size: 32\n", tags[process]));
            for (int step = 1; step <= 20; ++step)
                lines[process].push_back(
                    fmt::format("{}step {}: {} images/s\n", tags[process], 10 * step, 100 + process));
        }
    return lines;
}

std::map<int, double> ratesIn(const LogRun& run)
{
    std::map<int, double> rates;
    for (const LogLane& lane : run.lanes)
        rates[lane.rank.value_or(-1)] = lane.records.at(1).itemRate.value_or(0);
    return rates;
}

bool hasNames(const LogContent& content)
{
    return !content.runs.empty() &&
           std::ranges::any_of(content.runs.front().lanes, [](const LogLane& lane) { return lane.rank.has_value(); });
}

std::string repeated(const std::vector<std::string>& lines, int times)
{
    std::string log;
    for (int i = 0; i < times; ++i)
        for (const std::string& line : lines)
            log += fmt::format(fmt::runtime(line), i + 1) + '\n';
    return log;
}

} // namespace

TEST_CASE("pods and hosts interleave in any way and give the same runs, with ranks in the order of their names")
{
    const std::vector<std::vector<std::string>> all = {
        {"[pod/train-0/main] ", "[pod/train-1/main] ", "[pod/train-10/main] "},
        {"[pod/train-0/main] 2026-11-21T08:43:44.1Z ", "[pod/train-1/main] 2026-11-21T08:43:44.2Z ",
         "[pod/train-10/main] 2026-11-21T08:43:44.3Z "},
        {"node2: ", "node3: ", "node10: "},
        {"10.0.0.2: ", "10.0.0.3: ", "10.0.0.10: "}};
    std::mt19937 random(17);
    for (const auto& tags : all)
        for (int round = 0; round < 20; ++round) {
            const LogContent content = contentOf(steps(), interleaved(linesOf(tags), random));
            CAPTURE(tags.front());
            REQUIRE(content.runs.size() == 2);
            for (const LogRun& run : content.runs) {
                CHECK(run.settings.batchPerRank == 32);
                CHECK(ratesIn(run) == std::map<int, double>{{0, 100}, {1, 101}, {2, 102}});
            }
        }
}

TEST_CASE("pods one behind the other are told apart, too, and one alone has no rank")
{
    std::string log;
    for (const auto& lines : linesOf({"[pod/a/main] ", "[pod/b/main] "}))
        for (const std::string& line : lines)
            log += line;
    CHECK(ratesIn(contentOf(steps(), log).runs.at(0)) == std::map<int, double>{{0, 100}, {1, 101}});
    std::string one;
    for (const std::string& line : linesOf({"[pod/a/main] "}).front())
        one += line;
    const LogContent content = contentOf(steps(), one);
    REQUIRE(content.runs.size() == 2);
    CHECK(content.runs[0].settings.batchPerRank == 32);
    CHECK(ratesIn(content.runs[0]) == std::map<int, double>{{-1, 100}});
}

TEST_CASE("a launcher's tag behind the name tells the rank, where no two processes have the same")
{
    std::mt19937 random(19);
    const LogContent apart =
        contentOf(steps(), interleaved(linesOf({"[pod/a/main] [rank3]:", "[pod/b/main] [rank2]:"}), random));
    CHECK(ratesIn(apart.runs.at(0)) == std::map<int, double>{{3, 100}, {2, 101}});
    const LogContent local =
        contentOf(steps(), interleaved(linesOf({"[pod/a/main] [default0]:", "[pod/a/main] [default1]:",
                                                "[pod/b/main] [default0]:", "[pod/b/main] [default1]:"}),
                                       random));
    CHECK(ratesIn(local.runs.at(0)) == std::map<int, double>{{0, 100}, {1, 101}, {2, 102}, {3, 103}});
}

TEST_CASE("a line that names its rank is of that, on whatever host")
{
    std::string log;
    for (int step = 1; step <= 40; ++step)
        for (int rank = 0; rank < 4; ++rank)
            log += fmt::format("node{}: rank {} at {}: {} images/s\n", rank / 2, rank, step, 100 + rank);
    const LogContent content = contentOf(steps(), log);
    REQUIRE(content.runs.size() == 1);
    CHECK(ratesIn(content.runs[0]) == std::map<int, double>{{0, 100}, {1, 101}, {2, 102}, {3, 103}});
}

TEST_CASE("words before a colon are no hosts, unless nearly all lines have names that come again before records")
{
    const std::vector<std::vector<std::string>> traps = {
        {"INFO: step {0}: 100 images/s", "WARNING: the disk is slow"},            // levels
        {"INFO: step {0}: 100 images/s", "WARNING: step {0}: 101 images/s"},      // which have no digit
        {"Epoch: {0}", "step {0}: 100 images/s"},                                 // fields
        {"step {0}: 100 images/s", "loss1: 0.5", "loss2: 0.25"},                  // with digits
        {"node1: step {0}: 100 images/s", "loading batch {0}", "node2: nothing"}, // too few
        {"node1: loss {0}", "node2: loss {0}"},                                   // no records
        {"train1: step {0}: 100 images/s", "valid1: step {0}: 100 images/s"},     // not called alike
        {"node1: step {0}: 100 images/s", "node1: loss 2"},                       // one name
    };
    for (const auto& lines : traps) {
        CAPTURE(lines.front());
        CHECK_FALSE(hasNames(contentOf(steps(), repeated(lines, 100))));
    }
    std::string epochs; // which never come again
    for (int epoch = 1; epoch <= 10; ++epoch)
        for (int step = 1; step <= 20; ++step)
            epochs += fmt::format("epoch{}: step {}: 100 images/s\n", epoch, 20 * epoch + step);
    const LogContent content = contentOf(steps(), epochs);
    REQUIRE(content.runs.size() == 1);
    CHECK_FALSE(hasNames(content));
}

TEST_CASE("records may come late, and a few lines may have no tag")
{
    std::string log = "starting\n";
    for (int line = 0; line < 1'000; ++line)
        log += fmt::format("node{}: option {}: 3\n", line % 2, line);
    for (int step = 1; step <= 20; ++step)
        log += fmt::format("node0: step {0}: 100 images/s\nnode1: step {0}: 101 images/s\n", step);
    CHECK(ratesIn(contentOf(steps(), log).runs.at(0)) == std::map<int, double>{{0, 100}, {1, 101}});
}

TEST_CASE("lines are passed on as they are, in order, with their numbers")
{
    const LogFormat format = steps();
    std::vector<std::string> passed;
    NameTags tags(format, [&](std::uint64_t number, std::string_view line, bool isWhole) {
        passed.push_back(fmt::format("{} {} {}", number, isWhole, line));
    });
    for (std::uint64_t number = 1; number <= 10'000; ++number)
        tags.read(number, fmt::format("line {}", number), number % 2 == 0);
    tags.finish();
    REQUIRE(passed.size() == 10'000);
    CHECK(passed.front() == "1 false line 1");
    CHECK(passed.back() == "10000 true line 10000");
    CHECK(nameTag("[pod/a/b/c] x", NamedBy::kubectl).length == 0);
    CHECK(nameTag("[pod/a] x", NamedBy::kubectl).length == 0);
    CHECK(nameTag("3: x", NamedBy::host).length == 0);
    CHECK(nameTag("0.5: x", NamedBy::host).length == 0);
    CHECK(nameTag("12:30:45: x", NamedBy::host).length == 0);
    CHECK(nameTag("node3: x", NamedBy::host).name == "node3");
}
