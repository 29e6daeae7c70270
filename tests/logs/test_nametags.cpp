// SPDX-License-Identifier: MIT
// Tags before lines that name a pod, and words before a colon that are none.
#include "core/logs/figure.h"
#include "core/logs/namenumbers.h"
#include "core/logs/nametags.h"
#include "core/logs/ranktag.h"
#include "tests/logs/examples.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <random>
#include <string>
#include <vector>

using namespace ringside::logs;
using ringside::test::interleaved, ringside::test::lineForm, ringside::test::Rates, ringside::test::ratesIn,
    ringside::test::shownLines;

namespace {

LogFormat steps()
{
    return {.name = "steps",
            .title = "Steps",
            .lines = {lineForm("^batch size: {batch_per_rank}", Meaning::context),
                      lineForm("^world size: {ranks}", Meaning::context), lineForm("training begins", Meaning::start),
                      lineForm("step {iteration}: {items_per_second} images/s"),
                      lineForm("rank {rank} at {iteration}: {items_per_second} images/s")}};
}

LogContent contentOf(std::string_view log, LogSettings given = {})
{
    return ringside::test::contentOf(steps(), log, given);
}

/// Returns the lines of each process behind its tag, in two runs with different rates.
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

std::string behindEachOther(const std::vector<std::vector<std::string>>& linesOfPods)
{
    std::string log;
    for (const auto& lines : linesOfPods)
        for (const std::string& line : lines)
            log += line;
    return log;
}

std::uint64_t lineOf(const LogContent& content, FindingCode code)
{
    const auto found = std::ranges::find(content.findings, code, &Finding::code);
    return found == content.findings.end() ? 0 : found->line;
}

bool hasNoRank(const LogRun& run)
{
    return std::ranges::none_of(run.lanes, [](const LogLane& lane) { return lane.rank.has_value(); });
}

} // namespace

TEST_CASE("pods interleave in any way and give the same runs, with ranks in the order of their names")
{
    std::mt19937 random(17);
    for (int round = 0; round < 20; ++round) {
        const auto lines = linesOf({"[pod/train-0/main] ", "[pod/train-1/main] ", "[pod/train-10/main] "});
        const LogContent content = contentOf(interleaved(lines, random));
        REQUIRE(content.runs.size() == 2);
        for (const LogRun& run : content.runs) {
            CHECK(run.settings.batchPerRank == 32);
            CHECK(ratesIn(run) == Rates{{0, 100}, {1, 101}, {2, 102}});
            CHECK(figureOf(run, 1).itemsPerSecond == 303);
        }
        CHECK(lineOf(content, FindingCode::podsAsRanks) == content.runs.front().firstLine);
    }
}

TEST_CASE("pods one behind the other are runs, which are never added up")
{
    const LogContent content = contentOf(behindEachOther(linesOf({"[pod/a/main] ", "[pod/b/main] "})));
    REQUIRE(content.runs.size() == 4); // each has two
    for (std::size_t run = 0; run < 4; ++run) {
        CHECK(ratesIn(content.runs[run]) == Rates{{-1, run < 2 ? 100 : 101}});
        CHECK(figureOf(content.runs[run], 1).missing == std::vector<std::string_view>{"ranks"});
    }
    CHECK(lineOf(content, FindingCode::podsInTurn) == 44);
}

TEST_CASE("a pod that was tried again is another run, even where the log says how many ranks there are")
{
    const auto lines = linesOf({"[pod/a/main] ", "[pod/b/main] ", "[pod/c/main] ", "[pod/d/main] "});
    std::mt19937 random(23);
    const std::string log = interleaved({lines[0], lines[1]}, random) + interleaved({lines[2], lines[3]}, random);
    const LogContent content = contentOf(log, {.ranks = 2});
    REQUIRE(content.runs.size() == 4);
    CHECK(ratesIn(content.runs[0]) == Rates{{0, 100}, {1, 101}});
    CHECK(ratesIn(content.runs[3]) == Rates{{0, 102}, {1, 103}});
    CHECK(figureOf(content.runs[3], 1).itemsPerSecond == 205);
    const auto alone = behindEachOther({lines[0], lines[1]});
    for (const LogRun& run : contentOf(alone, {.ranks = 2}).runs)
        CHECK_FALSE(figureOf(run, 1).itemsPerSecond);
}

namespace {

/// With their own batch and number of ranks; 0: it states none.
std::vector<std::string> stating(const std::string& pod, int batch, int ranks)
{
    std::vector<std::string> lines;
    if (batch > 0)
        lines.push_back(fmt::format("[pod/{}/main] batch size: {}\n", pod, batch));
    if (ranks > 0)
        lines.push_back(fmt::format("[pod/{}/main] world size: {}\n", pod, ranks));
    for (int step = 1; step <= 20; ++step)
        lines.push_back(fmt::format("[pod/{}/main] step {}: 100 images/s\n", pod, step));
    return lines;
}

} // namespace

TEST_CASE("a number that is too large for a rank is none")
{
    for (const std::string number : {"4294967296", "100000000"})
        for (const std::string& form :
             {"rank " + number + " at {}: 100 images/s\n", "[" + number + "] step {}: 100 images/s\n"}) {
            std::string log;
            for (int step = 1; step <= 5; ++step)
                log += fmt::format(fmt::runtime(form), step);
            CAPTURE(log);
            const LogContent content = contentOf(log);
            REQUIRE(content.runs.size() == 1);
            REQUIRE(content.runs[0].lanes.size() == 1);
            CHECK(hasNoRank(content.runs[0]));
            CHECK(content.runs[0].lanes[0].records.size() == 5);
        }
}

TEST_CASE("pods one behind the other have their own settings, and those of no other")
{
    const std::string log = behindEachOther({stating("a", 32, 4), stating("b", 64, 8), stating("c", 0, 0)});
    const LogContent content = contentOf(log);
    REQUIRE(content.runs.size() == 3);
    CHECK(content.runs[0].settings.batchPerRank == 32);
    CHECK(content.runs[0].settings.ranks == 4);
    CHECK(content.runs[1].settings.batchPerRank == 64);
    CHECK(content.runs[1].settings.ranks == 8);
    CHECK_FALSE(content.runs[2].settings.batchPerRank);
    CHECK_FALSE(content.runs[2].settings.ranks);
    CHECK(lineOf(content, FindingCode::ranksDiffer) == 0);
    CHECK(lineOf(content, FindingCode::batchUnclear) == 0);
    CHECK(contentOf(log, {.batchPerRank = 16}).runs.at(2).settings.batchPerRank == 16);
}

TEST_CASE("settings of pods contradict each other in one run alone")
{
    std::mt19937 random(31);
    const std::string beside = interleaved({stating("a", 32, 4), stating("b", 64, 8)}, random);
    for (const std::string& behind : {std::string(), behindEachOther({stating("c", 128, 2)})}) {
        const LogContent content = contentOf(beside + behind);
        CAPTURE(behind);
        REQUIRE(content.runs.size() == (behind.empty() ? 1u : 2u));
        CHECK_FALSE(content.runs[0].settings.batchPerRank);
        CHECK(content.runs[0].settings.ranks.value_or(0) >= 4);
        CHECK(lineOf(content, FindingCode::batchUnclear) > 0);
        CHECK(lineOf(content, FindingCode::ranksDiffer) > 0);
        CHECK(content.runs.back().settings.batchPerRank == (behind.empty() ? std::nullopt : std::optional(128)));
    }
}

TEST_CASE("of two numbers of ranks that pods state the later line's is used, whichever pod prints its records first")
{
    const auto a = stating("a", 0, 4), b = stating("b", 0, 8);
    std::string log = a[0] + b[0];
    for (std::size_t line = 1; line < a.size(); ++line)
        log += b[line] + a[line];
    const LogContent content = contentOf(log);
    REQUIRE(content.runs.size() == 1);
    CHECK(content.runs[0].settings.ranks == 8);
    CHECK(lineOf(content, FindingCode::ranksDiffer) == 2);
}

TEST_CASE("of two numbers of ranks the later line's is used, whichever rank prints its records first")
{
    std::string log = "[1] world size: 4\n[0] world size: 8\n";
    for (int step = 1; step <= 5; ++step)
        for (const int rank : {0, 1})
            log += fmt::format("[{}] step {}: 100 images/s\n", rank, step);
    const LogContent content = contentOf(log);
    REQUIRE(content.runs.size() == 1);
    CHECK(content.runs[0].settings.ranks == 8);
    CHECK(content.runs[0].statements.at({}).ranksLine == 2);
    const auto found = std::ranges::find(content.findings, FindingCode::ranksDiffer, &Finding::code);
    REQUIRE(found != content.findings.end());
    CHECK(found->line == 2);
    CHECK(found->printed == 8);
    CHECK(found->against == 4);
}

TEST_CASE("a number that no run can have as its ranks changes nothing of one that was stated")
{
    const auto linesWith = [](const std::string& before) {
        std::string log = "world size: 4\n" + before;
        for (int step = 1; step <= 5; ++step)
            log += fmt::format("step {}: 100 images/s\n", step);
        return log;
    };
    const std::string behind = linesWith({}) + "world size: 0\n";
    for (const std::string& log : {linesWith("world size: 0\n"), linesWith("world size: -1\n"), behind}) {
        CAPTURE(log);
        const LogContent content = contentOf(log);
        REQUIRE(content.runs.size() == 1);
        CHECK(content.runs[0].settings.ranks == 4);
        CHECK(content.runs[0].statements.at({}).ranksLine == 1);
        CHECK(lineOf(content, FindingCode::ranksDiffer) == 0);
    }
}

TEST_CASE("a pod that prints a little while the next one has begun is another try")
{
    const auto old = stating("a", 32, 1), next = stating("b", 32, 1);
    std::string log;
    for (std::size_t line = 0; line + 1 < old.size(); ++line)
        log += old[line];
    for (std::size_t line = 0; line < 3; ++line)
        log += next[line];
    log += old.back();
    for (std::size_t line = 3; line < next.size(); ++line)
        log += next[line] + (line % 2 ? "[pod/a/main] Traceback\n" : "");
    const LogContent content = contentOf(log);
    REQUIRE(content.runs.size() == 2);
    for (const LogRun& run : content.runs) {
        CHECK(hasNoRank(run));
        CHECK(run.settings.ranks == 1);
        CHECK(figureOf(run, 1).itemsPerSecond == 100);
    }
    CHECK(lineOf(content, FindingCode::podsInTurn) == 24);
}

TEST_CASE("pods with one record each are judged by all their lines")
{
    const std::string together = "[pod/a-0/m] batch size: 32\n[pod/a-1/m] batch size: 32\n"
                                 "[pod/a-0/m] step 10: 100 images/s\n[pod/a-1/m] step 10: 101 images/s\n";
    CHECK(contentOf(together).runs.size() == 1);
    const std::string inTurn = "[pod/a-0/m] batch size: 32\n[pod/a-0/m] step 10: 100 images/s\n"
                               "[pod/a-1/m] batch size: 32\n[pod/a-1/m] step 10: 101 images/s\n";
    CHECK(contentOf(inTurn).runs.size() == 2);
}

TEST_CASE("pods one behind the other ran side by side if the stamps of kubectl say so")
{
    const auto logOf = [](const std::vector<int>& beginnings) { // minutes
        std::string log;
        for (std::size_t pod = 0; pod < beginnings.size(); ++pod)
            for (int step = 1; step <= 20; ++step)
                log += fmt::format("[pod/p-{}/main] 2026-11-21T08:{:02}:{:02}.1Z step {}: {} images/s\n", pod,
                                   beginnings[pod], step, step, 100 + pod);
        return log;
    };
    const LogContent together = contentOf(logOf({43, 43}));
    REQUIRE(together.runs.size() == 1);
    CHECK(ratesIn(together.runs[0]) == Rates{{0, 100}, {1, 101}});
    const LogContent apart = contentOf(logOf({43, 44}));
    REQUIRE(apart.runs.size() == 2);
    CHECK(hasNoRank(apart.runs[0]));
    CHECK(hasNoRank(apart.runs[1]));
}

TEST_CASE("pods that ran together for a while only are asked for")
{
    std::string log;
    for (int step = 1; step <= 100; ++step) {
        log += fmt::format("[pod/a/main] step {}: 100 images/s\n", step);
        if (step > 80)
            log += fmt::format("[pod/b/main] step {}: 101 images/s\n", step);
    }
    const LogContent content = contentOf(log);
    REQUIRE(content.runs.size() == 1);
    CHECK(content.runs[0].lanes.size() == 2);
    CHECK(hasNoRank(content.runs[0]));
    CHECK(lineOf(content, FindingCode::podsUnclear) == 1);
    CHECK(figureOf(content.runs[0], 1).missing == std::vector<std::string_view>{"ranks"});
}

TEST_CASE("ranks without tags inside pods are paired by order, and asked for")
{
    for (const std::vector<std::string>& pods : {std::vector<std::string>{"t-0"}, {"t-0", "t-1"}}) {
        std::string log;
        for (int step = 1; step <= 20; ++step)
            for (const std::string& pod : pods)
                for (int rank = 0; rank < 8; ++rank)
                    log += fmt::format("[pod/{}/main] step {}: {} images/s\n", pod, step, 100 + rank);
        const LogContent content = contentOf(log);
        CAPTURE(pods.size());
        REQUIRE(content.runs.size() == 1);
        CHECK(content.runs[0].lanes.size() == 8 * pods.size());
        CHECK_FALSE(content.runs[0].isMixed);
        CHECK(hasNoRank(content.runs[0]));
        const LogFigure figure = figureOf(content.runs[0], 1);
        CHECK(figure.perLane);
        CHECK(figure.missing == std::vector<std::string_view>{"ranks"});
        CHECK(lineOf(content, FindingCode::linesOfTwoRanks) == 2);
    }
}

TEST_CASE("one pod alone has no rank")
{
    const LogContent content = contentOf(behindEachOther(linesOf({"[pod/a/main] "})));
    REQUIRE(content.runs.size() == 2);
    CHECK(content.runs[0].settings.batchPerRank == 32);
    CHECK(ratesIn(content.runs[0]) == Rates{{-1, 100}});
    CHECK(content.findings.empty());
}

TEST_CASE("a launcher's tag behind the name shows the rank, where no two processes have the same")
{
    std::mt19937 random(19);
    const auto apart = linesOf({"[pod/a/main] [rank3]:", "[pod/b/main] [rank2]:"});
    CHECK(ratesIn(contentOf(interleaved(apart, random)).runs.at(0)) == Rates{{3, 100}, {2, 101}});
    const LogContent behind = contentOf(behindEachOther(apart));
    CHECK(behind.runs.size() == 2);
    CHECK(ratesIn(behind.runs.at(0)) == Rates{{3, 100}, {2, 101}});
    const LogContent local = contentOf(interleaved(linesOf({"[pod/a/main] [default0]:", "[pod/a/main] [default1]:",
                                                            "[pod/b/main] [default0]:", "[pod/b/main] [default1]:"}),
                                                   random));
    CHECK(ratesIn(local.runs.at(0)) == Rates{{0, 100}, {1, 101}, {2, 102}, {3, 103}});
}

TEST_CASE("a launcher that was tried again is another run of the same ranks")
{
    std::mt19937 random(29);
    std::string log;
    for (const std::string pod : {"x", "q"})
        log += interleaved(linesOf({fmt::format("[pod/l-{}/mpi] [1,0]<stdout>:", pod),
                                    fmt::format("[pod/l-{}/mpi] [1,1]<stdout>:", pod)}),
                           random);
    const LogContent content = contentOf(log);
    REQUIRE(content.runs.size() == 4);
    for (const LogRun& run : content.runs)
        CHECK(ratesIn(run) == Rates{{0, 100}, {1, 101}});
}

TEST_CASE("a line that names its rank is of that, whatever the pod")
{
    for (const int ranksOfPod : {1, 2, 4}) {
        std::string log;
        for (int step = 1; step <= 40; ++step)
            for (int rank = 3; rank >= 0; --rank)
                log += fmt::format("[pod/t-{}/main] rank {} at {}: {} images/s\n", rank / ranksOfPod, rank, step,
                                   100 + rank);
        const LogContent content = contentOf(log);
        REQUIRE(content.runs.size() == 1);
        CHECK(ratesIn(content.runs[0]) == Rates{{0, 100}, {1, 101}, {2, 102}, {3, 103}});
    }
}

TEST_CASE("a line without a rank is of all ranks of its pod")
{
    for (const std::string stamp : {"", "2026-11-21T08:43:44.1Z "}) {
        std::string log = fmt::format("[pod/l/mpi] {}batch size: 32\n", stamp);
        for (int run = 0; run < 2; ++run) {
            log += fmt::format("[pod/l/mpi] {}training begins\n", stamp);
            for (int step = 1 + run; step <= 5; ++step) // the second one seems to go on
                for (int rank = 0; rank < 2; ++rank)
                    log += fmt::format("[pod/l/mpi] {}[1,{}]<stdout>:step {}: {} images/s\n", stamp, rank,
                                       10 * run + step, 100 + rank);
        }
        const LogContent content = contentOf(log);
        CAPTURE(stamp);
        REQUIRE(content.runs.size() == 2);
        CHECK(content.runs[0].settings.batchPerRank == 32);
        for (const LogRun& run : content.runs)
            CHECK(ratesIn(run) == Rates{{0, 100}, {1, 101}});
    }
}

TEST_CASE("jobs of a sweep with their names before a colon are runs")
{
    std::string log;
    for (int repeat = 0; repeat < 2; ++repeat)
        for (const char* name : {"bs32: ", "bs64: "})
            for (int step = 1; step <= 20; ++step)
                log += fmt::format("{}step {}: 100 images/s\n", name, step);
    const LogContent content = contentOf(log);
    REQUIRE(content.runs.size() == 4);
    for (const LogRun& run : content.runs)
        CHECK(ratesIn(run) == Rates{{-1, 100}});
}

TEST_CASE("lines before the first tag do not matter, however many they are")
{
    std::string log;
    for (int line = 0; line < 100; ++line)
        log += "Defaulted container \"main\" out of: main, init (init)\n";
    for (int step = 1; step <= 20; ++step)
        log += fmt::format("[pod/a/main] step {0}: 100 images/s\n[pod/b/main] step {0}: 101 images/s\n", step);
    CHECK(ratesIn(contentOf(log).runs.at(0)) == Rates{{0, 100}, {1, 101}});
}

TEST_CASE("the tag of a pod stays before a bar that draws itself again")
{
    const std::string bar = "[pod/t-0/main] \rEpoch 0:  50%|=\rEpoch 0: 100%|==| 10/10\r";
    CHECK(shownLines(bar + "\n") == std::vector<std::string>{"[pod/t-0/main] Epoch 0: 100%|==| 10/10"});
    CHECK(shownLines(bar + "Epoch 1:  50%|=\rEpoch 1: 100%|==| 10/10\n") ==
          std::vector<std::string>{"[pod/t-0/main] Epoch 0: 100%|==| 10/10", "[pod/t-0/main] Epoch 1: 100%|==| 10/10"});
    std::string longer = "[pod/t-0/main] [1,0]<stdout>:";
    while (longer.size() < 3 * kMostLineBytes)
        longer += "\rEpoch 0:  50%|=";
    CHECK(shownLines(longer + "\rEpoch 0: 100%|==|\n") ==
          std::vector<std::string>{"[pod/t-0/main] [1,0]<stdout>:Epoch 0: 100%|==|"});
}

TEST_CASE("more names and ranks than are read are a finding, and share no number")
{
    std::string log;
    for (int round = 1; round <= 2; ++round)
        for (int pod = 0; pod <= kMostNames; ++pod)
            log += fmt::format("[pod/p{}/main] step {}: 100 images/s\n", pod, round);
    const LogContent names = contentOf(log);
    CHECK(lineOf(names, FindingCode::tooManyRanks) == kMostNames + 1);
    std::size_t lanes = 0;
    for (const LogRun& run : names.runs)
        lanes += run.lanes.size();
    CHECK(lanes == kMostNames);
    const LogContent ranks =
        contentOf("[pod/a/main] [0] step 1: 100 images/s\n[pod/a/main] [65536] step 1: 9 images/s\n"
                  "[pod/a/main] [0] step 2: 100 images/s\n");
    CHECK(lineOf(ranks, FindingCode::tooManyRanks) == 2);
    REQUIRE(ranks.runs.size() == 1);
    CHECK(ratesIn(ranks.runs[0]) == Rates{{0, 100}});
}

TEST_CASE("lines without tags are passed on as they are, in order, with their numbers")
{
    const LogFormat format = steps();
    std::vector<std::string> passed;
    NameTags tags(format, [&](std::uint64_t number, std::string_view line, bool isWhole) {
        passed.push_back(fmt::format("{} {} {}", number, isWhole, line));
    });
    for (std::uint64_t number = 1; number <= 10'000; ++number)
        tags.read(number, fmt::format("line {}", number), number % 2 == 0);
    REQUIRE(passed.size() == 10'000);
    CHECK(passed.front() == "1 false line 1");
    CHECK(passed.back() == "10000 true line 10000");
    CHECK(podTag("[pod/a-0/main] x").length == 15);
    CHECK(podTag("[pod/a-0/main] x").name == "a-0/main");
    CHECK(podTag("[pod/a/b/c] x").length == 0);
    CHECK(podTag("[pod/a] x").length == 0);
}
