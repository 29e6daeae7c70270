// SPDX-License-Identifier: MIT
// The disk of the site's root is full while ranks train, and when they end: they hold what they have and write it
// later.
#include "tests/runner/campaignfixture.h"
#include "tests/support/smalldisk.h"

#include <doctest/doctest.h>
#include <thread>

using namespace ringside;
using namespace ringside::test;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kLong{60'000};

/// A campaign whose root is below the folder.
Campaign campaignIn(const fs::path& folder, std::vector<RunSpec> runs)
{
    const TemporaryPlace place(folder);
    return Campaign(std::move(runs));
}

void checkWhole(const Campaign& campaign, int iterations)
{
    CHECK(campaign.story() == "runner_started\nattempt_started 0/1\nattempt_ended 0/1 done none\nrunner_ended done\n");
    for (int rank = 0; rank < campaign.run(0).ranks(); ++rank) {
        const auto records = readSpool(layout::spoolFile(campaign.attempt(0), rank));
        const auto isSample = [](const Record& record) { return std::holds_alternative<Sample>(record); };
        CHECK(std::count_if(records.begin(), records.end(), isSample) == iterations);
        REQUIRE(std::holds_alternative<End>(records.back()));
        CHECK(std::get<End>(records.back()).droppedSamples == 0);
    }
}

} // namespace

TEST_CASE("while the disk is full no rank counts as lost, and what it held is written when there is room")
{
    const TemporaryFolder folder;
    SmallDisk disk(folder.path(), 2048);
    if (!disk.problem().empty()) {
        MESSAGE("skipped: no small disk can be mounted here: ", disk.problem());
        return;
    }
    constexpr int kIterations = 1'000; // 10 s
    const Campaign campaign = campaignIn(folder.path(), {makeRun(2, kIterations)});
    Process runner = campaign.startRunner(0.1);
    REQUIRE(campaign.trains(0));
    disk.fill();
    std::this_thread::sleep_for(milliseconds(5'000)); // at this scale 2 s of silence are a lost rank
    disk.grow();
    CHECK(runner.wait(kLong) == 0);
    checkWhole(campaign, kIterations);
}

TEST_CASE("a rank that ends while the disk is full waits for room, and so does the record of its end")
{
    const TemporaryFolder folder;
    SmallDisk disk(folder.path(), 2048);
    if (!disk.problem().empty()) {
        MESSAGE("skipped: no small disk can be mounted here: ", disk.problem());
        return;
    }
    constexpr int kIterations = 150; // 1.5 s
    const Campaign campaign = campaignIn(folder.path(), {makeRun(1, kIterations)});
    Process runner = campaign.startRunner();
    REQUIRE(campaign.trains(0));
    disk.fill();
    std::this_thread::sleep_for(milliseconds(4'000));
    disk.grow();
    CHECK(runner.wait(kLong) == 0);
    checkWhole(campaign, kIterations);
}
