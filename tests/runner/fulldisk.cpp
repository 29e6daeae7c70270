// SPDX-License-Identifier: MIT
// The disk of the site's root is full while ranks train, and when they end: they hold what they have and write it
// later. Facts of a system find room within a minute, or its guard ends it.
#include "agent/runner/rankexit.h"
#include "core/base/findprogram.h"
#include "tests/runner/campaignfixture.h"
#include "tests/support/smalldisk.h"

#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <optional>
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

constexpr int kOfScript = 6; ///< iterations

/// Begins to train once there is the file `go` in the folder of its first argument, and ends once `end` is there.
constexpr const char* kScript =
    "import os, sys, time\n"
    "def wait(sign):\n"
    "    while not os.path.exists(os.path.join(sys.argv[1], sign)):\n"
    "        time.sleep(0.01)\n"
    "print('It waits.')\n"
    "wait('go')\n"
    "print('ringside 1 begin rank=0 ranks=1 scope=rank batch=8 pid=%d {}' % os.getpid())\n"
    "for i in range(6):\n"
    "    print('ringside 1 iteration=%d start_ns=%d length_ns=1000 items=8' % (i, 1000 * i + 1000))\n"
    "wait('end')\n";

Campaign campaignOfScript(const fs::path& folder, const fs::path& signs)
{
    Engine engine;
    engine.title = "Script";
    engine.command = {findProgram("python3"), (signs / "script.py").string(), signs.string()};
    engine.environment = {{"PYTHONUNBUFFERED", "1"}};
    REQUIRE(writeFileAtomically(signs / "script.py", kScript));
    const Settings settings{{"engine", std::string("script")}, {"batch_per_rank", std::int64_t{8}}};
    const TemporaryPlace place(folder);
    return Campaign({makeRun(1, kOfScript, settings)}, {}, "mpirun", testworkerPath(), {}, {{"script", engine}});
}

/// The disk is full before the script begins; its few lines still fit behind the first one, whose page the log has.
void trainOnFullDisk(const Campaign& campaign, SmallDisk& disk, const fs::path& signs)
{
    const auto says = [&](const char* words) {
        const auto log = readFile(layout::rankLog(campaign.attempt(0), 0));
        return log && log->find(words) != std::string::npos;
    };
    REQUIRE(eventually(kLong, [&] { return says("It waits."); }));
    disk.fill();
    REQUIRE(writeFileAtomically(signs / "go", ""));
    REQUIRE(eventually(kLong, [&] { return says("iteration=5"); }));
}

/// A disk on which no further file can be made, as long as this lives: what is there can still grow.
class NoFiles
{
public:
    explicit NoFiles(const fs::path& folder)
        : m_folder(folder / "others")
    {
        fs::create_directory(m_folder);
        for (int i = 0; std::ofstream(m_folder / std::to_string(i)); ++i)
            ;
    }
    ~NoFiles() { fs::remove_all(m_folder); }

private:
    fs::path m_folder;
};

/// A small disk for temporary files; its path is short, or Ringside would use another one.
struct TemporaryDisk
{
    ~TemporaryDisk()
    {
        disk.reset();
        fs::remove(path);
    }
    std::string name = "/tmp/rs-XXXXXX";
    fs::path path = ::mkdtemp(name.data());
    std::optional<SmallDisk> disk{std::in_place, path, "size=4m,nr_inodes=200", 0};
};

bool trains(const fs::path& signs)
{
    return !processesWith((signs / "script.py").string()).empty();
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

TEST_CASE("facts of a system that find no room are written once there is some, while it trains")
{
    const TemporaryFolder folder, signs;
    SmallDisk disk(folder.path(), 2048);
    if (!disk.problem().empty()) {
        MESSAGE("skipped: no small disk can be mounted here: ", disk.problem());
        return;
    }
    const Campaign campaign = campaignOfScript(folder.path(), signs.path());
    const fs::path facts = layout::factsFile(campaign.attempt(0));
    Process runner = campaign.startRunner(1);
    trainOnFullDisk(campaign, disk, signs.path());
    std::this_thread::sleep_for(milliseconds(1'000)); // looks of its guard
    CHECK_FALSE(fs::exists(facts));
    disk.grow();
    CHECK(eventually(kLong, [&] { return fs::exists(facts); }));
    CHECK(trains(signs.path()));
    REQUIRE(writeFileAtomically(signs / "end", ""));
    CHECK(runner.wait(kLong) == 0);
    checkWhole(campaign, kOfScript);
}

TEST_CASE("a system whose facts find no room is ended, and that happened to its run")
{
    const TemporaryFolder folder, signs;
    SmallDisk disk(folder.path(), 2048);
    if (!disk.problem().empty()) {
        MESSAGE("skipped: no small disk can be mounted here: ", disk.problem());
        return;
    }
    Campaign campaign = campaignOfScript(folder.path(), signs.path());
    campaign.setHungAfter(600); // at this scale a minute, and facts wait for 6 s
    Process runner = campaign.startRunner(0.1);
    trainOnFullDisk(campaign, disk, signs.path());
    CHECK(trains(signs.path()));
    CHECK(eventually(kLong, [&] { return !trains(signs.path()); }));
    disk.grow();
    CHECK(runner.wait(kLong) == 0);
    REQUIRE(campaign.endsOf(0).size() == 1);
    const JournalEvent end = campaign.endsOf(0).front();
    CHECK(end.state == RunState::failed);
    CHECK(end.cause == Cause::lostRank);
    CHECK(end.reason.code == why::kNoSpace);
    CHECK(end.reason.word("folder") == campaign.attempt(0).string());
    const auto exit = runner::readRankExit(campaign.attempt(0), 0);
    REQUIRE(exit);
    CHECK(exit->code == exitcode::kNoSpace);
}

TEST_CASE("a run waits for room on the disk of temporary files")
{
    const TemporaryDisk temporary;
    if (!temporary.disk->problem().empty()) {
        MESSAGE("skipped: no small disk can be mounted here: ", temporary.disk->problem());
        return;
    }
    const Campaign campaign({makeRun(1, 5), makeRun(1, 5)});
    const TemporaryPlace place(temporary.path);
    std::optional<NoFiles> full{temporary.path};
    Process runner = campaign.startRunner();
    REQUIRE(eventually(kLong, [&] { return campaign.story().ends_with("attempt_started 0/1\n"); }));
    std::this_thread::sleep_for(milliseconds(1'000));
    full.reset();
    CHECK(runner.wait(kLong) == 0);
    CHECK(campaign.story() == "runner_started\nattempt_started 0/1\nattempt_ended 0/1 done none\n"
                              "attempt_started 1/1\nattempt_ended 1/1 done none\nrunner_ended done\n");
}

TEST_CASE("a disk of temporary files that has room for folders alone is full")
{
    TemporaryDisk temporary;
    if (!temporary.disk->problem().empty()) {
        MESSAGE("skipped: no small disk can be mounted here: ", temporary.disk->problem());
        return;
    }
    const Campaign campaign({makeRun(1, 5)});
    const TemporaryPlace place(temporary.path);
    temporary.disk->fill();
    CHECK(campaign.startRunner(0.02).wait(kLong) == 73);
    CHECK(campaign.endsOf(0).at(0).reason == because(why::kNoSpace, {{"folder", temporary.path.string()}}));
    CHECK(campaign.endsOf(0).at(0).state == RunState::requeued);
}

TEST_CASE("a disk of temporary files that stays full ends the runner, and fails no run")
{
    const TemporaryDisk temporary;
    if (!temporary.disk->problem().empty()) {
        MESSAGE("skipped: no small disk can be mounted here: ", temporary.disk->problem());
        return;
    }
    const Campaign campaign({makeRun(1, 5), makeRun(1, 5)});
    const TemporaryPlace place(temporary.path);
    {
        const NoFiles full(temporary.path);
        CHECK(campaign.startRunner(0.02).wait(kLong) == 73); // at this scale room is waited for 1.2 s
        CHECK(campaign.story() == "runner_started\nattempt_started 0/1\nattempt_ended 0/1 requeued launch\n");
        CHECK(campaign.endsOf(0).at(0).reason == because(why::kNoSpace, {{"folder", temporary.path.string()}}));
    }
    CHECK(campaign.startRunner().wait(kLong) == 0);
    for (std::size_t run : {0, 1})
        CHECK(campaign.endsOf(run).back().state == RunState::done);
}

TEST_CASE("a run waits for room for the folder of its attempt")
{
    const TemporaryFolder folder;
    const SmallDisk disk(folder.path(), "size=64m,nr_inodes=400", 0);
    if (!disk.problem().empty()) {
        MESSAGE("skipped: no small disk can be mounted here: ", disk.problem());
        return;
    }
    const Campaign campaign = campaignIn(folder.path(), {makeRun(1, 5)});
    campaign.control(layout::holdFile(campaign.folder()));
    Process runner = campaign.startRunner();
    REQUIRE(eventually(kLong, [&] { return campaign.story().ends_with("held\n"); }));
    std::optional<NoFiles> full{folder.path()};
    fs::remove(layout::holdFile(campaign.folder()));
    REQUIRE(eventually(kLong, [&] { return campaign.story().ends_with("continued\n"); }));
    std::this_thread::sleep_for(milliseconds(1'000));
    full.reset();
    CHECK(runner.wait(kLong) == 0);
    CHECK(campaign.endsOf(0).at(0).state == RunState::done);
}
