// SPDX-License-Identifier: MIT
// Logs of kubectl, in which pods stand before the lines.
#include "core/protocol/settings.h"
#include "tests/imports/logfixture.h"

using namespace ringside;
using namespace ringside::imports;
using ringside::test::LogFixture;

TEST_CASE_FIXTURE(LogFixture, "pods that print side by side are ranks of one run, and one behind the other runs")
{
    const auto line = [](int pod, int iteration) {
        return fmt::format("[pod/a-{}/m] Iter #{}: 100.0 img/sec per GPU\n", pod, iteration);
    };
    std::string head, together, behind;
    for (int pod = 0; pod < 2; ++pod)
        head += fmt::format("[pod/a-{0}/m] Model: resnet50\n[pod/a-{0}/m] Batch size: 32\n", pod);
    for (int i = 0; i < 20; ++i) {
        together += line(i % 2, i / 2);
        behind += line(i / 10, i % 10);
    }
    const auto previews = preview({write("together.log", head + together)});
    REQUIRE(previews);
    const imports::LogPreview& read = previews->logs.at(0);
    CHECK(read.log.format->name == "horovod");
    REQUIRE(read.runs.size() == 1);
    CHECK(missingIn(read).empty());
    CHECK(read.log.runs[0].lanes.size() == 2);
    CHECK(ringside::integerOf(read.runs[0].settings, "batch_per_rank") == 32);
    CHECK(read.runs[0].figure.itemsPerSecond == doctest::Approx(200));
    const auto found = notesOf(read);
    const auto note = std::ranges::find_if(
        found, [](const Note& each) { return each.text().find("read as 2 ranks of one run") != std::string::npos; });
    REQUIRE(note != found.end());
    CHECK(note->gravity == Gravity::warn);
    CHECK(notesOf(preview({folder / "together.log"}, {"ranks=2"})->logs.at(0)).back().gravity == Gravity::info);

    const auto inTurn = preview({write("behind.log", behind)}, {"ranks=1"});
    REQUIRE(inTurn);
    const imports::LogPreview& tries = inTurn->logs.at(0);
    REQUIRE(tries.runs.size() == 2);
    CHECK(tries.runs[0].figure.itemsPerSecond == doctest::Approx(100));
    CHECK(tries.runs[1].figure.itemsPerSecond == doctest::Approx(100));
    CHECK(notes(tries, "add --timestamps to kubectl logs"));
}

TEST_CASE_FIXTURE(LogFixture, "jobs beside each other that state one rank each are never added up without a word")
{
    for (const auto& tags : {std::pair("[pod/a/m] ", "[pod/b/m] "), std::pair("0: ", "1: ")}) {
        std::string log;
        for (const std::string tag : {tags.first, tags.second})
            log += fmt::format("{0}Model: resnet50\n{0}Batch size: 32\n{0}Number of GPUs: 1\n", tag);
        for (int i = 0; i < 10; ++i)
            for (const std::string tag : {tags.first, tags.second})
                log += fmt::format("{}Iter #{}: 100.0 img/sec per GPU\n", tag, i);
        CAPTURE(log);
        const auto untold = preview({write("two.log", log)});
        REQUIRE(untold);
        const imports::LogPreview& asked = untold->logs.at(0);
        REQUIRE(asked.runs.size() == 1);
        CHECK(missingIn(asked) == std::vector<std::string>{"ranks"});
        CHECK_FALSE(asked.runs[0].figure.itemsPerSecond);
        CHECK(notes(asked, "Its own number of ranks is 1, but 2 processes print"));
        CHECK(missingIn(preview({folder / "two.log"}, {"ranks=1"})->logs.at(0)) == std::vector<std::string>{"ranks"});
        const auto told = preview({folder / "two.log"}, {"ranks=2"});
        REQUIRE(told);
        CHECK(told->logs.at(0).runs.at(0).figure.itemsPerSecond == doctest::Approx(200));
    }
}

TEST_CASE_FIXTURE(LogFixture, "files of ranks that state different numbers of ranks are found, with pods or without")
{
    const auto fileOf = [](const std::string& tag, int ranks) {
        std::string log = fmt::format("{0}Model: resnet50\n{0}Batch size: 32\n{0}Number of GPUs: {1}\n", tag, ranks);
        for (int i = 0; i < 10; ++i)
            log += fmt::format("{}Iter #{}: 100.0 img/sec per GPU\n", tag, i);
        return log;
    };
    write("ranks/rank-0.log", fileOf({}, 4));
    for (const std::string tag : {"", "[pod/a/m] "}) {
        CAPTURE(tag);
        write("ranks/rank-1.log", fileOf(tag, 8));
        const auto previews = preview({folder / "ranks"});
        REQUIRE(previews);
        REQUIRE(previews->logs.size() == 1);
        const ReadLog& log = previews->logs[0].log;
        REQUIRE(log.runs.size() == 1);
        CHECK(log.runs[0].settings.ranks == 8);
        const auto found = std::ranges::find(log.findings, logs::FindingCode::ranksDiffer, &logs::Finding::code);
        REQUIRE(found != log.findings.end());
        CHECK(found->file == 1);
        CHECK(found->line == 3);
        CHECK(found->printed == 8);
        CHECK(found->against == 4);
        CHECK(found->count == 1);
    }
}

TEST_CASE_FIXTURE(LogFixture, "a pod that goes on from an earlier run says nothing of the one before it")
{
    std::string log;
    for (const std::string pod : {"a", "b"}) {
        log += fmt::format("[pod/{}/m] ***** Running training *****\n[pod/{}/m]   Total optimization steps = 100\n",
                           pod, pod);
        if (pod == "b")
            log += "[pod/b/m]   Continuing training from global step 60\n";
        log += fmt::format("[pod/{}/m] {{'train_runtime': 10.0, 'train_samples_per_second': 320.0, "
                           "'train_steps_per_second': 10.0, 'train_loss': 2.85, 'epoch': 1.0}}\n",
                           pod);
    }
    const auto read = preview({write("resumed.log", log)});
    REQUIRE(read);
    const auto& runs = read->logs.at(0).log.runs;
    REQUIRE(runs.size() == 2);
    CHECK(runs[0].lanes.at(0).epochs.at(0).iterationRate == 10.0);
    CHECK(runs[1].lanes.at(0).epochs.at(0).iterationRate == 4.0);
}
