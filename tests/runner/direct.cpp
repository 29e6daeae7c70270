// SPDX-License-Identifier: MIT
// Attempts of several ranks without MPI: the runner's own program starts them.
#include "agent/runner/rankexit.h"
#include "tests/runner/campaignfixture.h"
#include "tests/support/processstat.h"
#include "tests/support/searchpath.h"

#include <csignal>
#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::test;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kLong{60'000};

} // namespace

TEST_CASE("several ranks start without mpirun, each knows its place, and everything is spooled")
{
    const SearchPath withoutMpirun("/nowhere");
    Campaign campaign({makeRun(3, 5)}, {}, "direct");
    CHECK(campaign.startRunner().wait(kLong) == 0);
    campaign.checkThatRanksKnowTheirPlaces();
}

TEST_CASE("a killed rank ends the others, and is named; a killed starter does, too")
{
    Campaign campaign({makeRun(3, 100'000), makeRun(2, 100'000)}, {}, "direct");
    Process runner = campaign.startRunner();
    campaign.checkThatAKilledRankIsNamed(0, 2);

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
    campaign.checkThatRanksEndWithout(campaign.startRunner(), 0);
}

TEST_CASE("a guard that stands apart of what its launcher knows, and kills, records its rank's end all the same")
{
    TemporaryFolder folder;
    const auto guard = [&](const std::vector<std::string>& program) {
        std::vector<std::string> words{agentPath().string(),
                                       "apart",
                                       "--",
                                       agentPath().string(),
                                       "rank",
                                       "--attempt",
                                       folder.path().string(),
                                       "--rank",
                                       "0",
                                       "--"};
        words.insert(words.end(), program.begin(), program.end());
        return Process(words, {}, folder / "log");
    };
    CHECK(guard({"/bin/sh", "-c", "exit 3"}).wait(kLong) == 3);
    CHECK(runner::readRankExit(folder.path(), 0)->code == 3);
    fs::remove(layout::rankExit(folder.path(), 0));

    Process launched = guard({"/bin/sh", "-c", "echo begun; exec sleep 600"});
    REQUIRE(eventually(kLong, [&] { return readFile(layout::rankLog(folder.path(), 0)) == "begun\n"; }));
    launched.signal(SIGKILL);
    REQUIRE(eventually(kLong, [&] { return runner::readRankExit(folder.path(), 0).has_value(); }));
    CHECK(runner::readRankExit(folder.path(), 0)->told);
    CHECK(runner::readRankExit(folder.path(), 0)->signal == SIGTERM);
}
