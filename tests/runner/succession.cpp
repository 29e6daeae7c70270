// SPDX-License-Identifier: MIT
// Runners that die, runners that meet, and what the next one makes of what they left.
#include "agent/runner/lease.h"
#include "agent/runner/procfs.h"
#include "agent/runner/signoflife.h"
#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/base/rankvariables.h"
#include "tests/runner/campaignfixture.h"
#include "tests/support/refusedcall.h"
#include "tests/support/writeprogram.h"

#include <csignal>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <optional>
#include <random>
#include <set>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace ringside;
using namespace ringside::test;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kLong{30'000};

/// The limit that DESIGN promises for the processes of an attempt whose runner died.
constexpr milliseconds kOrphanLimit{10'000};

/// Processes of an attempt of which some are always there, however often they are killed: as those seem that a file
/// system which does not answer holds in the kernel.
class Undying
{
public:
    explicit Undying(const fs::path& attempt)
    {
        for (int i = 0; i < 4; ++i)
            m_threads.emplace_back(
                [mark = std::string(kAttemptVariable) + "=" + attempt.string()](const std::stop_token& ending) {
                    while (!ending.stop_requested())
                        if (const auto child =
                                startChild({.arguments = {"/usr/bin/sleep", "0.3"}, .environment = std::vector{mark}}))
                            awaitChild(*child);
                });
    }

private:
    std::vector<std::jthread> m_threads;
};

/// A runner in a shell of job 17, about which squeue answers so.
Process startInJob(const Campaign& campaign, const TemporaryFolder& programs, const std::string& answer)
{
    writeProgram(programs / "squeue", "#!/bin/sh\n" + answer);
    const std::string command = fmt::format("PATH={}:$PATH SLURM_JOB_ID=17 SLURM_NTASKS=4 exec {} run {}",
                                            programs.path().string(), agentPath().string(), campaign.folder().string());
    return Process({"/bin/sh", "-c", command}, {"RINGSIDE_TEST_TIME_SCALE=0.1"}, layout::runnerLog(campaign.folder()));
}

} // namespace

TEST_CASE("when the runner is killed its ranks end within 10 s, stubborn ones too, and a successor begins again")
{
    for (const int ranks : {1, 2}) {
        CAPTURE(ranks);
        Campaign campaign({makeRun(
            ranks, 400, {{"behaviour", std::string(ranks == 1 ? "silent" : "well")}, {"at", std::int64_t{5}}})});
        Process runner = campaign.startRunner(1);
        REQUIRE(campaign.trains(0));
        runner.signal(SIGKILL);
        runner.wait(kLong);
        CHECK(eventually(kOrphanLimit, [&] { return processesWith(campaign.run(0).id.str()).empty(); }));
        if (ranks == 1)
            continue; // it would be silent again
        CHECK(campaign.startRunner().wait(kLong) == 0);
        CHECK(campaign.story() == "runner_started\nattempt_started 0/1\n"
                                  "runner_started\nattempt_ended 0/1 requeued runner_lost\n"
                                  "attempt_started 0/2\nattempt_ended 0/2 done none\nrunner_ended done\n");
    }
}

TEST_CASE("what a killed runner left in /tmp and in shared memory is removed by the next one, whatever it is to do")
{
    const auto left = [](const Campaign& campaign) {
        std::set<fs::path> found;
        for (const char* base : {"/tmp", "/dev/shm"})
            for (const auto& entry : fs::directory_iterator(base))
                if (entry.path().filename().string().starts_with("ringside-" + campaign.run(0).id.str().substr(0, 8)))
                    found.insert(entry.path());
        return found;
    };
    Campaign killed({makeRun(2, 100'000)}), living({makeRun(2, 100'000)}), next({makeRun(1, 2)});
    Process lives = living.startRunner();
    REQUIRE(living.trains(0));
    const std::set<fs::path> used = left(living);
    Process runner = killed.startRunner(1);
    REQUIRE(killed.trains(0));
    runner.signal(SIGKILL);
    runner.wait(kLong);
    CHECK_FALSE(left(killed).empty());
    REQUIRE(eventually(kLong, [&] { return processesWith(killed.run(0).id.str()).empty(); }));
    CHECK(next.startRunner().wait(kLong) == 0);
    CHECK(left(killed).empty());
    CHECK(left(living) == used);
}

TEST_CASE("after three runners died in it a run has failed")
{
    Campaign campaign({makeRun(1, 100'000), makeRun(1, 2)});
    for (int attempt = 1; attempt <= 3; ++attempt) {
        Process runner = campaign.startRunner();
        REQUIRE(campaign.trains(0, attempt));
        runner.signal(SIGKILL);
        runner.wait(kLong);
    }
    CHECK(campaign.startRunner().wait(kLong) == 0);
    CHECK(campaign.endsOf(0).back().state == RunState::failed);
    CHECK(campaign.endsOf(0).back().cause == Cause::runnerLost);
    CHECK(campaign.endsOf(1).back().state == RunState::done);
}

TEST_CASE("an attempt's number is given once, even where the folder of its run was removed")
{
    Campaign campaign({makeRun(1, 400)});
    Process runner = campaign.startRunner();
    REQUIRE(campaign.trains(0));
    runner.signal(SIGKILL);
    runner.wait(kLong);
    REQUIRE(eventually(kLong, [&] { return processesWith(campaign.run(0).id.str()).empty(); }));
    fs::remove_all(layout::runFolder(campaign.root(), campaign.run(0).id));
    CHECK(campaign.startRunner().wait(kLong) == 0);
    CHECK(campaign.story() == "runner_started\nattempt_started 0/1\n"
                              "runner_started\nattempt_ended 0/1 requeued runner_lost\n"
                              "attempt_started 0/2\nattempt_ended 0/2 done none\nrunner_ended done\n");
}

TEST_CASE("a runner that was taken for dead and succeeded ends, with its ranks, and writes nothing more")
{
    Campaign campaign({makeRun(2, 100'000), makeRun(1, 2)});
    Process runner = campaign.startRunner();
    REQUIRE(campaign.trains(0));
    const fs::path lease = layout::leaseFolder(campaign.folder(), 2);
    REQUIRE(makePrivateFolder(lease));
    REQUIRE(writeFileAtomically(runner::ownerFile(lease), runner::ownerToJson(*runner::thisOwner())));
    CHECK(runner.wait(kLong) == 75);
    CHECK(processesWith(campaign.run(0).id.str()).empty());
    CHECK(campaign.story() == "runner_started\nattempt_started 0/1\n");
    CHECK(readFile(layout::runnerLog(campaign.folder()))->find("A later runner carries out") != std::string::npos);
}

TEST_CASE("a run that came to its end while its runner was dead is done, not repeated")
{
    Campaign campaign({makeRun(1, 60)});
    Process runner = campaign.startRunner();
    REQUIRE(campaign.trains(0));
    runner.signal(SIGSTOP);
    REQUIRE(eventually(kLong, [&] { return fs::exists(layout::rankExit(campaign.attempt(0), 0)); }));
    runner.signal(SIGKILL);
    runner.wait(kLong);
    CHECK(campaign.startRunner().wait(kLong) == 0);
    CHECK(campaign.story() ==
          "runner_started\nattempt_started 0/1\nrunner_started\nattempt_ended 0/1 done none\nrunner_ended done\n");
}

TEST_CASE("processes that outlive every kill hold up neither the end of an attempt nor a successor")
{
    Campaign campaign({makeRun(1, 100'000), makeRun(1, 2)});
    Process runner = campaign.startRunner();
    REQUIRE(campaign.trains(0));
    const Undying undying(campaign.attempt(0));
    SUBCASE("the end of an attempt")
    {
        campaign.control(layout::cancelFile(campaign.folder(), campaign.run(0).id));
    }
    SUBCASE("a successor")
    {
        runner.signal(SIGKILL);
        runner.wait(kLong);
        campaign.control(layout::cancelFile(campaign.folder(), campaign.run(0).id));
        runner = campaign.startRunner();
    }
    CHECK(runner.wait(kLong) == 0);
    CHECK(campaign.endsOf(0).back().state == RunState::cancelled);
    CHECK(campaign.endsOf(1).back().state == RunState::done);
    CHECK(readFile(layout::runnerLog(campaign.folder())).value_or("").find("still there (") != std::string::npos);
}

TEST_CASE(
    "a cancelled campaign is ended although the death of its runner cannot be proven, once nothing is written for long")
{
    const Campaign campaign({makeRun(1, 2)});
    runner::LeaseOwner former = runner::thisOwner().value();
    former.process.bootId = "another";
    former.process.host = "renamed-meanwhile";
    const fs::path lease = layout::leaseFolder(campaign.folder(), 1), attempt = campaign.attempt(0);
    const fs::path spool = layout::spoolFile(attempt, 0), cancel = layout::cancelFile(campaign.folder());
    for (const fs::path& folder : {lease, attempt})
        REQUIRE(makePrivateFolder(folder));
    REQUIRE(writeFileAtomically(runner::ownerFile(lease), runner::ownerToJson(former)));
    auto journal = Journal::open(layout::journalFile(campaign.folder()));
    REQUIRE(journal);
    JournalEvent event;
    event.kind = JournalKind::attemptStarted;
    event.run = campaign.run(0).id;
    event.attempt = 1;
    REQUIRE(journal->append(event));
    std::ofstream(spool) << "of a rank that lives, or lived";
    const auto age = [](const fs::path& file, auto time) {
        fs::last_write_time(file, fs::file_time_type::clock::now() - time);
    };
    for (const fs::path& file : {layout::journalFile(campaign.folder()), spool})
        age(file, 2 * runner::kUnheededCancel);
    CHECK(campaign.startRunner().wait(kLong) == 75); // nothing is proven by age alone
    campaign.control(cancel);
    CHECK(campaign.startRunner().wait(kLong) == 75); // it may heed that yet
    age(cancel, 2 * runner::kUnheededCancel);
    age(spool, std::chrono::seconds(30));
    CHECK(campaign.startRunner().wait(kLong) == 75); // its rank still writes
    age(spool, 2 * runner::kUnheededCancel);
    CHECK(campaign.startRunner().wait(kLong) == 0);
    CHECK(campaign.story() == "attempt_started 0/1\nrunner_started\nattempt_ended 0/1 requeued runner_lost\n"
                              "attempt_ended 0/0 cancelled cancelled\nrunner_ended cancelled\n");
}

TEST_CASE("of several runners at once one works and the others say who does")
{
    Campaign campaign({makeRun(1, 100)});
    std::vector<Process> runners;
    for (int i = 0; i < 4; ++i)
        runners.push_back(campaign.startRunner());
    std::vector<int> codes;
    for (auto& runner : runners)
        codes.push_back(runner.wait(kLong));
    CHECK(std::count(codes.begin(), codes.end(), 0) == 1);
    CHECK(std::count(codes.begin(), codes.end(), 75) == 3);
    CHECK(campaign.endsOf(0).size() == 1);
    const auto log = readFile(layout::runnerLog(campaign.folder()));
    REQUIRE(log);
    CHECK(log->find("already carries out this campaign") != std::string::npos);
}

TEST_CASE("a runner ends with all of its processes once its campaign was removed, at work, on hold or in the queue")
{
    const auto endsWithout = [](const Campaign& campaign, Process& runner, const fs::path& removed) {
        fs::remove_all(removed);
        CHECK(runner.wait(kLong) > 0);
        for (const std::string& id : {campaign.plan().campaign.str(), campaign.run(0).id.str()})
            CHECK(eventually(kLong, [&] { return processesWith(id).empty(); }));
    };
    for (const int ranks : {1, 2})
        for (const bool withRuns : {false, true}) {
            CAPTURE(ranks);
            CAPTURE(withRuns);
            Campaign campaign({makeRun(ranks, 100'000), makeRun(1, 2)});
            Process runner = campaign.startRunner();
            REQUIRE(campaign.trains(0));
            endsWithout(campaign, runner, withRuns ? campaign.root() : campaign.folder());
            CHECK_FALSE(fs::exists(campaign.attempt(1)));
        }
    Campaign first({makeRun(1, 2)}), second({makeRun(1, 2)}, {}, "mpirun", testworkerPath(), first.root());
    first.control(layout::holdFile(first.folder()));
    Process held = first.startRunner();
    REQUIRE(eventually(kLong, [&] { return first.story() == "runner_started\nheld\n"; }));
    Process waiting = second.startRunner();
    REQUIRE(eventually(kLong, [&] { return second.story() == "runner_started\nwaits\n"; }));
    endsWithout(second, waiting, layout::planFile(second.folder()));
    CHECK(readFile(layout::runnerLog(second.folder()))->find("was removed while its runner worked") !=
          std::string::npos);
    endsWithout(first, held, first.folder());
}

TEST_CASE("a torn last line of the journal is no obstacle")
{
    Campaign campaign({makeRun(1, 100)});
    Process runner = campaign.startRunner();
    REQUIRE(campaign.trains(0));
    runner.signal(SIGKILL);
    runner.wait(kLong);
    std::ofstream(layout::journalFile(campaign.folder()), std::ios::app) << "{\"format\":1,\"kin";
    CHECK(campaign.startRunner().wait(kLong) == 0);
    CHECK(campaign.endsOf(0).back().state == RunState::done);
}

TEST_CASE("a damaged journal ends the runner with a message, not with repeated work")
{
    Campaign campaign({makeRun(1, 2)});
    std::ofstream(layout::journalFile(campaign.folder()))
        << "this is no event, not at all, in no way, never was, and has a newline\n";
    CHECK(campaign.startRunner().wait(kLong) == 65);
    CHECK_FALSE(fs::exists(campaign.attempt(0)));
}

TEST_CASE("seeded kills at any time: every run is done once, nothing is left running")
{
    std::mt19937 random(20261121);
    Campaign campaign({makeRun(1, 30), makeRun(2, 30), makeRun(1, 30), makeRun(2, 30)});
    for (int kill = 0; kill < 5; ++kill) {
        Process runner = campaign.startRunner();
        std::this_thread::sleep_for(milliseconds(random() % 900));
        runner.signal(SIGKILL);
        runner.wait(kLong);
    }
    CHECK(campaign.startRunner().wait(kLong) == 0);
    for (std::size_t i = 0; i < 4; ++i) {
        CAPTURE(i);
        const auto ends = campaign.endsOf(i);
        CHECK(std::count_if(ends.begin(), ends.end(), [](const auto& end) { return isFinal(end.state); }) == 1);
        CHECK(processesWith(campaign.run(i).id.str()).empty());
    }
}

TEST_CASE("two campaigns on one computer take turns")
{
    Campaign first({makeRun(1, 200)});
    CampaignPlan plan = first.plan();
    plan.campaign = CampaignId::random();
    plan.runs = {makeRun(1, 2)};
    const fs::path folder = layout::campaignFolder(first.root(), plan.campaign);
    REQUIRE(makePrivateFolder(folder));
    REQUIRE(writeFileAtomically(layout::planFile(folder), planToJson(plan)));
    Process runner = first.startRunner();
    REQUIRE(first.trains(0));
    Process second({agentPath().string(), "run", folder.string()}, {"RINGSIDE_TEST_TIME_SCALE=0.1"},
                   layout::runnerLog(folder));
    CHECK(runner.wait(kLong) == 0);
    CHECK(second.wait(kLong) == 0);
    const auto journal = readFile(layout::journalFile(folder));
    REQUIRE(journal);
    CHECK(journal->find("\"code\":\"busy\",\"holder\":\"test (" + first.plan().campaign.str()) != std::string::npos);
}

TEST_CASE("without locks a campaign is handed over and carried out all the same, and its log says what that means")
{
    Campaign campaign({makeRun(1, 2)});
    Process submit;
    bool isRefused = false;
    std::thread([&] {
        isRefused = refuseSystemCall(SYS_flock, ENOSYS);
        submit = Process({agentPath().string(), "submit", campaign.folder().string()}, {"RINGSIDE_TEST_TIME_SCALE=0.1"},
                         campaign.root() / "answer");
    }).join();
    if (!isRefused) {
        MESSAGE("skipped: no filter for system calls can be set here");
        return;
    }
    CHECK(submit.wait(kLong) == 0);
    CHECK(readFile(campaign.root() / "answer").value_or("").find("\"already_there\":false") != std::string::npos);
    CHECK(eventually(kLong, [&] { return campaign.story().ends_with("runner_ended done\n"); }));
    CHECK(campaign.endsOf(0).at(0).state == RunState::done);
    CHECK(readFile(layout::runnerLog(campaign.folder())).value_or("").find("has no locks") != std::string::npos);
}

TEST_CASE("a runner in a shell whose job is over is in no job")
{
    const TemporaryFolder programs;
    const Campaign campaign({makeRun(1, 1'000)});
    const Process runner =
        startInJob(campaign, programs, "echo 'slurm_load_jobs error: Invalid job id specified' >&2\nexit 1\n");
    REQUIRE(campaign.trains(0));
    const auto owner = runner::latestOwner(campaign.folder());
    REQUIRE((owner && *owner));
    CHECK((*owner)->job.empty());
    CHECK(runner::lifeOf(**owner, runner::thisOwner().value()) == runner::Life::alive);
    const auto environment = readFile(fmt::format("/proc/{}/environ", campaign.ranks(0).at(0)));
    REQUIRE(environment);
    for (const char* variable : {"SLURM_JOB_ID", "SLURM_NTASKS"})
        CHECK(environment->find(variable) == std::string::npos);
}

TEST_CASE("a runner in a task of an array, which squeue calls by another number, is in its job")
{
    const TemporaryFolder programs;
    const Campaign campaign({makeRun(1, 1'000)});
    const Process runner = startInJob(campaign, programs, "echo '123_4 RUNNING'\n");
    REQUIRE(campaign.trains(0));
    const auto owner = runner::latestOwner(campaign.folder());
    REQUIRE((owner && *owner));
    CHECK((*owner)->job == "17");
}
