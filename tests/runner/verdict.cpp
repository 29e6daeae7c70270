// SPDX-License-Identifier: MIT
#include "agent/runner/verdict.h"

#include "core/jobs/launchers/table.h"

#include <csignal>
#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::runner;

namespace {

RankExit code(int value, std::int64_t atNs = 0)
{
    return {value, 0, false, atNs, "node7"};
}
RankExit killed(int signal, std::int64_t atNs = 0)
{
    return {0, signal, false, atNs, "node7"};
}
RankExit told(int value, std::int64_t atNs = 0)
{
    return {value, 0, true, atNs, "node7"};
}

Evidence evidence(std::vector<std::optional<RankExit>> ranks, RankExit launcher)
{
    Evidence result;
    result.ranks = std::move(ranks);
    result.launcher = launcher;
    return result;
}

/// As the journal has it; sentences are in tests/jobs/reasons.
std::string reasonOf(const Evidence& found)
{
    return toText(judge(found).reason);
}

} // namespace

TEST_CASE("the first rank that ended of its own is to blame")
{
    const auto verdict = judge(evidence({code(12, 5), told(143, 7), code(13, 9), code(11, 8)}, code(11)));
    CHECK(verdict.rank == 3);
    CHECK(verdict.cause == Cause::outOfMemory);
    CHECK(verdict.host == "node7");
    CHECK(verdict.reason == because(why::kOutOfMemory, {{"rank", 3}, {"host", "node7"}}));
}

TEST_CASE("running out of memory is reported in the words of the rank, as far as it wrote any")
{
    auto found = evidence({code(exitcode::kOutOfMemory)}, code(exitcode::kOutOfMemory));
    found.ranksSaid = {"lenet with a batch of 64 per rank is refused. The largest that fits is about 40."};
    CHECK(reasonOf(found) ==
          R"({"code":"exit","exit_code":11,"host":"node7","program":"ringside","rank":0,)"
          R"("said":"lenet with a batch of 64 per rank is refused. The largest that fits is about 40."})");

    found.ranks[0] = killed(SIGKILL);
    found.ranks[0]->memoryRanOut = true;
    found.ranksSaid = {"run 3: lenet, 61706 parameters"}; // what stands in its log is not why
    CHECK(reasonOf(found) == R"({"code":"out_of_memory","host":"node7","rank":0})");
    found.memory = {MemoryNeed{64, 100'000'000, 1e6, 1e6, false}};
    CHECK(reasonOf(found) == R"({"batch":64,"code":"out_of_memory","host":"node7","rank":0})");
    found.ranks[0]->peakBytes = 140'600'000;
    CHECK(reasonOf(found) ==
          R"({"batch":64,"code":"out_of_memory","host":"node7","largest_batch":40,"peak_bytes":140600000,"rank":0})");
    found.ranks[0]->peakBytes = 500'000'000; // where more than the estimate was not enough
    CHECK(judge(found).reason.number("largest_batch") == 51);
    found.ranks[0]->peakBytes = 90'000'000;
    CHECK(judge(found).reason.number("largest_batch") == 0);
    found.memory[0]->isOnGpu = true;
    CHECK(reasonOf(found) == R"({"batch":64,"code":"out_of_memory","host":"node7","rank":0})");
}

TEST_CASE("a killed rank is lost, unless the kernel was out of memory")
{
    auto found = evidence({code(12, 2), killed(SIGKILL, 1)}, code(137));
    CHECK(judge(found).cause == Cause::lostRank);
    CHECK(judge(found).rank == 1);
    found.ranks[1]->memoryRanOut = true;
    CHECK(judge(found).cause == Cause::outOfMemory);
}

TEST_CASE("a rank that was stopped and did not go on is lost, and the others lost it")
{
    auto found = evidence({code(12, 2), killed(SIGKILL, 1)}, code(137));
    found.ranks[1]->suspended = true;
    const auto verdict = judge(found);
    CHECK(verdict.cause == Cause::lostRank);
    CHECK(verdict.rank == 1);
    CHECK(verdict.reason == because(why::kStopped, {{"rank", 1}, {"host", "node7"}}));
}

TEST_CASE("why a guard kept its process from training is the reason, whatever its log ends with")
{
    auto found = evidence({told(143), code(127)}, code(127));
    found.ranks[1]->why = because(why::kNoInterface, {{"rank", 1}, {"interface", "ib0"}});
    found.ranksSaid = {"", "Rank 1 could not be started."};
    CHECK(judge(found).cause == Cause::launch);
    CHECK(reasonOf(found) == R"({"code":"no_interface","host":"node7","interface":"ib0","rank":1})");
    found.training = 1;
    found.roles = {{"server", 1, Placement::shared}};
    CHECK(reasonOf(found) ==
          R"({"code":"no_interface","host":"node7","interface":"ib0","number":0,"rank":1,"role":"server"})");
    found.training.reset();
    found.roles.clear();
    found.ranks[0] = code(127);
    found.ranks[0]->why = because(why::kNoInterface, {{"rank", 0}, {"interface", "ib0"}});
    CHECK(reasonOf(found) ==
          R"({"code":"no_interface","host":"node7","interface":"ib0","others":"1","others_count":1,"rank":0})");
}

TEST_CASE("a server is named as one, and silence with its length")
{
    Evidence found = evidence({code(exitcode::kPeerLost), code(exitcode::kPeerLost), killed(SIGKILL)}, code(1));
    found.training = 2;
    found.roles = {{kServerRole, 1}};
    CHECK(reasonOf(found) ==
          R"({"code":"signal","host":"node7","number":0,"rank":2,"role":"server","signal":9,"source":"unknown"})");
    found.stop = StopReason::silentRank;
    found.blamedRank = 1;
    found.blamedHost = "node8";
    found.blamedFor = std::chrono::seconds(20);
    CHECK(judge(found).reason == because(why::kSilent, {{"rank", 1}, {"host", "node8"}, {"seconds", 20}}));
}

TEST_CASE("what served those that have led to the end has not failed, whatever it ended with")
{
    Evidence found = evidence({told(143), killed(SIGABRT), code(0), std::nullopt}, code(143));
    found.training = 2;
    found.roles = {{"chief", 1, Placement::shared, Duty::leads}, {"ps", 1, Placement::shared, Duty::serves}};
    CHECK(judge(found).state == RunState::done);
    found.told = 0;
    CHECK(judge(found).cause == Cause::settings);
    found.ranks[2] = told(0); // something else was why
    CHECK(judge(found).rank == 1);
    found.ranks[2] = code(1);
    CHECK(judge(found).state == RunState::failed);
    found.roles = {{"server", 2, Placement::shared, Duty::serves}};
    found.told = 5;
    found.toldOfRanks = 2;
    CHECK(judge(found).state == RunState::failed); // the ranks lead
    found.ranks = {code(0), code(0), told(143), std::nullopt};
    CHECK(judge(found).state == RunState::done);
    found.roles = {{"scheduler", 2, Placement::shared, Duty::helps}};
    CHECK(judge(found).state == RunState::failed); // it is waited for
    found.helpedTooLong = true;
    CHECK(judge(found).state == RunState::done);
    found.ranks[1] = code(3);
    CHECK(judge(found).rank == 1);
}

TEST_CASE("a loss that is not a number is no rank's fault, and reported in the words of the ranks")
{
    Evidence found = evidence({code(exitcode::kNotANumber), code(exitcode::kNotANumber)}, code(exitcode::kNotANumber));
    CHECK(judge(found).cause == Cause::notANumber);
    CHECK_FALSE(judge(found).rank);
    CHECK(judge(found).reason == because(why::kNotANumber));
    const std::string said = "The loss is not a number after iteration 3. Lower learning_rate.";
    found.ranksSaid = {said, said};
    CHECK(judge(found).reason == because(why::kNotANumber, {{"said", said}}));
}

TEST_CASE("signals of a program's own making are a crash")
{
    CHECK(judge(evidence({killed(SIGSEGV)}, code(139))).cause == Cause::crashed);
    CHECK(judge(evidence({killed(SIGTERM)}, code(143))).cause == Cause::lostRank);
}

TEST_CASE("a signal before there is a spool is no fault of the run's own: it is done again")
{
    auto found = evidence({code(12, 5), killed(SIGSEGV, 3)}, code(139));
    found.withoutSpool = {false, true};
    CHECK(judge(found).cause == Cause::lostRank);
    CHECK(isFromOutside(judge(found).cause));
    CHECK(judge(found).rank == 1);
    found.withoutSpool = {true, false};
    CHECK(judge(found).cause == Cause::crashed);
    found.ranks[1] = code(exitcode::kSettings, 3); // what it says itself is no signal
    found.withoutSpool = {true, true};
    CHECK(judge(found).cause == Cause::settings);
}

TEST_CASE("of ranks that one look finds dead on different hosts none is called the first")
{
    const auto on = [](const char* host, RankExit exit) {
        exit.host = host;
        return exit;
    };
    auto found =
        evidence({on("a", killed(SIGKILL, 900)), on("b", killed(SIGKILL, 5)), on("b", killed(SIGKILL, 4))}, code(137));
    found.seenNs = {70, 70, 70};
    const Verdict unknown = judge(found);
    CHECK(unknown.cause == Cause::lostRank);
    CHECK_FALSE(unknown.rank);
    CHECK(unknown.reason == because(why::kSignal, {{"rank", 0},
                                                   {"host", "a"},
                                                   {"signal", SIGKILL},
                                                   {"source", "unknown"},
                                                   {"others", "2"},
                                                   {"others_count", 1}}));
    found.seenNs = {70, 60, 60}; // an earlier look saw them
    CHECK(judge(found).rank == 2);
    found.seenNs = {70, 70, 70};
    found.ranks[1] = on("b", code(exitcode::kData, 5)); // of its own; rank 2, killed before it, cannot be told from it
    found.ranks[2] = on("b", killed(SIGKILL, 6));
    CHECK(judge(found).rank == 1);
    CHECK(judge(found).cause == Cause::data);
}

TEST_CASE("a rank without a record was ended with its guard")
{
    const auto verdict = judge(evidence({told(143), std::nullopt}, code(137)));
    CHECK(verdict.cause == Cause::lostRank);
    CHECK(verdict.rank == 1);
}

TEST_CASE("a killed mpirun is no fault of the ranks below it")
{
    const auto verdict = judge(evidence({told(143), told(143)}, killed(SIGKILL)));
    CHECK(verdict.cause == Cause::lostRank);
    CHECK_FALSE(verdict.rank);
    CHECK(verdict.reason == because(why::kLauncher, {{"launcher", "mpirun"}, {"signal", SIGKILL}}));
}

TEST_CASE("nothing started is a failure to launch with what the launcher said")
{
    auto found = evidence({std::nullopt, std::nullopt}, code(1));
    found.launcherSaid = "no slots";
    CHECK(judge(found).cause == Cause::launch);
    CHECK(judge(found).reason == because(why::kNotStarted, {{"exit_code", 1}, {"said", "no slots"}}));
}

TEST_CASE("an attempt that was done when it was cancelled is done")
{
    auto found = evidence({code(0)}, code(0));
    found.stop = StopReason::cancelled;
    CHECK(judge(found).state == RunState::done);
    found.ranks[0] = told(143);
    found.launcher = code(143);
    CHECK(judge(found).state == RunState::cancelled);
}

TEST_CASE("a system that was asked to end is done if it did all its iterations, whatever asked it")
{
    RunSpec run;
    run.settings = Settings{{"engine", std::string("other")}, {"ranks", std::int64_t{2}}};
    run.iterations = 10;
    CampaignPlan plan;
    plan.engines = {{"other", {}}};
    const auto program = jobs::programOf(plan, run.settings);
    Evidence found = evidenceOf(run, *program);
    found.ranks = {told(0), told(0)};
    found.told = 12; // some make a few more
    found.leastTold = 10;
    found.toldOfRanks = 2;
    for (const StopReason stop : {StopReason::none, StopReason::cancelled}) {
        found.stop = stop;
        CHECK(judge(found).state == RunState::done);
        found.leastTold = 9;
        CHECK(judge(found).state != RunState::done);
        found.leastTold = 10;
        found.toldOfRanks = 1; // nothing is known of the other
        CHECK(judge(found).state != RunState::done);
        found.toldOfRanks = 2;
    }
    found.stop = StopReason::none;
    found.told = found.leastTold = 3;
    CHECK(reasonOf(found) == R"({"code":"told_to_end","host":"node7","others":"1","others_count":1,"rank":0})");
    CHECK(judge(found).cause == Cause::lostRank);
    found.launcher = killed(SIGKILL);
    CHECK(judge(found).reason.code == why::kLauncher);
    found.ranks = {code(0), code(0)}; // what ends by itself may have reported fewer
    CHECK(judge(found).state == RunState::done);
}

TEST_CASE("a system whose own records end early has failed, whatever its exit code; what helps it records none")
{
    Evidence found = evidence({code(0), code(0), code(0)}, code(0));
    found.roles = {{"server", 1, Placement::shared, Duty::helps}};
    found.training = 2;
    found.told = found.asked = 12; // by the one that did most
    found.leastTold = 7;
    found.toldOfRanks = found.wantedOfRanks = 2;
    found.ranks[0]->recorded = 12;
    CHECK(judge(found).state == RunState::done); // the other one's lines are read by patterns
    found.ranks[2]->recorded = 1;
    CHECK(judge(found).state == RunState::done);
    found.ranks[1]->recorded = 7;
    CHECK(judge(found).state == RunState::failed);
    CHECK(judge(found).cause == Cause::settings);
    CHECK(reasonOf(found) ==
          R"({"asked":12,"code":"ended_early","cut_records":0,"iterations":7,"program":"ringside"})");
    found.ranks[1]->recorded = 12;
    CHECK(judge(found).state == RunState::done);
    found.told = found.toldOfRanks = 0;
    CHECK(judge(found).reason.code == why::kNoIterations);
    found.wentOn = 2; // what went on may have recorded them
    CHECK(reasonOf(found) == R"({"asked":12,"code":"went_on","iterations":0,"processes":2,"program":"ringside"})");
}

TEST_CASE("a reason carries what the rank said last")
{
    auto found = evidence({code(0), code(13, 5)}, code(13));
    const auto exited = [](int exitCode, const char* said) {
        return because(
            why::kExit,
            {{"rank", 1}, {"host", "node7"}, {"program", "ringside"}, {"exit_code", exitCode}, {"said", said}});
    };
    CHECK(judge(found).reason == exited(exitcode::kData, ""));
    found.ranksSaid = {"", "There are no JPEG files in /p. Choose a folder."};
    CHECK(judge(found).reason == exited(exitcode::kData, "There are no JPEG files in /p. Choose a folder."));
    found.ranks[1] = code(127, 5);
    found.ranksSaid[1] = "worker: error while loading shared libraries: libtorch.so";
    CHECK(judge(found).cause == Cause::launch);
    CHECK(judge(found).reason == exited(127, "worker: error while loading shared libraries: libtorch.so"));
}

TEST_CASE("clocks of different hosts are not compared: between them, first is what was seen first")
{
    auto found = evidence({killed(SIGKILL, 900), killed(SIGKILL, 5), killed(SIGKILL, 7)}, code(1));
    found.ranks[1]->host = found.ranks[2]->host = "node8"; // whose clock is far behind
    found.seenNs = {100, 200, 200};
    CHECK(judge(found).rank == 0);
    found.seenNs = {300, 200, 200};
    CHECK(judge(found).rank == 1); // by their own host's clock
    found.ranks[1]->atNs = 8;
    CHECK(judge(found).rank == 2);
}

TEST_CASE("where clocks and the order of being seen contradict each other none is called the first")
{
    auto found = evidence({killed(SIGKILL, 1), killed(SIGKILL, 2), killed(SIGKILL, 5)}, code(137));
    found.ranks[2]->host = "node8";
    found.seenNs = {30, 10, 20}; // 0 ended before 1 by their clock, 1 was seen before 2, and 2 before 0
    const Verdict verdict = judge(found);
    CHECK(verdict.cause == Cause::lostRank); // and not a failure to launch, with which a job begins the run again
    CHECK_FALSE(verdict.rank);
    CHECK(verdict.reason.word("others") == "1, 2");
    found.ranks[2]->code = exitcode::kData; // of its own: likelier the cause than what was killed
    found.ranks[2]->signal = 0;
    CHECK(judge(found).rank == 2);
}

TEST_CASE("a rank without a record is named with its host, where its spool names that")
{
    auto found = evidence({told(143), std::nullopt}, code(137));
    found.hosts = {"node7", "node8"};
    CHECK(judge(found).host == "node8");
    CHECK(judge(found).reason == because(why::kEndedOutside, {{"rank", 1}, {"host", "node8"}}));
}

TEST_CASE("of several ranks without a record none is called the first")
{
    auto found = evidence({std::nullopt, told(143), std::nullopt, std::nullopt}, code(137));
    found.hosts = {"node7", "node7", "node8", "node8"};
    const Verdict verdict = judge(found);
    CHECK(verdict.cause == Cause::lostRank);
    CHECK_FALSE(verdict.rank);
    CHECK(verdict.host.empty());
    CHECK(verdict.reason ==
          because(why::kEndedOutside, {{"rank", 0}, {"host", "node7"}, {"others", "2, 3"}, {"others_count", 2}}));
    found.launcher = code(0); // their guards could not write
    CHECK(judge(found).reason ==
          because(why::kNoRecord, {{"rank", 0}, {"host", "node7"}, {"others", "2, 3"}, {"others_count", 2}}));
    found.ranks[3] = code(exitcode::kData); // by its own record
    CHECK(judge(found).rank == 3);
}

TEST_CASE("other processes without a record are named by their roles")
{
    auto found = evidence({std::nullopt, std::nullopt, std::nullopt, std::nullopt}, code(137));
    found.training = 2;
    found.roles = {{kServerRole, 2}};
    CHECK(
        judge(found).reason ==
        because(
            why::kEndedOutside,
            {{"rank", 0}, {"host", ""}, {"others", "1"}, {"others_count", 1}, {"other_roles", "server 0, server 1"}}));
}

TEST_CASE("a process of several ranks is named with how many each is")
{
    auto found = evidence({std::nullopt, std::nullopt, std::nullopt}, code(137));
    found.training = 3;
    found.ranksPerProcess = 4;
    const Verdict verdict = judge(found);
    CHECK(verdict.cause == Cause::lostRank);
    CHECK(verdict.reason.number("ranks_per_process") == 4);
    CHECK(verdict.reason.word("others") == "4-7, 8-11");
    CHECK(verdict.reason.number("others_count") == 8);
}

TEST_CASE("a rank that could not write its record on a full disk is lost, and the reason is what it said last")
{
    auto found = evidence({std::nullopt}, code(0));
    found.ranksSaid = {"cannot write rank-0.exit: No space left on device. Free some space."};
    found.hosts = {"node7"};
    const auto verdict = judge(found);
    CHECK(verdict.cause == Cause::lostRank); // from outside: the run counts as missing
    CHECK(verdict.reason == because(why::kNoRecord, {{"rank", 0}, {"host", "node7"}, {"said", found.ranksSaid[0]}}));
    found.ranksSaid.clear();
    CHECK(judge(found).reason == because(why::kNoRecord, {{"rank", 0}, {"host", "node7"}}));
}

TEST_CASE("a host that mpirun did not reach is a failure to launch, in the words of ssh")
{
    auto found = evidence({std::nullopt, std::nullopt}, code(255));
    found.startedBy = jobs::launcherFor("openmpi", {});
    found.launcherSaid = "ssh: Could not resolve hostname node9: Name or service not known";
    CHECK(judge(found).cause == Cause::launch);
    CHECK(judge(found).reason == because(why::kNotStarted, {{"exit_code", 255}, {"said", found.launcherSaid}}));
    found.launcher = code(137);
    CHECK(judge(found).cause == Cause::lostRank);
}

TEST_CASE("only launchers that reach hosts by ssh say by its code that they did not")
{
    auto found = evidence({std::nullopt, std::nullopt}, code(255));
    found.hosts = {"node8", "node9"};
    for (const jobs::Launcher* launcher : jobs::launchers()) {
        CAPTURE(std::string(launcher->name()));
        found.startedBy = launcher;
        const bool goesByItsScheduler = launcher->needsJob() || launcher->name() == "pals";
        CHECK(judge(found).cause == (goesByItsScheduler ? Cause::lostRank : Cause::launch));
    }
}

TEST_CASE("ranks that srun ended because one of them could not be started are a failure to launch")
{
    auto found = evidence({std::nullopt, std::nullopt, std::nullopt}, code(137));
    found.startedBy = jobs::launcherFor("srun", {});
    found.launcherSaid = "srun: error: task 0 launch failed";
    found.hosts = {"", "node8", "node9"};
    CHECK(judge(found).cause == Cause::launch);
    CHECK(judge(found).reason == because(why::kNotStarted, {{"exit_code", 137}, {"said", found.launcherSaid}}));
    found.hosts[0] = "node7";
    CHECK(judge(found).cause == Cause::lostRank);
}

TEST_CASE("a full disk happened to a run, a failed engine in it, and each has a code of its own")
{
    Evidence found = evidence({code(exitcode::kNoSpace)}, code(exitcode::kNoSpace));
    found.ranksSaid = {"Cannot write facts.json: No space left on device."};
    CHECK(judge(found).cause == Cause::lostRank);
    const auto exited = [](int rank, int exitCode, const std::string& said) {
        return because(
            why::kExit,
            {{"rank", rank}, {"host", "node7"}, {"program", "ringside"}, {"exit_code", exitCode}, {"said", said}});
    };
    CHECK(judge(found).reason == exited(0, exitcode::kNoSpace, found.ranksSaid[0]));
    found = evidence({code(1)}, code(1)); // its guard's word counts, whatever the code means to a system
    found.ranks[0]->why = because(why::kNoSpace, {{"rank", 0}, {"folder", "/r"}});
    CHECK(judge(found).cause == Cause::lostRank);
    CHECK(reasonOf(found) == R"({"code":"no_space","folder":"/r","host":"node7","rank":0})");

    found = evidence({code(exitcode::kPeerLost, 1), code(exitcode::kEngineFailed, 2)}, code(1));
    found.ranksSaid = {"", "The GPU failed: CUDA error: unspecified launch failure"};
    CHECK(judge(found).cause == Cause::crashed);
    CHECK(judge(found).rank == 1);
    CHECK(judge(found).reason == exited(1, exitcode::kEngineFailed, found.ranksSaid[1]));
}

TEST_CASE("a rank that hung is named with what it was at, and none where all wait for each other")
{
    Evidence found = evidence({code(exitcode::kTerminated), code(exitcode::kTerminated)}, code(1));
    found.stop = StopReason::hungRank;
    found.blamedRank = 1;
    found.blamedHost = "node8";
    found.blamedFor = std::chrono::seconds(60);
    found.blamedPhase = Phase::backward;
    CHECK(judge(found).reason ==
          because(why::kHung, {{"rank", 1}, {"host", "node8"}, {"seconds", 60}, {"phase", "backward"}}));
    found.training = 1;
    found.roles = {{kServerRole, 1}};
    CHECK(reasonOf(found) == R"({"code":"hung","host":"node8","number":0,"rank":1,"role":"server","seconds":60})");
    found.blamedRank.reset();
    CHECK(judge(found).cause == Cause::hung);
    CHECK_FALSE(judge(found).rank);
    CHECK(judge(found).reason == because(why::kAllHung, {{"seconds", 60}}));
}

TEST_CASE("of many ranks that end in the same moment the first are named, and all are counted")
{
    std::vector<std::optional<RankExit>> ranks;
    for (int rank = 0; rank < 600; ++rank) {
        ranks.push_back(killed(SIGKILL, rank));
        ranks.back()->host = "node" + std::to_string(rank);
    }
    auto found = evidence(ranks, code(137));
    found.seenNs.assign(600, 70);
    const Reason reason = judge(found).reason;
    CHECK(reason.number("others_count") == 599);
    CHECK(reason.word("others") == "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20");
}
