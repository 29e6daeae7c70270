// SPDX-License-Identifier: MIT
// Attempts of several ranks without MPI: the runner's own program starts them.
#include "core/base/environment.h"
#include "tests/runner/campaignfixture.h"
#include "tests/support/processstat.h"

#include <csignal>
#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::test;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kLong{60'000};

/// PATH without mpirun.
class NoMpirun
{
public:
    NoMpirun()
        : m_path(environment("PATH"))
    {
        ::setenv("PATH", "/nowhere", 1);
    }
    ~NoMpirun() { ::setenv("PATH", m_path.c_str(), 1); }

private:
    std::string m_path;
};

} // namespace

TEST_CASE("several ranks start without mpirun, each knows its place, and everything is spooled")
{
    const NoMpirun none;
    Campaign campaign({makeRun(3, 5)}, {}, "direct");
    CHECK(campaign.startRunner().wait(kLong) == 0);
    CHECK(campaign.story() == "runner_started\nattempt_started 0/1\nattempt_ended 0/1 done none\nrunner_ended done\n");
    for (int rank = 0; rank < 3; ++rank) {
        const auto log = readFile(layout::rankLog(campaign.attempt(0), rank));
        REQUIRE(log);
        CHECK(log->find(fmt::format("rank {} iteration 4", rank)) != std::string::npos);
    }
}

TEST_CASE("a killed rank ends the others, and is named; a killed starter does, too")
{
    Campaign campaign({makeRun(3, 100'000), makeRun(2, 100'000)}, {}, "direct");
    Process runner = campaign.startRunner();
    REQUIRE(campaign.trains(0));
    ::kill(campaign.ranks(0).at(2), SIGKILL);
    CHECK(eventually(kLong, [&] { return !campaign.endsOf(0).empty(); }));
    CHECK(campaign.endsOf(0).at(0).cause == Cause::lostRank);
    CHECK(campaign.endsOf(0).at(0).rank == 2);

    REQUIRE(campaign.trains(1));
    const auto parentOf = [](pid_t pid) {
        const auto stat = readProcessStat(pid);
        return stat ? stat->parent : -1;
    };
    const pid_t starter = parentOf(parentOf(campaign.ranks(1).at(0)));
    REQUIRE(starter > 1);
    ::kill(starter, SIGKILL);
    CHECK(eventually(kLong, [&] { return !campaign.endsOf(1).empty(); }));
    CHECK(campaign.endsOf(1).at(0).cause == Cause::lostRank);
    CHECK(runner.wait(kLong) == 0);
}

TEST_CASE("only the ranks that are named are started, and their program keeps its words")
{
    TemporaryFolder folder;
    Process starter({agentPath().string(), "ranks", "--attempt", folder.path().string(), "--ranks", "3", "--rank", "0",
                     "--rank", "2", "--", "/bin/sh", "-c", "exit $2", "sh", "--attempt", "0"},
                    {}, folder / "log");
    CHECK(starter.wait(kLong) == 0);
    for (const int rank : {0, 1, 2})
        CHECK(fs::exists(layout::rankExit(folder.path(), rank)) == (rank != 1));
}

TEST_CASE("without the runner the ranks end")
{
    Campaign campaign({makeRun(2, 100'000)}, {}, "direct");
    Process runner = campaign.startRunner();
    REQUIRE(campaign.trains(0));
    const auto ranks = campaign.ranks(0);
    runner.signal(SIGKILL);
    const auto areGone = [&] { return ::kill(ranks.at(0), 0) != 0 && ::kill(ranks.at(1), 0) != 0; };
    CHECK(eventually(kLong, areGone));
}
