// SPDX-License-Identifier: MIT
// The ends of systems that are not Ringside's own: their processes end as one, and it is said why.
#include "agent/runner/procfs.h"
#include "agent/runner/rankexit.h"
#include "core/base/networklinks.h"
#include "core/protocol/facts.h"
#include "tests/runner/tinysystem.h"

#include <csignal>
#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace ringside;
using namespace ringside::test;

namespace {

/// Each of whose processes is of this Python.
std::map<std::string, Engine> systemOf(std::string python)
{
    for (const char brace : {'{', '}'}) // no placeholders
        for (std::size_t at = 0; (at = python.find(brace, at)) != std::string::npos; at += 2)
            python.insert(at, 1, brace);
    Engine engine;
    engine.title = "Other";
    engine.command = {findProgram("python3"), "-uc", python, "{attempt}"};
    engine.environment["RANK"] = "{rank}";
    return {{"other", engine}};
}

/// The end of a run on two ranks whose processes are of this Python, and their logs.
struct Ending
{
    JournalEvent end;
    std::string logs;
};

Ending endOf(const std::string& python, Settings settings = {}, double timeScale = 0.1,
             int hungAfterSeconds = kHungAfterSeconds)
{
    settings["engine"] = std::string("other");
    RunSpec run = makeRun(kRanks, 5);
    for (const auto& [key, value] : settings)
        run.settings[key] = value;
    Campaign campaign({run}, {}, "mpirun", testworkerPath(), {}, systemOf(python));
    campaign.setHungAfter(hungAfterSeconds);
    CHECK(campaign.startRunner(timeScale).wait(kLong) == 0);
    REQUIRE(campaign.endsOf(0).size() == 1);
    std::string logs; // which of them is refused first, chance decides
    for (int rank = 0; rank < kRanks; ++rank)
        logs += readFile(layout::rankLog(campaign.attempt(0), rank)).value_or("");
    return {campaign.endsOf(0).front(), logs};
}

} // namespace

TEST_CASE("processes that train something else than their run asks for are ended, and it is said what")
{
    const auto endOfBegin = [](const std::string& words, const Settings& settings) {
        return endOf("import time; print('ringside 1 begin rank=0 " + words + "'); time.sleep(600)", settings);
    };
    const Settings asked{{"model", std::string("lenet")}, {"batch_per_rank", std::int64_t{16}}};
    for (const auto& [words, reason] :
         {std::pair(R"(ranks=1 scope=rank batch=16 pid=1 {"parameters": 62006})",
                    because(why::kOtherRanks, {{"told", 1}, {"ranks", 2}})),
          std::pair(R"(ranks=2 scope=rank batch=8 pid=1 {"parameters": 62006})",
                    because(why::kOtherBatch, {{"told", 8}, {"asked", 16}})),
          std::pair(R"(ranks=2 scope=rank batch=16 pid=1 {"parameters": 431080})",
                    because(why::kOtherModel, {{"told", "431080"}, {"model", "lenet"}, {"parameters", 62006}}))}) {
        CAPTURE(words);
        const Ending ending = endOfBegin(words, asked);
        CHECK(ending.end.state == RunState::failed);
        CHECK(ending.end.cause == Cause::settings);
        CHECK(ending.end.reason.code == reason.code);
        for (const auto& [argument, value] : reason.about)
            CHECK(ending.end.reason.about.at(argument) == value);
        CHECK(ending.logs.find("is not training what its run asks for") != std::string::npos);
    }
}

TEST_CASE("a launcher whose ranks are not those that it is asked for fails the run, by what they report")
{
    const std::vector<std::string> places{"{rank}", "{own_ranks}", "{ranks}"};
    const auto endOfLauncher = [](int ranks, const std::map<std::string, Engine>& engines) {
        const Campaign campaign = campaignOf(runOfLauncher(ranks, 50), engines);
        CHECK(campaign.startRunner().wait(kLong) == 0);
        REQUIRE(campaign.endsOf(0).size() == 1);
        CHECK(campaign.endsOf(0).front().state == RunState::failed);
        CHECK(runner::processesOf(campaign.attempt(0)).empty());
        return campaign.endsOf(0).front().reason;
    };
    const Reason alone = endOfLauncher(2, tinyLauncher({"0", "1", "1"}));
    CHECK(alone.code == why::kOtherRanks);
    CHECK(alone.number("told") == 1);

    const Reason late = endOfLauncher(2, tinyLauncher(places, {"late"}));
    CHECK(late.code == why::kRanksMissing);
    CHECK(late.number("began") == 1);
    CHECK(late.number("ranks") == 2);

    const Reason uneven = endOfLauncher(2, tinyLauncher(places, {"uneven"}));
    CHECK(uneven.code == why::kEndedEarly);
    CHECK(uneven.number("iterations") == 3);

    const Reason whole = endOfLauncher(2, tinyLauncher(places, {"whole"}));
    CHECK(whole.code == why::kTwiceReported);

    const Reason foreign = endOfLauncher(4, tinyLauncher({"0", "{own_ranks}", "{ranks}"}));
    CHECK(foreign.code == why::kForeignRank);
    CHECK(foreign.number("rank") == 1);
    CHECK(foreign.number("started") < 2);
    CHECK(foreign.number("first") == 2);
    CHECK(foreign.number("last") == 3);
}

TEST_CASE("the ranks of a launcher that is killed end with it")
{
    const Campaign campaign =
        campaignOf(runOfLauncher(2, 1'000'000), tinyLauncher({"{rank}", "{own_ranks}", "{ranks}"}, {"dies"}));
    CHECK(campaign.startRunner().wait(kLong) == 0);
    REQUIRE(campaign.endsOf(0).size() == 1);
    CHECK(campaign.endsOf(0).front().state == RunState::failed);
    CHECK(campaign.endsOf(0).front().reason.code == why::kSignal);
    CHECK(campaign.endsOf(0).front().reason.number("signal") == SIGKILL);
    CHECK(runner::processesOf(campaign.attempt(0)).empty());
}

TEST_CASE("processes that end well and report no iteration have failed")
{
    const Ending ending = endOf("print('trained, and told nothing')");
    CHECK(ending.end.state == RunState::failed);
    CHECK(ending.end.reason.code == why::kNoIterations);
}

TEST_CASE("a run of which one rank alone reports has failed, unless it reports for all")
{
    const auto endOfScope = [](const std::string& scope, int batch) {
        return endOf(fmt::format("import os, time\n"
                                 "if os.environ['RANK'] == '0':\n"
                                 "    print('ringside 1 begin rank=0 ranks=2 scope={} batch={} pid=1 {{}}')\n"
                                 "    for i in range(5):\n"
                                 "        time.sleep(0.01)\n"
                                 "        print('ringside 1 iteration=%d start_ns=%d length_ns=1000000 items={}' % "
                                 "(i, time.monotonic_ns()))\n",
                                 scope, batch, batch));
    };
    const Ending one = endOfScope("rank", 8);
    CAPTURE(one.logs);
    CHECK(one.end.state == RunState::failed);
    CHECK(one.end.reason.code == why::kRanksUntold);
    CHECK(one.end.reason.number("told") == 1);
    CHECK(one.end.reason.number("ranks") == kRanks);
    CHECK(endOfScope("all", 16).end.state == RunState::done);
}

TEST_CASE(
    "ranks that tell no iteration are hung, but not while one prints what a validation does, or if they may be silent")
{
    const auto endOfPause = [](const std::string& action, int hungAfterSeconds = kHungAfterSeconds) {
        return endOf("import os, time\n"
                     "print('ringside 1 begin rank=%s ranks=2 scope=rank batch=8 pid=1 {}' % os.environ['RANK'])\n"
                     "for i in range(5):\n"
                     "    for j in range(36 if i == 3 else 0):\n"
                     "        time.sleep(0.5)\n"
                     "        if os.environ['RANK'] == '0':\n"
                     "            " +
                         action +
                         "\n"
                         "    print('ringside 1 iteration=%d start_ns=%d length_ns=1000000 items=8' % "
                         "(i, time.monotonic_ns()))\n",
                     {}, 0.2, hungAfterSeconds); // 12 s of 60; heartbeats keep their 2 s
    };
    const Ending talking = endOfPause("print('Test: [%d/36]' % j)");
    CAPTURE(toText(talking.end.reason));
    CHECK(talking.end.state == RunState::done);
    const Ending silent = endOfPause("pass");
    CHECK(silent.end.state == RunState::failed);
    CHECK(silent.end.cause == Cause::hung);
    CHECK(endOfPause("pass", 600).end.state == RunState::done);
}

TEST_CASE("a training that goes into the background is ended, and has failed for it, even before its first iteration")
{
    const std::string sleeps = "time.sleep(600)", // or has neither environment nor parent any more
        isBare = "os.fork() and os._exit(0) or os.execve('/bin/sleep', ['sleep', '98766'], {})";
    for (const auto& [recorded, goesOn] : {std::pair(0, sleeps), {1, sleeps}, {1, isBare}}) {
        CAPTURE(recorded);
        const Ending ending = endOf("import os, signal, time\n"
                                    "print('ringside 1 begin rank=0 ranks=2 scope=rank batch=8 pid=1 {}')\n"
                                    "if os.fork() == 0:\n"
                                    "    os.setsid()\n"
                                    "    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
                                    "    " +
                                    goesOn +
                                    "\ntime.sleep(0.01)\n"
                                    "for i in range(" +
                                    std::to_string(recorded) +
                                    "):\n"
                                    "    print('ringside 1 iteration=%d start_ns=%d length_ns=1000000 items=8' % "
                                    "(i, time.monotonic_ns()))\n");
        CHECK(ending.end.state == RunState::failed);
        CHECK(ending.end.reason.code == why::kWentOn);
        CHECK(ending.end.reason.number("iterations") == recorded);
        CHECK(ending.end.reason.number("asked") == 5);
        CHECK(ending.end.reason.number("processes") == kRanks);
        CHECK(processesWith("98766").empty());
    }
}

TEST_CASE("a script that ends well before it is through has failed, and so has one in the middle of a record")
{
    const auto endOfSome = [](const std::string& last) {
        return endOf("import os, time\n"
                     "print('ringside 1 begin rank=%s ranks=2 scope=rank batch=8 pid=1 {}' % os.environ['RANK'])\n"
                     "record = 'ringside 1 iteration=%d start_ns=%d length_ns=1000000 items=8'\n"
                     "for i in range(3):\n"
                     "    time.sleep(0.01)\n"
                     "    print(record % (i, time.monotonic_ns()))\n" +
                     last + "\nos._exit(0)\n");
    };
    for (const bool isCut : {false, true}) {
        CAPTURE(isCut);
        const Ending ending = endOfSome(isCut ? "print(record[:30] % 3, end='')" : "");
        CHECK(ending.end.state == RunState::failed);
        CHECK(ending.end.reason.code == why::kEndedEarly);
        CHECK(ending.end.reason.number("iterations") == 3);
        CHECK(ending.end.reason.number("asked") == 5);
        CHECK(ending.end.reason.number("cut_records") == (isCut ? 1 : 0));
    }
    const Ending torn = endOfSome("print((record % (4, time.monotonic_ns())))"); // one is missing, and is no end
    CAPTURE(toText(torn.end.reason));
    CHECK(torn.end.state == RunState::done);
}

TEST_CASE("a script that patterns read, and that prints each second iteration, is done where it ends well")
{
    auto engines = systemOf("import time\n"
                            "for i in range(1, 4, 2):\n"
                            "    time.sleep(0.01)\n"
                            "    print('step %d: 0.010 s' % i)\n");
    engines["other"].lines = {{"step {iteration}: {seconds} s", "interval", "rank"}};
    const RunSpec run = makeRun(kRanks, 5, {{"engine", std::string("other")}, {"batch_per_rank", std::int64_t{8}}});
    const Campaign campaign = campaignOf(run, engines);
    CHECK(campaign.startRunner().wait(kLong) == 0);
    REQUIRE(campaign.endsOf(0).size() == 1);
    CAPTURE(toText(campaign.endsOf(0).front().reason));
    CHECK(campaign.endsOf(0).front().state == RunState::done);
    CHECK_FALSE(runner::readRankExit(campaign.attempt(0), 0).value().recorded);
}

TEST_CASE("the end of a killed rank, or server, is that of all, and names it")
{
    for (const int killed : {1, kServer}) {
        CAPTURE(killed);
        const Campaign campaign = campaignOf(runOfTiny(1'000'000));
        Process runner = campaign.startRunner();
        REQUIRE(campaign.trains(0));
        ::kill(campaign.ranks(0).at(static_cast<std::size_t>(killed)), SIGKILL);
        CHECK(eventually(kLong, [&] { return !campaign.endsOf(0).empty(); }));
        const JournalEvent end = campaign.endsOf(0).at(0);
        CHECK(end.cause == Cause::lostRank);
        CHECK(end.rank == killed);
        CHECK(runner.wait(kLong) == 0);
        CHECK(campaign.ranksThatRun(0) == std::vector<pid_t>{-1, -1, -1});
    }
}

TEST_CASE("servers that never end are ended with the ranks, and that is no failure")
{
    auto engines = tiny();
    engines["tiny"].environment["ENDLESS"] = "1";
    RunSpec run = runOfTiny(20);
    run.roles.front().duty = Duty::serves;
    const Campaign campaign = campaignOf(run, engines);
    CHECK(campaign.startRunner().wait(kLong) == 0);
    REQUIRE(campaign.endsOf(0).size() == 1);
    CHECK(campaign.endsOf(0).front().state == RunState::done);
    CHECK(runner::processesOf(campaign.attempt(0)).empty());
    const auto served = runner::readRankExit(campaign.attempt(0), kServer);
    REQUIRE(served);
    CHECK(served->told);
}

TEST_CASE("a helper that hangs after its ranks have ended well is ended and named, and the run is done")
{
    auto engines = tiny();
    engines["tiny"].environment["ENDLESS"] = "1";
    const Campaign campaign = campaignOf(runOfTiny(20), engines);
    CHECK(campaign.startRunner().wait(kLong) == 0);
    REQUIRE(campaign.endsOf(0).size() == 1);
    CHECK(campaign.endsOf(0).front().state == RunState::done);
    CHECK(runner::processesOf(campaign.attempt(0)).empty());
    const std::string said = readFile(layout::runnerLog(campaign.folder())).value_or("");
    CHECK(said.find("server 0 on " + hostName() + " (rank 2) had not ended") != std::string::npos);
}

namespace {

/// Two workers, a chief that trains with them, and a server. Only the chief ends by itself.
constexpr int kChief = 2, kServerOfChief = 3;

Campaign campaignOfChief(int iterations)
{
    auto engines = tiny();
    engines["tiny"].rankName = "worker";
    RunSpec run = runOfTiny(iterations);
    run.roles = {{"chief", 1, Placement::shared, Duty::leads}, {"server", 1, Placement::shared, Duty::serves}};
    return campaignOf(run, engines);
}

} // namespace

TEST_CASE("a chief that leads reports for all ranks, and with its end all others are ended")
{
    const Campaign campaign = campaignOfChief(20);
    CHECK(campaign.startRunner().wait(kLong) == 0);
    REQUIRE(campaign.endsOf(0).size() == 1);
    CHECK(campaign.endsOf(0).front().state == RunState::done);
    CHECK(runner::processesOf(campaign.attempt(0)).empty()); // children of servers, too
    const auto samples = samplesOf(layout::spoolFile(campaign.attempt(0), kChief));
    REQUIRE(samples.size() == 20);
    CHECK(samples[7].ofRanks == kRanks);
    CHECK(samples[7].items == 8 * kRanks);
    for (const int other : {0, 1, kServerOfChief})
        CHECK(samplesIn(layout::spoolFile(campaign.attempt(0), other)) == 0);
    const auto facts = readFile(layout::factsFile(campaign.attempt(0)));
    REQUIRE(facts);
    CHECK(factsFromJson(*facts).value().model.at("framework") == "tiny");
}

TEST_CASE("a chief that leads may report by its own lines")
{
    auto engines = systemOf("import sys, time\n"
                            "if sys.argv[2] != 'chief':\n"
                            "    time.sleep(600)\n"
                            "for i in range(20):\n"
                            "    time.sleep(0.01)\n"
                            "    print('step %d: 0.010 s' % i)\n");
    Engine& engine = engines["other"];
    engine.rankName = "worker";
    engine.command.emplace_back("{role}");
    engine.lines = {{"step {iteration}: {seconds} s", "interval", "all"}};
    RunSpec run = makeRun(kRanks, 20, {{"engine", std::string("other")}, {"batch_per_rank", std::int64_t{8}}});
    run.roles = {{"chief", 1, Placement::shared, Duty::leads}, {"ps", 1, Placement::shared, Duty::serves}};
    const Campaign campaign = campaignOf(run, engines);
    CHECK(campaign.startRunner().wait(kLong) == 0);
    CHECK(campaign.story() == "runner_started\nattempt_started 0/1\nattempt_ended 0/1 done none\nrunner_ended done\n");
    const auto samples = samplesOf(layout::spoolFile(campaign.attempt(0), kChief));
    REQUIRE(samples.size() >= 19); // a line covers the time since the one before it
    CHECK(samples[7].ofRanks == kRanks);
    CHECK(samples[7].items == 8 * kRanks);
    CHECK(fs::exists(layout::factsFile(campaign.attempt(0))));
}

TEST_CASE("the end of a killed chief, or of one that serves it, is that of all, and names it")
{
    for (const int killed : {0, kChief, kServerOfChief}) {
        CAPTURE(killed);
        const Campaign campaign = campaignOfChief(1'000'000);
        Process runner = campaign.startRunner();
        const fs::path spool = layout::spoolFile(campaign.attempt(0), kChief);
        REQUIRE(eventually(kLong, [&] { return fs::exists(spool) && samplesIn(spool) > 0; }));
        ::kill(campaign.ranks(0).at(static_cast<std::size_t>(killed)), SIGKILL);
        REQUIRE(eventually(kLong, [&] { return !campaign.endsOf(0).empty(); }));
        const JournalEvent end = campaign.endsOf(0).at(0);
        CHECK(end.cause == Cause::lostRank);
        CHECK(end.rank == killed);
        CHECK(end.reason.word("role") == (killed == kChief ? "chief" : killed == kServerOfChief ? "server" : ""));
        CHECK(runner.wait(kLong) == 0);
        CHECK(runner::processesOf(campaign.attempt(0)).empty());
    }
}

namespace {

/// Two ranks that end well as soon as they are told to; started without MPI.
Campaign campaignOfObedient(int iterations)
{
    const std::string python =
        fmt::format("import os, signal, time\ntold = []\n"
                    "signal.signal(signal.SIGTERM, lambda *_: told.append(True))\n"
                    "print('ringside 1 begin rank=' + os.environ['RANK'] + ' ranks=2 scope=rank batch=8 pid=1 {{}}')\n"
                    "for i in range({}):\n"
                    "    time.sleep(0.01)\n"
                    "    print('ringside 1 iteration=%d start_ns=%d length_ns=1000000 items=8' % "
                    "(i, time.monotonic_ns()))\n"
                    "    if told:\n"
                    "        break\n",
                    iterations);
    return Campaign({makeRun(kRanks, iterations, {{"engine", std::string("other")}})}, {}, "direct", testworkerPath(),
                    {}, systemOf(python));
}

} // namespace

TEST_CASE("a system that is told to end, and ends well, is not done")
{
    for (const bool isLed : {false, true}) {
        CAPTURE(isLed);
        const Campaign campaign = isLed ? campaignOfChief(1'000'000) : campaignOf(runOfTiny(1'000'000));
        Process runner = campaign.startRunner();
        const fs::path spool = layout::spoolFile(campaign.attempt(0), isLed ? kChief : 0);
        REQUIRE(eventually(kLong, [&] { return fs::exists(spool) && samplesIn(spool) > 0; }));
        campaign.control(layout::cancelFile(campaign.folder(), campaign.run(0).id));
        CHECK(runner.wait(kLong) == 0);
        REQUIRE(campaign.endsOf(0).size() == 1);
        CHECK(campaign.endsOf(0).front().state == RunState::cancelled);
    }
}

TEST_CASE("a stopped process of a system ends the attempt, with its role, its node and its reason")
{
    const std::map<int, std::string> roles{{1, ""}, {kChief, "chief"}, {kServerOfChief, "server"}};
    for (const auto& [stopped, role] : roles) {
        CAPTURE(stopped);
        const Campaign campaign = campaignOfChief(1'000'000);
        Process runner = campaign.startRunner();
        const fs::path spool = layout::spoolFile(campaign.attempt(0), kChief);
        REQUIRE(eventually(kLong, [&] { return fs::exists(spool) && samplesIn(spool) > 0; }));
        ::kill(campaign.ranks(0).at(static_cast<std::size_t>(stopped)), SIGSTOP);
        REQUIRE(eventually(kLong, [&] { return !campaign.endsOf(0).empty(); }));
        const JournalEvent end = campaign.endsOf(0).at(0);
        CHECK(end.cause == Cause::lostRank);
        CHECK(end.rank == stopped);
        CHECK(end.reason.code == why::kStopped);
        CHECK(end.reason.word("role") == role);
        CHECK(end.reason.word("host") == runner::nodeName());
        CHECK(runner.wait(kLong) == 0);
        CHECK(runner::processesOf(campaign.attempt(0)).empty());
    }
}

TEST_CASE("a program that cannot be started is reported")
{
    auto engines = tiny();
    engines["tiny"].command.front() = "/nowhere/python";
    const Campaign campaign = campaignOf(runOfTiny(5), engines);
    CHECK(campaign.startRunner().wait(kLong) == 0);
    CHECK(campaign.endsOf(0).at(0).cause == Cause::launch);
}

TEST_CASE("without the runner the processes of a system end, and a successor begins again")
{
    const Campaign campaign = campaignOfObedient(200);
    campaign.checkThatRanksEndWithout(campaign.startRunner(), 0);
    CHECK(campaign.startRunner().wait(kLong) == 0);
    CHECK(campaign.story() == "runner_started\nattempt_started 0/1\n"
                              "runner_started\nattempt_ended 0/1 requeued runner_lost\n"
                              "attempt_started 0/2\nattempt_ended 0/2 done none\nrunner_ended done\n");
}

TEST_CASE("what a chief has led to its end while there was no runner is done, not repeated")
{
    const Campaign campaign = campaignOfChief(500);
    Process runner = campaign.startRunner();
    const fs::path spool = layout::spoolFile(campaign.attempt(0), kChief);
    REQUIRE(eventually(kLong, [&] { return fs::exists(spool) && samplesIn(spool) > 0; }));
    runner.signal(SIGSTOP);
    REQUIRE(eventually(kLong, [&] { return runner::readRankExit(campaign.attempt(0), kChief).has_value(); }));
    runner.signal(SIGKILL);
    runner.wait(kLong);
    CHECK(campaign.startRunner().wait(kLong) == 0);
    CHECK(campaign.story() ==
          "runner_started\nattempt_started 0/1\nrunner_started\nattempt_ended 0/1 done none\nrunner_ended done\n");
}

TEST_CASE("a system that ends well since its launcher was killed is not done")
{
    const Campaign campaign = campaignOfObedient(1'000'000);
    Process runner = campaign.startRunner();
    REQUIRE(campaign.trains(0));
    const auto parentOf = [](pid_t pid) { return readProcessStat(pid).value().parent; };
    const pid_t launcher = parentOf(parentOf(campaign.ranks(0).at(0)));
    REQUIRE(launcher > 1);
    ::kill(launcher, SIGKILL);
    CHECK(runner.wait(kLong) == 0);
    REQUIRE(campaign.endsOf(0).size() == 1);
    const JournalEvent end = campaign.endsOf(0).front();
    CHECK(end.state == RunState::failed);
    CHECK(end.cause == Cause::lostRank);
    CHECK(end.reason.code == why::kLauncher);
    for (int rank = 0; rank < kRanks; ++rank) {
        const auto exit = runner::readRankExit(campaign.attempt(0), rank);
        REQUIRE(exit);
        CHECK(exit->told);
        CHECK(exit->clean());
    }
}
