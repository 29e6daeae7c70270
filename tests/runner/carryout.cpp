// SPDX-License-Identifier: MIT
// Whole campaigns by real runner processes: what ends well, what does not, and what people ask for meanwhile.
#include "tests/runner/campaignfixture.h"
#include "tests/support/processstat.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <doctest/doctest.h>
#include <thread>
#include <unistd.h>

using namespace ringside;
using namespace ringside::test;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kLong{30'000};

Settings behaviour(const std::string& name, int by = 0)
{
    return {{"behaviour", name}, {"by", std::int64_t{by}}};
}

} // namespace

TEST_CASE("runs of one and of several ranks are done, each with its spools, logs and facts")
{
    Campaign campaign({makeRun(1, 5), makeRun(2, 5)});
    CHECK(campaign.startRunner().wait(kLong) == 0);
    CHECK(campaign.story() == "runner_started\n"
                              "attempt_started 0/1\nattempt_ended 0/1 done none\n"
                              "attempt_started 1/1\nattempt_ended 1/1 done none\n"
                              "runner_ended done\n");
    CHECK(samplesIn(layout::spoolFile(campaign.attempt(0), 0)) == 5);
    for (int rank = 0; rank < 2; ++rank) {
        CHECK(samplesIn(layout::spoolFile(campaign.attempt(1), rank)) == 5);
        const auto log = readFile(layout::rankLog(campaign.attempt(1), rank));
        REQUIRE(log);
        CHECK(log->find(fmt::format("rank {} iteration 4", rank)) != std::string::npos);
        CHECK(log->find(fmt::format("rank {} iteration", 1 - rank)) == std::string::npos);
    }
    CHECK(fs::exists(layout::factsFile(campaign.attempt(1))));
    CHECK(processesWith(campaign.run(1).id.str()).empty());
}

TEST_CASE("ranks of a launcher around Ringside are not taken for the attempt's own")
{
    constexpr const char* kForeign[] = {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_SIZE"};
    for (const char* name : kForeign)
        ::setenv(name, "7", 1);
    Campaign campaign({makeRun(1, 3), makeRun(2, 3)});
    const int code = campaign.startRunner().wait(kLong);
    for (const char* name : kForeign)
        ::unsetenv(name);
    CHECK(code == 0);
    for (std::size_t run = 0; run < 2; ++run) {
        SpoolReader reader;
        REQUIRE(reader.feed(readFile(layout::spoolFile(campaign.attempt(run), 0)).value_or(""), [](const Record&) {}));
        REQUIRE(reader.header());
        CHECK(reader.header()->worldSize == run + 1);
    }
}

TEST_CASE("a finished campaign is not repeated")
{
    Campaign campaign({makeRun(1, 2)});
    CHECK(campaign.startRunner().wait(kLong) == 0);
    const std::string story = campaign.story();
    CHECK(campaign.startRunner().wait(kLong) == 0);
    CHECK(campaign.story() == story);
}

TEST_CASE("attempts that the plan knows of are not numbered again, although the site has them no longer")
{
    std::vector<RunSpec> runs = {makeRun(1, 2), makeRun(1, 2)};
    runs[0].attempts = 2;
    Campaign campaign(std::move(runs));
    fs::create_directories(campaign.attempt(0, 3)); // of a campaign that the store does not know yet
    CHECK(campaign.startRunner().wait(kLong) == 0);
    CHECK(campaign.endsOf(0).at(0).attempt == 4);
    CHECK(campaign.endsOf(1).at(0).attempt == 1);
}

TEST_CASE("exit codes and signals become causes, and later runs go on")
{
    auto exits = [](int code) {
        return Settings{{"behaviour", std::string("exit")}, {"exit_code", std::int64_t{code}}};
    };
    Campaign campaign({makeRun(1, 5, exits(exitcode::kOutOfMemory)), makeRun(1, 5, exits(exitcode::kSettings)),
                       makeRun(1, 5, exits(exitcode::kData)), makeRun(1, 5, exits(exitcode::kNotANumber)),
                       makeRun(1, 5, exits(7)), makeRun(2, 5, behaviour("crash", 1)), makeRun(1, 2)});
    CHECK(campaign.startRunner().wait(kLong) == 0);
    const std::pair<Cause, RunState> expected[] = {
        {Cause::outOfMemory, RunState::failed}, {Cause::settings, RunState::failed}, {Cause::data, RunState::failed},
        {Cause::notANumber, RunState::failed},  {Cause::crashed, RunState::failed},  {Cause::crashed, RunState::failed},
        {Cause::none, RunState::done}};
    for (std::size_t i = 0; i < std::size(expected); ++i) {
        CAPTURE(i);
        const auto ends = campaign.endsOf(i);
        REQUIRE(ends.size() == 1);
        CHECK(ends[0].cause == expected[i].first);
        CHECK(ends[0].state == expected[i].second);
    }
    CHECK(campaign.endsOf(5)[0].rank == 1);
}

TEST_CASE("a runner whose starter ignored the ends of children notices those of its own, and ends")
{
    Campaign campaign({makeRun(2, 5, behaviour("crash", 1)), makeRun(1, 5, behaviour("exit")), makeRun(1, 2)});
    const auto before = ::signal(SIGCHLD, SIG_IGN);
    Process runner = campaign.startRunner();
    ::signal(SIGCHLD, before);
    CHECK(runner.wait(kLong) == 0);
    CHECK(campaign.endsOf(0).at(0).reason.number("signal") == SIGABRT);
    CHECK(campaign.endsOf(1).at(0).reason.number("exit_code") == 1);
    CHECK(campaign.endsOf(2).at(0).state == RunState::done);
}

TEST_CASE("where too few files may be opened for its ranks a run is not begun, and says so")
{
    Campaign campaign({makeRun(2, 5)});
    const std::string command =
        fmt::format("ulimit -n 32 && exec {} run {}", agentPath().string(), campaign.folder().string());
    Process runner({"/bin/sh", "-c", command}, {}, layout::runnerLog(campaign.folder()));
    CHECK(runner.wait(kLong) == 0);
    CHECK(campaign.endsOf(0).at(0).cause == Cause::launch);
    CHECK(campaign.endsOf(0).at(0).reason ==
          because(why::kTooFewOpenFiles, {{"ranks", 2}, {"needed", 64}, {"limit", 32}}));
}

TEST_CASE("a run that needs more nodes than there are is not begun, and its reason has both numbers")
{
    Campaign campaign({makeRun(2, 5, {{"nodes", std::int64_t{2}}}), makeRun(1, 2)});
    CHECK(campaign.startRunner().wait(kLong) == 0);
    CHECK(campaign.endsOf(0).at(0).cause == Cause::launch);
    CHECK(campaign.endsOf(0).at(0).reason == because(why::kTooFewNodes, {{"needed", 2}, {"nodes", 1}}));
    CHECK(campaign.endsOf(1).at(0).state == RunState::done);
}

TEST_CASE("a rank that a signal ends before it has a spool is lost, and no failure of the run's own")
{
    Campaign campaign({makeRun(1, 5, behaviour("unborn")), makeRun(2, 5, behaviour("unborn", 1))});
    CHECK(campaign.startRunner().wait(kLong) == 0);
    for (const std::size_t run : {0, 1}) {
        const JournalEvent end = campaign.endsOf(run).at(0);
        CHECK(end.cause == Cause::lostRank);
        CHECK(end.rank == static_cast<int>(run));
        CHECK(end.reason.number("signal") == SIGSEGV);
    }
}

TEST_CASE("a rank that is killed ends the attempt with the rank and its host named")
{
    Campaign campaign({makeRun(2, 100'000), makeRun(1, 2)});
    Process runner = campaign.startRunner();
    REQUIRE(campaign.trains(0));
    const auto ranks = campaign.ranks(0);
    REQUIRE(ranks[1] > 0);
    ::kill(ranks[1], SIGKILL);
    CHECK(eventually(kLong, [&] { return !campaign.endsOf(0).empty(); }));
    CHECK(runner.wait(kLong) == 0);
    const auto ends = campaign.endsOf(0);
    REQUIRE(ends.size() == 1);
    CHECK(ends[0].cause == Cause::lostRank);
    CHECK(ends[0].rank == 1);
    CHECK_FALSE(ends[0].host.empty());
    CHECK(campaign.endsOf(1).at(0).state == RunState::done);
}

TEST_CASE("a rank whose guard is killed is named, too")
{
    Campaign campaign({makeRun(2, 100'000)});
    Process runner = campaign.startRunner();
    REQUIRE(campaign.trains(0));
    const auto rank = readProcessStat(campaign.ranks(0).at(1));
    REQUIRE(rank);
    ::kill(rank->parent, SIGKILL); // its guard
    CHECK(runner.wait(kLong) == 0);
    CHECK(campaign.endsOf(0).at(0).cause == Cause::lostRank);
    CHECK(campaign.endsOf(0).at(0).rank == 1);
}

TEST_CASE("a stopped rank is lost after the silence limit, and nothing of the attempt is left")
{
    Campaign campaign({makeRun(2, 100'000)});
    Process runner = campaign.startRunner(); // 2 s of silence
    REQUIRE(campaign.trains(0));
    ::kill(campaign.ranks(0).at(0), SIGSTOP);
    CHECK(runner.wait(kLong) == 0);
    CHECK(campaign.endsOf(0).at(0).cause == Cause::lostRank);
    CHECK(campaign.endsOf(0).at(0).rank == 0);
    CHECK(processesWith(campaign.run(0).id.str()).empty());
}

TEST_CASE("what is suspended and goes on is not lost, whichever process goes on first")
{
    for (const bool runnerFirst : {true, false}) {
        CAPTURE(runnerFirst);
        Campaign campaign({makeRun(1, 300)});
        Process runner = campaign.startRunner(); // 2 s of silence
        REQUIRE(campaign.trains(0));
        const pid_t rank = campaign.ranks(0).at(0);
        const auto guard = readProcessStat(rank);
        REQUIRE(guard);
        std::vector<pid_t> processes{rank, guard->parent, runner.pid()};
        const auto signalEach = [&](int signal) {
            for (const pid_t process : processes) {
                ::kill(process, signal);
                std::this_thread::sleep_for(milliseconds(100)); // its guard sees that the rank stands
            }
        };
        signalEach(SIGSTOP);
        std::this_thread::sleep_for(milliseconds(3'000));
        if (runnerFirst)
            std::ranges::reverse(processes);
        signalEach(SIGCONT);
        CHECK(runner.wait(kLong) == 0);
        CHECK(campaign.endsOf(0).at(0).state == RunState::done);
    }
}

TEST_CASE("the time for which a campaign is suspended is not of its limit")
{
    Campaign campaign({makeRun(1, 100), makeRun(1, 100)}, 10);
    Process runner = campaign.startRunner();
    REQUIRE(campaign.trains(0));
    const pid_t rank = campaign.ranks(0).at(0);
    const auto guard = readProcessStat(rank);
    REQUIRE(guard);
    for (const int signal : {SIGSTOP, SIGCONT}) {
        for (const pid_t process : {rank, guard->parent, runner.pid()})
            ::kill(process, signal);
        if (signal == SIGSTOP)
            std::this_thread::sleep_for(milliseconds(10'000));
    }
    CHECK(runner.wait(kLong) == 0);
    CAPTURE(campaign.story());
    CHECK(campaign.endsOf(0).at(0).state == RunState::done);
    CHECK(campaign.endsOf(1).at(0).state == RunState::done); // its like took no 10 s, either
}

TEST_CASE("heartbeats without progress are a hung attempt")
{
    Campaign campaign({makeRun(2, 100, behaviour("hang", 1)), makeRun(1, 100, behaviour("stubborn"))});
    CHECK(campaign.startRunner(0.02).wait(kLong) == 0);
    CHECK(campaign.endsOf(0).at(0).cause == Cause::hung);
    CHECK(campaign.endsOf(0).at(0).rank == 1);
    CHECK(campaign.endsOf(1).at(0).cause == Cause::hung);
}

TEST_CASE("cancelling a run ends it with its spool complete; cancelling all ends the campaign")
{
    Campaign campaign({makeRun(2, 100'000), makeRun(1, 100'000), makeRun(1, 100'000)});
    Process runner = campaign.startRunner();
    REQUIRE(campaign.trains(0));
    campaign.control(layout::cancelFile(campaign.folder(), campaign.run(0).id));
    REQUIRE(campaign.trains(1));
    campaign.control(layout::cancelFile(campaign.folder()));
    CHECK(runner.wait(kLong) == 0);
    CHECK(campaign.story() == "runner_started\n"
                              "attempt_started 0/1\nattempt_ended 0/1 cancelled cancelled\n"
                              "attempt_started 1/1\nattempt_ended 1/1 cancelled cancelled\n"
                              "attempt_ended 2/0 cancelled cancelled\n"
                              "runner_ended cancelled\n");
    for (int rank = 0; rank < 2; ++rank)
        CHECK(std::holds_alternative<End>(readSpool(layout::spoolFile(campaign.attempt(0), rank)).back()));
}

TEST_CASE("hold begins nothing new until it is taken back")
{
    Campaign campaign({makeRun(1, 2), makeRun(1, 2)});
    campaign.control(layout::holdFile(campaign.folder()));
    Process runner = campaign.startRunner();
    CHECK(eventually(kLong, [&] { return campaign.story() == "runner_started\nheld\n"; }));
    fs::remove(layout::holdFile(campaign.folder()));
    CHECK(runner.wait(kLong) == 0);
    CHECK(campaign.story().starts_with("runner_started\nheld\ncontinued\nattempt_started 0/1\n"));
    CHECK(campaign.endsOf(1).at(0).state == RunState::done);
}

TEST_CASE("what is held ends with its time, whether the scheduler warns of that or the limit says so")
{
    for (const bool isWarned : {true, false}) {
        CAPTURE(isWarned);
        Campaign campaign({makeRun(1, 2), makeRun(1, 2)}, isWarned ? std::optional<int>() : 3);
        campaign.control(layout::holdFile(campaign.folder()));
        Process runner = campaign.startRunner();
        REQUIRE(eventually(kLong, [&] { return campaign.story() == "runner_started\nheld\n"; }));
        if (isWarned)
            runner.signal(SIGUSR1);
        CHECK(runner.wait(kLong) == 0);
        CHECK(campaign.story() == "runner_started\nheld\ncontinued\nrunner_ended requeued\n");
    }
}

TEST_CASE("what is held and then cancelled run by run ends, and releases the computer's lock")
{
    Campaign campaign({makeRun(1, 2), makeRun(1, 2)});
    campaign.control(layout::holdFile(campaign.folder()));
    Process runner = campaign.startRunner();
    CHECK(eventually(kLong, [&] { return campaign.story() == "runner_started\nheld\n"; }));
    for (const RunSpec& run : campaign.plan().runs)
        campaign.control(layout::cancelFile(campaign.folder(), run.id));
    CHECK(runner.wait(kLong) == 0);
    const std::string story = campaign.story(); // held once more where it looked between the two files
    CHECK(story.starts_with("runner_started\nheld\ncontinued\nattempt_ended 0/0 cancelled cancelled\n"));
    CHECK(story.ends_with("attempt_ended 1/0 cancelled cancelled\nrunner_ended done\n"));
}

TEST_CASE("what waits for another campaign says for which, that one is held, and ends once all of it is cancelled")
{
    Campaign first({makeRun(1, 2)}), second({makeRun(1, 2)}, {}, "mpirun", testworkerPath(), first.root());
    first.control(layout::holdFile(first.folder()));
    Process holder = first.startRunner();
    REQUIRE(eventually(kLong, [&] { return first.story() == "runner_started\nheld\n"; }));
    Process waiting = second.startRunner();
    const auto waitsForHeld = [&] {
        const auto events = second.journal();
        return !events.empty() && events.back().kind == JournalKind::waits &&
               events.back().reason.word("holder").ends_with(fmt::format("({})", first.plan().campaign.str())) &&
               events.back().reason.number("held") == 1;
    };
    CHECK(eventually(kLong, waitsForHeld));
    second.control(layout::cancelFile(second.folder(), second.run(0).id));
    CHECK(waiting.wait(kLong) == 0);
    CHECK(second.story().ends_with("attempt_ended 0/0 cancelled cancelled\nrunner_ended done\n"));
    fs::remove(layout::holdFile(first.folder()));
    CHECK(holder.wait(kLong) == 0);
    CHECK(first.endsOf(0).at(0).state == RunState::done);
}

TEST_CASE("SIGTERM ends the attempt, and the next runner begins it again")
{
    Campaign campaign({makeRun(1, 100)});
    Process runner = campaign.startRunner();
    REQUIRE(campaign.trains(0));
    runner.signal(SIGTERM);
    CHECK(runner.wait(kLong) == 143);
    CHECK(campaign.story() == "runner_started\nattempt_started 0/1\nattempt_ended 0/1 requeued none\n");
    CHECK(campaign.startRunner().wait(kLong) == 0);
    CHECK(campaign.endsOf(0).back().state == RunState::done);
    CHECK(campaign.endsOf(0).back().attempt == 2);
}

TEST_CASE("the time limit ends what runs, and what cannot fit is not begun")
{
    for (const auto& runs : {std::vector{makeRun(1, 100'000), makeRun(1, 2)}, std::vector{makeRun(1, 100'000)}}) {
        Campaign campaign(runs, 3);
        CHECK(campaign.startRunner().wait(kLong) == 0);
        CHECK(campaign.story() ==
              "runner_started\nattempt_started 0/1\nattempt_ended 0/1 requeued time_limit\nrunner_ended requeued\n");
    }
}

TEST_CASE("a worker that cannot be started is a failure to launch that says so")
{
    Campaign campaign({makeRun(1, 2)});
    fs::path missing = campaign.root() / "no-worker";
    CampaignPlan plan = campaign.plan();
    plan.worker = missing.string();
    REQUIRE(writeFileAtomically(layout::planFile(campaign.folder()), planToJson(plan)));
    CHECK(campaign.startRunner().wait(kLong) == 0);
    CHECK(campaign.endsOf(0).at(0).cause == Cause::launch);
    CHECK(campaign.endsOf(0).at(0).reason == because(why::kNoWorker, {{"program", missing.string()}}));
}

TEST_CASE("without mpirun several ranks fail to launch and one rank trains")
{
    Campaign campaign({makeRun(2, 2), makeRun(1, 2)});
    Process runner({agentPath().string(), "run", campaign.folder().string()}, {"PATH=/nowhere"},
                   layout::runnerLog(campaign.folder()));
    CHECK(runner.wait(kLong) == 0);
    CHECK(campaign.endsOf(0).at(0).cause == Cause::launch);
    CHECK(campaign.endsOf(0).at(0).reason ==
          because(why::kNoLauncher, {{"launcher", "openmpi"}, {"program", "mpirun"}, {"ranks", 2}}));
    CHECK(campaign.endsOf(1).at(0).state == RunState::done);
}

TEST_CASE("a rank of which nothing is seen while another one trains is lost, however long a start may take")
{
    Campaign campaign({makeRun(2, 100'000, behaviour("absent"))});
    CHECK(campaign.startRunner(0.05).wait(kLong) == 0); // a start may take 45 s at this scale
    CHECK(campaign.story() == "runner_started\n"
                              "attempt_started 0/1\nattempt_ended 0/1 failed lost_rank rank=1\nrunner_ended done\n");
}

TEST_CASE("ranks spin for a while only, unless the user has said how long")
{
    const auto looksOf = [](const Campaign& campaign) {
        Process runner = campaign.startRunner();
        REQUIRE(campaign.trains(0));
        const auto variables = readFile(fmt::format("/proc/{}/environ", campaign.ranks(0).at(0)));
        const std::string name = "GOMP_SPINCOUNT=";
        const auto at = variables ? variables->find(name) : std::string::npos;
        return at == std::string::npos ? 0 : std::atoi(variables->c_str() + at + name.size());
    };
    const int bound = looksOf(Campaign({makeRun(1, 100'000)}));
    CHECK(bound > 0);
    CHECK(bound <= 20'000);
    setenv("GOMP_SPINCOUNT", "77777", 1);
    CHECK(looksOf(Campaign({makeRun(2, 100'000)})) == 77'777);
    unsetenv("GOMP_SPINCOUNT");
    setenv("OMP_WAIT_POLICY", "active", 1);
    CHECK(looksOf(Campaign({makeRun(1, 100'000)})) == 0);
    unsetenv("OMP_WAIT_POLICY");
}
