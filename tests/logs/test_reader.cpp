// SPDX-License-Identifier: MIT
#include "core/logs/figure.h"
#include "core/logs/lines.h"
#include "core/logs/reader.h"
#include "core/logs/recognise.h"
#include "tests/logs/examples.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <random>
#include <string>
#include <vector>

using namespace ringside::logs;
using ringside::test::contentOf, ringside::test::interleaved, ringside::test::lineForm;

namespace {

/// As MXNet's Speedometer prints, and what stands around it.
LogFormat speedometer()
{
    return {
        .name = "speedometer",
        .title = "Speedometer",
        .lines = {lineForm("Epoch[{epoch}] Batch [{previous_iteration}-{iteration}] Speed: {items_per_second} samples"),
                  lineForm("start training with {ranks} workers", Meaning::start),
                  lineForm("total: {items_per_second} samples/sec", Meaning::summary, Scope::all)}};
}

/// As CNTK prints: losses and items of all ranks, and a time where an epoch ends.
LogFormat minibatches()
{
    return {.name = "minibatches",
            .title = "Minibatches",
            .lines = {lineForm("Minibatch[{first_iteration}-{iteration}]: loss = {loss} * {items}", Meaning::interval,
                               Scope::all),
                      lineForm("Finished Epoch[{epoch} of {epochs}]: loss = {loss} * {items} in {seconds}s",
                               Meaning::epoch, Scope::all)}};
}

std::string speedLine(int epoch, int iteration, double rate)
{
    return fmt::format("Epoch[{}] Batch [{}-{}]\tSpeed: {} samples/sec\n", epoch, iteration - 10, iteration, rate);
}

/// Returns the lines of a rank in one run.
std::vector<std::string> linesOfRank(int rank, int records)
{
    std::vector<std::string> lines;
    for (int i = 1; i <= records; ++i)
        lines.push_back(speedLine(i > records / 2, i > records / 2 ? (i - records / 2) * 10 : i * 10, 100 + rank));
    return lines;
}

} // namespace

TEST_CASE("a log of one rank is one run, and its figure leaves the first record out")
{
    const std::string log =
        speedLine(0, 10, 20) + speedLine(0, 20, 100) + speedLine(1, 10, 104) + speedLine(1, 20, 102);
    const LogContent content = contentOf(speedometer(), log, {.ranks = 1});
    REQUIRE(content.runs.size() == 1);
    REQUIRE(content.runs[0].lanes.size() == 1);
    CHECK(content.runs[0].lanes[0].records.size() == 4);
    CHECK(content.runs[0].lanes[0].records[1].line == 2);
    const LogFigure figure = figureOf(content.runs[0], 1);
    CHECK(figure.itemsPerSecond == doctest::Approx(102));
    CHECK(figure.leftOut == 1);
    CHECK(figure.missing.empty());
}

TEST_CASE("whether one rank's lines are all ranks' is asked, not guessed")
{
    const std::string log = speedLine(0, 10, 20) + speedLine(0, 20, 100);
    const LogFigure unknown = figureOf(contentOf(speedometer(), log).runs.at(0), 1);
    CHECK_FALSE(unknown.itemsPerSecond);
    CHECK(unknown.perLane == doctest::Approx(100));
    CHECK(unknown.missing == std::vector<std::string_view>{"ranks"});
    // One rank of four prints: the other three were not measured.
    const LogFigure one = figureOf(contentOf(speedometer(), log, {.ranks = 4}).runs.at(0), 1);
    CHECK_FALSE(one.itemsPerSecond);
    CHECK(one.perLane == doctest::Approx(100));
}

TEST_CASE("ranks without tags are paired by the order of their lines, however they interleave")
{
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        const int ranks = 2 + round % 3;
        std::vector<std::vector<std::string>> left;
        for (int rank = 0; rank < ranks; ++rank)
            left.push_back(linesOfRank(rank, 12));
        std::vector<std::size_t> printed(left.size());
        std::string log;
        while (log.size() < 1u << 20) {
            // Ranks wait for each other, so that none is more than kMostDrift records ahead.
            std::vector<std::size_t> able;
            const auto behind = *std::min_element(printed.begin(), printed.end());
            for (std::size_t rank = 0; rank < left.size(); ++rank)
                if (printed[rank] < left[rank].size() && printed[rank] < behind + kMostDrift)
                    able.push_back(rank);
            if (able.empty())
                break;
            const std::size_t rank = able[random() % able.size()];
            log += left[rank][printed[rank]++];
        }
        CAPTURE(log);
        const LogContent content = contentOf(speedometer(), log);
        REQUIRE(content.runs.size() == 1);
        REQUIRE(content.runs[0].lanes.size() == static_cast<std::size_t>(ranks));
        for (const LogLane& lane : content.runs[0].lanes)
            CHECK(lane.records.size() == 12);
        CHECK(figureOf(content.runs[0], 1).ranks == ranks);
        CHECK(figureOf(content.runs[0], 1).missing == std::vector<std::string_view>{"ranks"});
        const LogContent told = contentOf(speedometer(), log, {.ranks = ranks});
        CHECK(figureOf(told.runs.at(0), 1).itemsPerSecond ==
              doctest::Approx(ranks * 100 + ranks * (ranks - 1) / 2).epsilon(0.03)); // pairs are mixed
        CHECK(content.findings.at(0).code == FindingCode::linesOfTwoRanks);
    }
}

TEST_CASE("ranks with tags interleave in any way, over several runs")
{
    std::vector<std::vector<std::string>> lines(3);
    for (int rank = 0; rank < 3; ++rank)
        for (int run = 0; run < 2; ++run)
            for (const std::string& line : linesOfRank(rank, 6))
                lines[static_cast<std::size_t>(rank)].push_back(fmt::format("[1,{}]<stdout>:{}", rank, line));
    std::mt19937 random(11);
    for (int round = 0; round < 100; ++round) {
        const LogContent content = contentOf(speedometer(), interleaved(lines, random));
        REQUIRE(content.runs.size() == 2);
        for (const LogRun& run : content.runs) {
            REQUIRE(run.lanes.size() == 3);
            CHECK(figureOf(run, 1).itemsPerSecond == doctest::Approx(303));
        }
    }
}

TEST_CASE("a log that starts again holds another run")
{
    std::string one;
    for (const std::string& line : linesOfRank(0, 8))
        one += line;
    CHECK(contentOf(speedometer(), one + one).runs.size() == 2);
    const std::string marked = "start training with 1 workers\n" + one;
    const LogContent content = contentOf(speedometer(), marked + marked + marked);
    REQUIRE(content.runs.size() == 3);
    CHECK(content.runs[1].firstLine == 10);
    CHECK(content.runs[1].settings.ranks == 1);
    CHECK(figureOf(content.runs[1], 1).itemsPerSecond == doctest::Approx(100));
}

TEST_CASE("a run that goes on a few records before its last one is another run, not another rank")
{
    std::string first;
    for (int i = 1; i <= 20; ++i)
        first += speedLine(0, 10 * i, 500);
    for (int back = 1; back <= 3; ++back) {
        std::string log = first;
        for (int i = 21 - back; i <= 30; ++i)
            log += speedLine(0, 10 * i, 501);
        const LogContent content = contentOf(speedometer(), log);
        REQUIRE(content.runs.size() == 2);
        CHECK(content.findings.empty());
        for (const LogRun& run : content.runs)
            CHECK(run.lanes.size() == 1);
        CHECK(content.runs[1].firstLine == 21);
    }
}

TEST_CASE("ranks that print the same numbers of all for long, and then others, are ranks")
{
    std::string log;
    for (int epoch = 1; epoch <= 3; ++epoch) {
        for (int i = 0; i < 6; ++i)
            for (int rank = 0; rank < 3; ++rank)
                log += fmt::format("Minibatch[{}-{}]: loss = 2.{} * 320\n", 5 * i + 1, 5 * i + 5, i);
        for (int rank = 0; rank < 3; ++rank)
            log += fmt::format("Finished Epoch[{} of 3]: loss = 2.5 * 1920 in 1.00{}s\n", epoch, rank);
    }
    const LogContent content = contentOf(minibatches(), log);
    REQUIRE(content.runs.size() == 1);
    REQUIRE(content.runs[0].lanes.size() == 3);
    for (const LogLane& lane : content.runs[0].lanes)
        CHECK(lane.epochs.size() == 3);
}

TEST_CASE("a log that is cut anywhere has a part of its records, and no other")
{
    std::string log;
    for (int rank = 0; rank < 1; ++rank)
        for (const std::string& line : linesOfRank(rank, 6))
            log += line;
    const LogContent whole = contentOf(speedometer(), log);
    for (std::size_t length = 0; length <= log.size(); ++length) {
        const LogContent cut = contentOf(speedometer(), std::string_view(log).substr(0, length));
        if (cut.runs.empty())
            continue;
        const auto& records = cut.runs.at(0).lanes.at(0).records;
        const auto& all = whole.runs.at(0).lanes.at(0).records;
        REQUIRE(records.size() <= all.size());
        for (std::size_t i = 0; i < records.size(); ++i)
            CHECK(records[i].itemRate == all[i].itemRate);
    }
}

TEST_CASE("what a program says of all ranks is checked against its own records")
{
    const std::string records = speedLine(0, 10, 20) + speedLine(0, 20, 100) + speedLine(0, 30, 100);
    const auto findings = [&](std::string_view total) {
        const LogContent content = contentOf(speedometer(), records + std::string(total), {.ranks = 1});
        return findingsOf(content.runs.at(0), figureOf(content.runs.at(0), 1), 1);
    };
    CHECK(findings("total: 101 samples/sec\n").empty());
    const auto wrong = findings("total: 140 samples/sec\n");
    REQUIRE(wrong.size() == 1);
    CHECK(wrong[0].code == FindingCode::claimDiffers);
    CHECK(wrong[0].line == 4);
}

TEST_CASE("a running mean is taken apart into what lies between its lines")
{
    const LogFormat format{.name = "mean",
                           .title = "Mean",
                           .lines = {lineForm("^{iteration} images/sec: {items_per_second}", Meaning::mean)}};
    // 10 iterations at 100, 10 at 50: the mean of rates over time is 66.67.
    const LogContent content = contentOf(format, "10 images/sec: 100.00\n20 images/sec: 66.67\n", {.ranks = 1});
    const auto& records = content.runs.at(0).lanes.at(0).records;
    REQUIRE(records.size() == 2);
    CHECK(*records[0].itemRate == doctest::Approx(100));
    CHECK(*records[1].itemRate == doctest::Approx(50).epsilon(0.001));
    const LogContent wild = contentOf(format, "10 images/sec: 1e308\n20 images/sec: 100.00\n30 images/sec: 100.00\n");
    CHECK(wild.runs.at(0).lanes.at(0).records.size() == 2);
    CHECK(wild.findings.at(0).code == FindingCode::implausible);
    // After 100,000 iterations one digit behind the point says nothing of the last ten.
    std::string late;
    for (int i = 100'000; i <= 100'200; i += 10)
        late += fmt::format("{} images/sec: 100.0\n", i);
    CHECK(contentOf(format, late, {.ranks = 1}).runs.at(0).lanes.at(0).records.size() == 1);
}

TEST_CASE("an epoch is a record where nothing finer tells a rate")
{
    const std::string log = "Minibatch[ 1- 5]: loss = 2 * 320\nFinished Epoch[1 of 2]: loss = 2 * 640 in 2.0s\n"
                            "Minibatch[ 1- 5]: loss = 1 * 320\nFinished Epoch[2 of 2]: loss = 1 * 640 in 1.0s\n";
    const LogContent content = contentOf(minibatches(), log);
    REQUIRE(content.runs.size() == 1);
    const LogFigure figure = figureOf(content.runs[0], 1);
    CHECK(figure.itemsPerSecond == doctest::Approx(640));
    CHECK(figure.firstLoss == 2);
    CHECK(figure.lastLoss == 1);
}

TEST_CASE("numbers of all ranks are not added up, and ranks that disagree about them are found")
{
    const LogFormat format{
        .name = "all",
        .title = "All",
        .lines = {lineForm("took {seconds} seconds for steps {previous_iteration} to {iteration}, {items} items",
                           Meaning::interval, Scope::all)}};
    std::string log;
    for (int i = 0; i < 4; ++i)
        for (int rank = 0; rank < 2; ++rank)
            log += fmt::format("{}: took {}.0 seconds for steps {} to {}, 640 items\n", rank, rank + 1, i * 10,
                               i * 10 + 10);
    const LogContent content = contentOf(format, log);
    const LogFigure figure = figureOf(content.runs.at(0), 1);
    CHECK_FALSE(figure.itemsPerSecond);
    CHECK(figure.contradictions.size() == 1);
    CHECK(workOf(content.runs[0], figure, 1).empty());
    const Finding finding = findingsOf(content.runs[0], figure, 1).at(0);
    CHECK(finding.code == FindingCode::lanesDiffer);
    CHECK(finding.line == 1);
    CHECK(finding.printed == doctest::Approx(640));
    CHECK(finding.against == doctest::Approx(320));
}

TEST_CASE("a log's form is found by its lines, and an unknown one by none")
{
    const std::vector<LogFormat> formats{
        speedometer(),
        {.name = "other", .title = "Other", .lines = {lineForm("loss: {loss} after {iteration}")}},
        {.name = "losses", .title = "Losses", .lines = {lineForm("mean loss: {loss}")}}};
    const auto formatOf = [&](std::initializer_list<std::string_view> lines) {
        Recogniser recogniser(formats);
        for (const std::string_view line : lines)
            recogniser.read(line);
        return recogniser.best() ? recogniser.best()->name : "";
    };
    CHECK(formatOf({"loss: 2 after 3", "loss: 1 after 4"}) == "other");
    CHECK(formatOf({"[1,0]<stdout>:Epoch[0] Batch [0-10] Speed: 3 samples"}) == "speedometer");
    CHECK(formatOf({"start training with 2 workers", "nothing"}).empty());
    // In a run that was cut before its summary, lines with a rate decide, however few they are; a stamp makes one, too.
    CHECK(formatOf({"mean loss: 2", "mean loss: 1", "Epoch[0] Batch [0-10] Speed: 3 samples"}) == "speedometer");
    CHECK(formatOf({"mean loss: 2", "nothing"}) == "losses");
    CHECK(formatOf({"2026-11-21 08:43:44 loss: 2 after 3", "2026-11-21 08:43:46 loss: 1 after 4",
                    "Epoch[0] Batch [0-10] Speed: 3 samples"}) == "other");
}

TEST_CASE("a line that repeats a record, or tells more of it, is no other one")
{
    const LogFormat format{.name = "twice",
                           .title = "Twice",
                           .lines = {lineForm("step {iteration}: {items_per_second} images/s"),
                                     lineForm("step {iteration}: loss = {loss}")}};
    std::string log;
    for (int i = 1; i <= 3; ++i)
        log += fmt::format("step {0}: {1} images/s\nstep {0}: {1} images/s\nstep {0}: loss = {2}\n", i, 100 + i, 4 - i);
    const LogContent content = contentOf(format, log, {.ranks = 1});
    REQUIRE(content.runs.size() == 1);
    REQUIRE(content.runs[0].lanes.size() == 1);
    const auto& records = content.runs[0].lanes[0].records;
    REQUIRE(records.size() == 3);
    CHECK(records[1].itemRate == 102);
    CHECK(records[1].loss == 2);
}

TEST_CASE("phases lie beside their records, and a line may add some")
{
    const LogFormat format{.name = "phases",
                           .title = "Phases",
                           .lines = {lineForm("step {iteration}: {seconds} s, forward {forward_seconds}"),
                                     lineForm("step {iteration} backward: {backward_seconds}, loss {loss}")}};
    std::string log;
    for (int i = 1; i <= 3; ++i)
        log += fmt::format("step {0}: 1 s, forward 0.{0}\nstep {0} backward: 0.5, loss 2\n", i);
    const auto told = [](std::span<const PhaseTime> phases) {
        std::string text;
        for (const PhaseTime& phase : phases)
            text += fmt::format("{}:{} ", static_cast<int>(phase.phase), phase.seconds);
        return text;
    };
    const auto expected = [](int i) {
        return fmt::format("{}:0.{} {}:0.5 ", static_cast<int>(ringside::Phase::forward), i,
                           static_cast<int>(ringside::Phase::backward));
    };
    const LogContent content = contentOf(format, log, {.ranks = 1});
    REQUIRE(content.runs.size() == 1);
    const LogLane& lane = content.runs[0].lanes.at(0);
    REQUIRE(lane.records.size() == 3);
    for (int i = 1; i <= 3; ++i)
        CHECK(told(lane.phasesOf(lane.records[static_cast<std::size_t>(i - 1)])) == expected(i));

    LogReader reader(format, {.ranks = 1}); // and so they are of what is taken out, and of what stays
    std::vector<std::string> taken;
    const auto take = [&](bool isAll) {
        for (const RecordOf& each : reader.takeRecords(isAll))
            taken.push_back(told(each.phases));
    };
    LineSplitter splitter([&](std::uint64_t number, std::string_view line, bool) {
        reader.read(number, line);
        take(false);
    });
    splitter.feed(log);
    take(true);
    CHECK(taken == std::vector<std::string>{expected(1), expected(2), expected(3)});
}

TEST_CASE("the first form that fits a line is its form, whatever the lines before were")
{
    const LogFormat format{.name = "order",
                           .title = "Order",
                           .lines = {lineForm("speed {items_per_second} of all", Meaning::interval, Scope::all),
                                     lineForm("speed {items_per_second}"),
                                     lineForm("speed is {items_per_second}", Meaning::interval, Scope::node)}};
    std::mt19937 random(11);
    std::vector<Scope> expected, read;
    LogReader reader(format);
    for (std::uint64_t number = 1; number <= 200; ++number) {
        const auto form = random() % 4; // the last one is none
        const std::string line = fmt::format(
            fmt::runtime(std::vector<std::string>{"speed {} of all", "speed {}", "speed is {}", "sped {}"}[form]),
            number);
        CHECK(reader.read(number, line) == (form < 3));
        if (form < 3)
            expected.push_back(format.lines[form].scope);
    }
    for (const RecordOf& each : reader.takeRecords(true))
        read.push_back(each.scope);
    CHECK(read == expected);
}

TEST_CASE("settings belong to the run whose records follow")
{
    const LogFormat format{.name = "batch",
                           .title = "Batch",
                           .lines = {lineForm("batch size {batch_per_rank}", Meaning::context),
                                     lineForm("step {iteration}: {iterations_per_second} its/s")}};
    const auto run = [](int batch) {
        return fmt::format("batch size {}\nstep 1: 2 its/s\nstep 2: 2 its/s\nstep 3: 2 its/s\n", batch);
    };
    const LogContent content = contentOf(format, run(32) + run(64), {.ranks = 1});
    REQUIRE(content.runs.size() == 2);
    CHECK(figureOf(content.runs[0], 1).itemsPerSecond == 64);
    CHECK(figureOf(content.runs[1], 1).itemsPerSecond == 128);
    CHECK(content.runs[1].firstLine == 5);
    CHECK(contentOf(format, run(32), {.batchPerRank = 16}).runs.at(0).settings.batchPerRank == 32);
}

TEST_CASE("a printed rate has to agree with the batch that is known, a smoothed one in the median")
{
    const LogFormat format{
        .name = "both",
        .title = "Both",
        .lines = {lineForm("step {iteration}: {iterations_per_second} its/s, {items_per_second} images/s")}};
    const auto read = [&](std::initializer_list<double> rates, std::int64_t batch) {
        std::string log;
        for (int step = 0; const double rate : rates)
            log += fmt::format("step {}: 2.000 its/s, {:.1f} images/s\n", ++step, rate);
        return contentOf(format, log, {.batchPerRank = batch, .ranks = 1});
    };
    const auto findings = [](const LogContent& content) {
        return findingsOf(content.runs.at(0), figureOf(content.runs[0], 1), 1);
    };
    const LogContent right = read({64, 64, 64, 65, 64}, 32);
    CHECK(findings(right).empty());
    CHECK(figureOf(right.runs.at(0), 1).itemsPerSecond == 64);
    CHECK(findings(read({58, 61, 64, 66, 70}, 32)).empty());
    const LogContent wrong = read({64, 64, 64, 64, 64}, 64);
    CHECK_FALSE(figureOf(wrong.runs.at(0), 1).itemsPerSecond);
    REQUIRE(findings(wrong).size() == 1);
    CHECK(findings(wrong)[0].code == FindingCode::rateAgainstBatch);
    CHECK(findings(wrong)[0].against == doctest::Approx(128));
    CHECK(findings(wrong)[0].count == 5);
    const LogContent one = read({64, 64, 64, 80, 64}, 32);
    CHECK(findings(one).at(0).line == 4);
    CHECK(figureOf(one.runs.at(0), 1).itemsPerSecond == 64);
}

TEST_CASE("an epoch belongs to the bar that follows, and a bar that was not announced is an evaluation")
{
    const LogFormat format{.name = "bars",
                           .title = "Bars",
                           .lines = {lineForm("Epoch {epoch} begins", Meaning::context),
                                     lineForm("{iterations}/{total_iterations} done in {seconds}s", Meaning::epoch)}};
    const LogContent content = contentOf(format, "Epoch 1 begins\n5/10 done in 1.0s\n10/10 done in 2.0s\n"
                                                 "4/4 done in 0.5s\nEpoch 2 begins\n10/10 done in 2.1s\n");
    const auto& epochs = content.runs.at(0).lanes.at(0).epochs;
    REQUIRE(epochs.size() == 2);
    CHECK(epochs[1].epoch == 2);
    CHECK(epochs[1].line == 6);
}

TEST_CASE("a line that is missing in a constant step is found, and another step is none")
{
    const LogFormat format{.name = "older",
                           .title = "Older",
                           .lines = {lineForm("Epoch[{epoch}] Batch [{iteration}] Speed: {items_per_second}")}};
    const auto gapsIn = [&](const std::vector<std::pair<int, int>>& places) {
        std::string log;
        for (const auto& [epoch, batch] : places)
            log += fmt::format("Epoch[{}] Batch [{}]\tSpeed: 100\n", epoch, batch);
        return contentOf(format, log).findings;
    };
    const auto gaps = gapsIn({{0, 10}, {0, 20}, {0, 30}, {0, 60}, {0, 70}, {0, 90}, {0, 100}, {1, 10}, {1, 20}});
    REQUIRE(gaps.size() == 1);
    CHECK(gaps[0].code == FindingCode::iterationsMissing);
    CHECK(gaps[0].line == 4);
    CHECK(gaps[0].printed == 51);
    CHECK(gaps[0].against == 31);
    CHECK(gaps[0].count == 2);
    CHECK(gapsIn({{0, 10}, {0, 20}, {0, 30}, {0, 60}}).size() == 1);
    CHECK(gapsIn({{0, 1}, {0, 10}, {0, 20}, {0, 30}, {1, 1}, {1, 10}, {1, 20}}).empty());
    CHECK(gapsIn({{0, 1}, {0, 2}, {0, 3}, {0, 13}, {0, 23}, {0, 33}}).empty()); // it prints less often from there on
    CHECK(gapsIn({{0, 10}, {0, 20}, {0, 60}, {0, 67}}).empty());
}

TEST_CASE("lines that look like records but are damaged are counted, and other lines are not")
{
    std::string log;
    for (int record = 1; record <= 20; ++record) {
        std::string line = speedLine(0, record * 10, 20);
        if (record % 7 == 3) // of 20 three
            line.insert(line.size() / 2, "\n");
        log += line + "Epoch[0] Train-accuracy=0.5\n";
    }
    const LogContent content = contentOf(speedometer(), log + "Epoch[0]\nEpoch[0] Batch [210-220]\tSp");
    CHECK(content.runs.at(0).lanes.at(0).records.size() == 17);
    REQUIRE(content.findings.size() == 3); // the gaps are the second
    CHECK(content.findings[0].code == FindingCode::damagedRecords);
    CHECK(content.findings[0].line == 5);
    CHECK(content.findings[0].count == 3);
    CHECK(content.findings[1].code == FindingCode::iterationsMissing);
    CHECK(content.findings[2].code == FindingCode::cutLines);
}

TEST_CASE("a last line without an end tells nothing and is counted")
{
    const LogContent content =
        contentOf(speedometer(), speedLine(0, 10, 20) + "Epoch[0] Batch [10-20]\tSpeed: 7 samples");
    CHECK(content.runs.at(0).lanes.at(0).records.size() == 1);
    CHECK(content.findings.at(0).code == FindingCode::cutLines);
}
