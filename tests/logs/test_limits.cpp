// SPDX-License-Identifier: MIT
// Logs of any bytes cost bounded memory and time: what is more than a log has is passed over, and a finding says so.
// If the time of a line grew with the lines before it, these tests would run into their time limit.
#include "core/logs/figure.h"
#include "core/logs/reader.h"
#include "tests/logs/examples.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>

using namespace ringside::logs;
using ringside::test::lineForm;

namespace {

const LogFormat& form()
{
    static const LogFormat kForm{.name = "form",
                                 .title = "Form",
                                 .lines = {lineForm("step {iteration} rate {items_per_second}"),
                                           lineForm("total rate {items_per_second}", Meaning::summary, Scope::node),
                                           lineForm("batch of {batch_per_rank}", Meaning::context),
                                           lineForm("training begins", Meaning::start),
                                           lineForm("evaluation", Meaning::test)}};
    return kForm;
}

/// Lines that are made one by one, so that no log lies in memory.
class Feed
{
public:
    explicit Feed(LogSettings given = {})
        : m_reader(form(), given)
    {
    }
    void line(std::string_view text) { m_reader.read(++m_lines, text); }
    void record(int rank, int step) { line(fmt::format("[{}] step {} rate {}", rank, step, 100 + step)); }
    LogContent finish() { return m_reader.finish(); }

private:
    LogReader m_reader;
    std::uint64_t m_lines = 0;
};

/// The finding of this code.
Finding findingIn(const LogContent& content, FindingCode code)
{
    const auto found = std::ranges::find(content.findings, code, &Finding::code);
    REQUIRE(found != content.findings.end());
    return *found;
}

constexpr int kRanks = int{kMostRanks};

} // namespace

TEST_CASE("as many ranks are read as the largest machines have, whatever their numbers are")
{
    Feed feed;
    for (int step = 1; step <= 3; ++step)
        for (int i = 0; i < kRanks + 5; ++i)
            feed.record(99'999'999 - i, step);
    const LogContent content = feed.finish();
    REQUIRE(content.runs.size() == 1);
    CHECK(content.runs[0].lanes.size() == kMostRanks);
    CHECK(std::ranges::all_of(content.runs[0].lanes, [](const LogLane& lane) { return lane.records.size() == 3; }));
    const Finding left = findingIn(content, FindingCode::tooManyRanks);
    CHECK(left.line == kMostRanks + 1);
    CHECK(left.count == 15);
}

TEST_CASE("what many ranks announce is bounded as their records are")
{
    Feed feed;
    for (int step = 1; step <= 3; ++step)
        for (int rank = 0; rank < kRanks + 5; ++rank)
            feed.line(fmt::format("[{}] batch of 32", rank));
    const Finding left = findingIn(feed.finish(), FindingCode::tooManyRanks);
    CHECK(left.line == kMostRanks + 1);
    CHECK(left.count == 15);
}

TEST_CASE("ranks without tags are fewer, since each of their lines is compared with all of them")
{
    Feed feed;
    for (int i = 0; i < 20'000; ++i)
        feed.line(fmt::format("step 10 rate {}", 100 + i));
    const LogContent content = feed.finish();
    REQUIRE(content.runs.size() == 1);
    CHECK(content.runs[0].lanes.size() == kMostUntagged);
    const Finding left = findingIn(content, FindingCode::tooManyRanks);
    CHECK(left.line == kMostUntagged + 1);
    CHECK(left.count == 20'000 - kMostUntagged);
}

TEST_CASE("runs are bounded")
{
    Feed feed({.ranks = 1});
    for (int i = 0; i < int{kMostRuns} + 5; ++i)
        feed.line(fmt::format("step 10 rate {}", 100 + i));
    const LogContent content = feed.finish();
    CHECK(content.runs.size() == kMostRuns);
    CHECK(findingIn(content, FindingCode::tooManyRuns).line == kMostRuns + 1);
    CHECK(findingIn(content, FindingCode::tooManyRuns).count == 5);
}

TEST_CASE("summaries are bounded, and compared in a time that grows with their number")
{
    Feed feed;
    feed.record(0, 1);
    feed.record(0, 2);
    feed.record(1, 1);
    feed.record(1, 2);
    for (int i = 0; i < int{kMostClaims} + 5; ++i)
        feed.line("total rate 7");
    const LogContent content = feed.finish();
    REQUIRE(content.runs.size() == 1);
    CHECK(content.runs[0].claims.size() == kMostClaims);
    CHECK(findingIn(content, FindingCode::tooManyClaims).line == kMostClaims + 5);
    CHECK(findingIn(content, FindingCode::tooManyClaims).count == 5);
    const LogFigure figure = figureOf(content.runs[0], 1);
    CHECK(findingsOf(content.runs[0], figure, 1).size() == kMostClaims);
}

TEST_CASE("a line without a tag is about all ranks, however many there are")
{
    Feed feed;
    const auto round = [&](int step) {
        for (int rank = 0; rank < kRanks; ++rank)
            feed.record(rank, step);
    };
    const auto repeat = [&](std::string_view line) {
        for (int i = 0; i < 100'000; ++i)
            feed.line(line);
    };
    round(1);
    repeat("evaluation");
    round(2);
    round(3);
    repeat("training begins");
    round(4);
    const LogContent content = feed.finish();
    REQUIRE(content.runs.size() == 2);
    for (const LogLane& lane : content.runs[0].lanes) {
        REQUIRE(lane.records.size() == 3);
        CHECK_FALSE(lane.records[0].holdsTest);
        CHECK(lane.records[1].holdsTest);
        CHECK_FALSE(lane.records[2].holdsTest);
    }
    CHECK(content.runs[1].lanes.size() == kMostRanks);
    CHECK(content.findings.empty());
}

TEST_CASE("an epoch that was announced before another run began is none of that run's")
{
    const LogFormat format{.name = "form",
                           .title = "Form",
                           .lines = {lineForm("epoch {epoch} begins", Meaning::context),
                                     lineForm("an epoch took {seconds} s", Meaning::epoch),
                                     lineForm("training begins", Meaning::start)}};
    LogReader reader(format);
    std::uint64_t lines = 0;
    for (const char* line : {"[3] epoch 7 begins", "training begins", "[3] an epoch took 5 s", "[3] epoch 8 begins",
                             "[3] training begins", "[3] epoch 0 begins", "[3] an epoch took 6 s"})
        reader.read(++lines, line);
    const LogContent content = reader.finish();
    std::vector<std::optional<std::int64_t>> epochs;
    for (const LogRun& run : content.runs)
        for (const LogLane& lane : run.lanes)
            for (const LogRecord& record : lane.epochs)
                epochs.push_back(record.epoch);
    CHECK(epochs == std::vector<std::optional<std::int64_t>>{std::nullopt, 0});
}
