// SPDX-License-Identifier: MIT
// The real worker trains from copies on its node's disk, which are gone whatever ends it.
#include "agent/runner/nodefolder.h"
#include "core/base/folderlock.h"
#include "core/protocol/facts.h"
#include "core/spec/plans.h"
#include "tests/runner/campaignfixture.h"
#include "tests/support/built.h"
#include "tests/support/smalldisk.h"

#include <csignal>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace ringside;
using namespace ringside::test;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kLong{60'000};
constexpr int kMany = 1'000'000;
constexpr double kQuarter = 0.25; // of the limits that users have

RunSpec copying(int iterations, int ranks = 2)
{
    RunSpec run = makeRun(ranks, iterations);
    run.settings = Settings{{"model", std::string("lenet")},          {"image_size", std::int64_t{32}},
                            {"batch_per_rank", std::int64_t{4}},      {"ranks", std::int64_t{ranks}},
                            {"data", std::string("synthetic-files")}, {"pictures", std::int64_t{20}},
                            {"storage", std::string("node-local")}};
    run.plan = spec::findBuiltInPlan(spec::kStandardPlan)->plan;
    return run;
}

/// A campaign on a computer whose own disk is a folder of the test.
struct Node
{
    TemporaryFolder disk;
    TemporaryPlace place{disk.path()};
    Campaign campaign;

    explicit Node(RunSpec run, const std::string& launcher = "mpirun")
        : campaign({std::move(run)}, {}, launcher, builtProgram("ringside-worker"))
    {
    }
    fs::path copy(int number = 1) const { return runner::nodeFolderOf(campaign.attempt(0, number)); }
    bool trainsFromCopy(int number = 1) const
    {
        const auto begun = [&] { return samplesIn(layout::spoolFile(campaign.attempt(0, number), 0)) > 0; };
        return eventually(kLong, begun) && fs::exists(copy(number) / "pictures/class-00/00000.jpg");
    }
    bool waits(int rank) const
    {
        const auto log = readFile(layout::rankLog(campaign.attempt(0), rank));
        return log && log->find("Waiting for another rank") != std::string::npos;
    }
    bool copyIsGone(int number = 1) const
    {
        return eventually(kLong, [&] { return !fs::exists(copy(number)); });
    }
};

/// Makes a copy without an end.
class Copier
{
public:
    explicit Copier(const fs::path& copy)
    {
        REQUIRE(makePrivateFolder(copy));
        if (auto lock = FolderLock::take(copy, FolderLock::Kind::shared))
            m_used.emplace(std::move(*lock));
        REQUIRE(m_used);
        m_copying = ::open((copy / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        REQUIRE(::flock(m_copying, LOCK_EX) == 0);
    }
    Copier(const Copier&) = delete;
    Copier& operator=(const Copier&) = delete;
    ~Copier() { ::close(m_copying); }
    /// From now on it is the ranks' own to remove.
    void leaveFolder() { m_used.reset(); }

private:
    std::optional<FolderLock> m_used;
    int m_copying = -1;
};

} // namespace

TEST_CASE("a node's copy is there while ranks train, and gone when they have")
{
    for (const char* launcher : {"mpirun", "direct"}) {
        Node node(copying(500), launcher);
        Process runner = node.campaign.startRunner(1);
        REQUIRE(node.trainsFromCopy());
        CHECK(runner.wait(kLong) == 0);
        CHECK(node.campaign.endsOf(0).at(0).state == RunState::done);
        CHECK_FALSE(fs::exists(node.copy()));
        const auto facts = factsFromJson(readFile(layout::factsFile(node.campaign.attempt(0))).value_or(""));
        REQUIRE(facts);
        CHECK(facts->data.at("storage").find(node.copy().string()) != std::string::npos);
    }
}

TEST_CASE("a node's copy goes with ranks that are killed, and with an attempt that is cancelled")
{
    for (const bool kills : {true, false}) {
        Node node(copying(kMany));
        Process runner = node.campaign.startRunner(1);
        REQUIRE(node.trainsFromCopy());
        if (kills)
            ::kill(node.campaign.ranks(0)[1], SIGKILL);
        else
            node.campaign.control(layout::cancelFile(node.campaign.folder()));
        CHECK(runner.wait(kLong) == 0);
        CHECK(node.campaign.endsOf(0).at(0).state == (kills ? RunState::failed : RunState::cancelled));
        CHECK_FALSE(fs::exists(node.copy()));
    }
}

TEST_CASE("a node's copy goes with its guards when the runner is killed, and with the next runner when all are")
{
    for (const bool all : {false, true}) {
        Node node(copying(kMany));
        Process runner = node.campaign.startRunner(1);
        REQUIRE(node.trainsFromCopy());
        runner.signal(SIGSTOP); // it must not see the others go
        if (all)
            for (const pid_t pid : processesWith(node.campaign.run(0).id.str()))
                ::kill(pid, SIGKILL);
        runner.signal(SIGKILL);
        runner.wait(kLong);
        if (!all) {
            CHECK(node.copyIsGone());
            continue;
        }
        CHECK(eventually(kLong, [&] { return processesWith(node.campaign.run(0).id.str()).empty(); }));
        CHECK(fs::exists(node.copy()));
        Process next = node.campaign.startRunner(1);
        REQUIRE(node.trainsFromCopy(2));
        CHECK_FALSE(fs::exists(node.copy(1)));
        node.campaign.control(layout::cancelFile(node.campaign.folder()));
        CHECK(next.wait(kLong) == 0);
        CHECK_FALSE(fs::exists(node.copy(2)));
    }
}

TEST_CASE("ranks that wait for a copy follow a cancel, and the end of one that is killed or stopped meanwhile")
{
    for (const int signal : {0, SIGKILL, SIGSTOP}) {
        CAPTURE(signal);
        Node node(copying(kMany));
        Copier copier(node.copy());
        Process runner = node.campaign.startRunner(kQuarter);
        REQUIRE(eventually(kLong, [&] { return node.waits(0) && node.waits(1); }));
        copier.leaveFolder();
        if (signal != 0)
            ::kill(node.campaign.ranks(0)[1], signal);
        else
            node.campaign.control(layout::cancelFile(node.campaign.folder()));
        CHECK(runner.wait(kLong) == 0);
        const JournalEvent end = node.campaign.endsOf(0).at(0);
        CHECK(end.state == (signal != 0 ? RunState::failed : RunState::cancelled));
        CHECK((signal == 0 || (end.cause == Cause::lostRank && end.rank == 1)));
        CHECK_FALSE(fs::exists(node.copy()));
    }
}

TEST_CASE("a run whose copy has no room fails and says where and what to do")
{
    const TemporaryFolder folder;
    const SmallDisk disk(folder.path(), 16 << 10);
    if (!disk.problem().empty()) {
        MESSAGE("skipped: no small disk can be mounted here: ", disk.problem());
        return;
    }
    const Campaign campaign({copying(10)}, {}, "mpirun", builtProgram("ringside-worker"));
    const TemporaryPlace place(folder.path());
    Process runner = campaign.startRunner(1);
    CHECK(runner.wait(kLong) == 0);
    const JournalEvent end = campaign.endsOf(0).at(0);
    CHECK(end.state == RunState::failed);
    CHECK(end.reason.word("said").find(folder.path().string()) != std::string::npos);
    CHECK(end.reason.word("said").find("TMPDIR") != std::string::npos);
}
