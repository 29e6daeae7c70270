// SPDX-License-Identifier: MIT
// Systems that are not Ringside's own, carried out by the real runner: their processes find each other, and are
// recorded. How they end: systemends.cpp.
#include "agent/runner/procfs.h"
#include "core/base/findprogram.h"
#include "core/base/networklinks.h"
#include "core/jobs/reasons/reasonsentence.h"
#include "core/protocol/facts.h"
#include "core/protocol/plausible.h"
#include "tests/runner/campaignfixture.h"
#include "tests/runner/tinysystem.h"
#include "tests/support/built.h"

#include <cstdlib>
#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::test;

namespace {

/// Ends a script for trainedByScript(), in its loop over i.
const std::string kPrintRecord =
    "    print('ringside 1 iteration=%d start_ns=%d length_ns=1000 items=8' % (i, 1000 * i + 1000))\n";

/// Six iterations of one rank, carried out.
std::unique_ptr<Campaign> carriedOut(const Engine& engine, Settings settings = {})
{
    settings["engine"] = std::string("script");
    settings["batch_per_rank"] = std::int64_t{8};
    auto campaign =
        std::make_unique<Campaign>(std::vector{makeRun(1, 6, settings)}, std::nullopt, "mpirun", testworkerPath(),
                                   fs::path(), std::map<std::string, Engine>{{"script", engine}});
    CHECK(campaign->startRunner().wait(kLong) == 0);
    REQUIRE(campaign->endsOf(0).size() == 1);
    return campaign;
}

/// The same, done; the script is given the folder of its attempt.
std::unique_ptr<Campaign> trainedByScript(const std::string& script, const std::vector<EngineLine>& lines = {},
                                          const std::string& version = {})
{
    Engine engine;
    engine.title = "Script";
    engine.version = version;
    engine.command = {findProgram("python3"), "-uc", script, "{attempt}"};
    engine.lines = lines;
    auto campaign = carriedOut(engine);
    CHECK_MESSAGE(campaign->endsOf(0).front().state == RunState::done,
                  jobs::sentenceOf(campaign->endsOf(0).front().reason));
    return campaign;
}

/// A system that starts a user's own script.
Engine ofOwnScript()
{
    Engine engine;
    engine.title = "Script";
    engine.scriptCommand = {findProgram("python3"), "{script.script}"};
    return engine;
}

} // namespace

TEST_CASE("processes of a system find each other, and what they print is recorded")
{
    const Campaign campaign = campaignOf(runOfTiny(20));
    CHECK(campaign.startRunner().wait(kLong) == 0);
    REQUIRE(campaign.endsOf(0).size() == 1);
    CHECK(campaign.endsOf(0).front().state == RunState::done);
    const fs::path attempt = campaign.attempt(0);
    for (int rank = 0; rank < kRanks; ++rank) {
        const auto samples = samplesOf(layout::spoolFile(attempt, rank));
        REQUIRE(samples.size() == 20);
        CHECK(samples[7].seq == 7);
        CHECK(samples[7].loss == 15); // 7 of rank 0 and 8 of rank 1: both were there
        CHECK(samples[7].items == 8);
        CHECK(samples[7].told == PhaseSet{Phase::forward, Phase::commExposed});
        CHECK(samples[7].startNs == samples[6].endNs());
    }
    CHECK(samplesIn(layout::spoolFile(attempt, kServer)) == 0);
    const auto text = readFile(layout::factsFile(attempt));
    REQUIRE(text);
    const auto facts = factsFromJson(*text);
    REQUIRE(facts);
    CHECK(facts->model.at("framework") == "tiny");
    CHECK(facts->versions.at("Tiny") == "1.0");
    CHECK(facts->model.at("cores") == "[0]");                    // it was bound as our own ranks are
    CHECK(facts->environment.at("TF_CPP_MIN_LOG_LEVEL") == "2"); // its table has it, and nothing else
    REQUIRE(facts->ranks.size() == kRanks);
    for (int rank = 0; rank < kRanks; ++rank) {
        CHECK(facts->ranks[static_cast<std::size_t>(rank)].rank == rank);
        CHECK(facts->ranks[static_cast<std::size_t>(rank)].host == hostName());
        CHECK(facts->ranks[static_cast<std::size_t>(rank)].threads == 1);
    }
}

TEST_CASE(
    "a script that counts itself by its job's variables finds the run's ranks there, not what the job could start")
{
    const std::map<std::string, std::string> ofJob{{"SLURM_JOB_ID", "4711"}, {"SLURM_NTASKS", "4"},
                                                   {"SLURM_NPROCS", "4"},    {"SLURM_PROCID", "3"},
                                                   {"SLURM_NNODES", "2"},    {"SLURM_NTASKS_PER_NODE", "2"}};
    for (const auto& [name, value] : ofJob)
        ::setenv(name.c_str(), value.c_str(), 1);
    const auto campaign =
        trainedByScript("import os, sys\n"
                        "names = ['SLURM_NTASKS', 'SLURM_NPROCS', 'SLURM_NNODES', 'SLURM_NTASKS_PER_NODE', "
                        "'SLURM_PROCID', 'SLURM_LOCALID', 'SLURM_NODEID']\n"
                        "with open(sys.argv[1] + '/place', 'w') as place:\n"
                        "    place.write(' '.join(os.environ[name] for name in names))\n"
                        "print('ringside 1 begin rank=0 ranks=1 scope=rank batch=8 pid=%d {{}}' % os.getpid())\n"
                        "for i in range(6):\n" +
                        kPrintRecord);
    for (const auto& [name, value] : ofJob)
        ::unsetenv(name.c_str());
    CHECK(readFile(campaign->attempt(0) / "place").value_or("") == "1 1 1 1 0 0 0");
}

TEST_CASE("an interface that is named is where processes meet, and the only one for the libraries that they use")
{
    const std::string script = "import os, sys\n"
                               "names = ['NCCL_SOCKET_IFNAME', 'GLOO_SOCKET_IFNAME', 'OMPI_MCA_btl_tcp_if_include']\n"
                               "with open(sys.argv[1] + '/network', 'w') as file:\n"
                               "    file.write(' '.join([sys.argv[2]] + [os.environ[name] for name in names]))\n"
                               "print('ringside 1 begin rank=%s ranks=2 scope=rank batch=8 pid=%d {{}}' % "
                               "(sys.argv[3], os.getpid()))\n"
                               "for i in range(6):\n" +
                               kPrintRecord;
    Engine engine;
    engine.title = "Script";
    engine.command = {findProgram("python3"), "-uc", script, "{attempt}", "{address}", "{rank}"};
    const auto campaignOver = [&](const std::string& interface) {
        return campaignOf(
            makeRun(kRanks, 6,
                    {{"engine", std::string("script")}, {"batch_per_rank", std::int64_t{8}}, {"interface", interface}}),
            {{"script", engine}});
    };
    const Campaign campaign = campaignOver("lo");
    CHECK(campaign.startRunner().wait(kLong) == 0);
    CHECK(campaign.endsOf(0).at(0).state == RunState::done);
    CHECK(readFile(campaign.attempt(0) / "network").value_or("") == "127.0.0.1 =lo lo lo");

    const Campaign nowhere = campaignOver("none0");
    CHECK(nowhere.startRunner().wait(kLong) == 0);
    CHECK(nowhere.endsOf(0).at(0).state == RunState::failed);
    const Reason reason = nowhere.endsOf(0).at(0).reason;
    CHECK(reason.code == why::kNoInterface);
    CHECK(reason.word("interface") == "none0");
    CHECK(reason.number("rank"));
}

TEST_CASE("a process that is several ranks reports for them, and has their cores")
{
    // Three ranks of batch 8 in two processes: the words are the first rank, how many the process is, and all.
    const std::string script = "import os, sys\n"
                               "rank, own, ranks = map(int, sys.argv[1:4])\n"
                               "print('ringside 1 begin rank=%d ranks=%d scope=rank batch=%d pid=%d {{}}' % "
                               "(rank, ranks, 8 * own, os.getpid()))\n"
                               "for i in range(6):\n"
                               "    print('ringside 1 iteration=%d start_ns=%d length_ns=1000 items=%d' % "
                               "(i, 1000 * i + 1000, 8 * own))\n";
    Engine engine;
    engine.title = "Pair";
    engine.command = {findProgram("python3"), "-uc", script, "{rank}", "{own_ranks}", "{ranks}"};
    RunSpec run = makeRun(3, 6, {{"engine", std::string("pair")}, {"batch_per_rank", std::int64_t{8}}});
    run.ranksPerProcess = 2;
    const Campaign campaign = campaignOf(run, {{"pair", engine}});
    CHECK(campaign.startRunner().wait(kLong) == 0);
    CHECK(campaign.endsOf(0).at(0).state == RunState::done);
    for (const int process : {0, 1}) {
        const auto samples = samplesOf(layout::spoolFile(campaign.attempt(0), process));
        REQUIRE(samples.size() == 6);
        CHECK(samples[5].ofRanks == 2 - process);
        CHECK(samples[5].items == 8 * (2 - process));
    }
    CHECK_FALSE(fs::exists(layout::spoolFile(campaign.attempt(0), 2)));
    const auto facts = readFile(layout::factsFile(campaign.attempt(0)));
    REQUIRE(facts);
    CHECK(factsFromJson(*facts).value().ranks.size() == 2);
}

TEST_CASE("of the ranks that a process starts, as a launcher does, the first one's iterations are those of all")
{
    const Campaign campaign = campaignOf(runOfLauncher(3, 6), tinyLauncher());
    CHECK(campaign.startRunner().wait(kLong) == 0);
    CHECK(campaign.endsOf(0).at(0).state == RunState::done);
    for (const int process : {0, 1}) {
        CAPTURE(process);
        const auto samples = samplesOf(layout::spoolFile(campaign.attempt(0), process));
        REQUIRE(samples.size() == 6);
        for (const Sample& sample : samples) {
            CHECK(sample.ofRanks == 2 - process);
            CHECK(sample.items == 8 * (2 - process));
            CHECK(sample.loss == 1 + 2 * process); // each rank's loss is its number and 1
        }
    }
    CHECK(runner::processesOf(campaign.attempt(0)).empty());
}

TEST_CASE("where something has taken the agreed port meanwhile, the run's end says so, and nothing is left")
{
    const std::string script = "import socket, sys, time\n"
                               "rank, address = int(sys.argv[1]), (sys.argv[2], int(sys.argv[3]))\n"
                               "while rank == 1:\n" // it is held until rank 0 starts
                               "    try:\n"
                               "        taken = socket.create_server(address)\n"
                               "        time.sleep(1000)\n"
                               "    except OSError:\n"
                               "        time.sleep(0.01)\n"
                               "while socket.socket().connect_ex(address):\n"
                               "    time.sleep(0.1)\n"
                               "socket.create_server(address)\n";
    Engine engine;
    engine.title = "Late";
    engine.command = {findProgram("python3"), "-uc", script, "{rank}", "{first_address}", "{first_port}"};
    const Campaign campaign = campaignOf(makeRun(kRanks, 6, {{"engine", std::string("late")}}), {{"late", engine}});
    CHECK(campaign.startRunner().wait(kLong) == 0);
    const JournalEvent end = campaign.endsOf(0).at(0);
    CHECK(end.state == RunState::failed);
    CHECK(end.rank == 0);
    CHECK(jobs::sentenceOf(end.reason).find("Address already in use") != std::string::npos);
    CHECK(runner::processesOf(campaign.attempt(0)).empty());
}

TEST_CASE("a user's own script finds its data beside it, and leaves its results there")
{
    const TemporaryFolder folder;
    REQUIRE(makePrivateFolder(folder / "nets"));
    REQUIRE(writeFileAtomically(folder / "nets/steps.txt", "6"));
    REQUIRE(writeFileAtomically(folder / "nets/train.py",
                                "steps = int(open('steps.txt').read())\n"
                                "print('ringside 1 begin rank=0 ranks=1 scope=rank batch=8 pid=1 {}')\n"
                                "for i in range(steps):\n" +
                                    kPrintRecord + "open('weights', 'w').write('trained')\n"));
    const auto campaign = carriedOut(ofOwnScript(), {{"script.script", (folder / "nets/train.py").string()}});
    CHECK(campaign->endsOf(0).front().state == RunState::done);
    CHECK(readFile(folder / "nets/weights").value_or("") == "trained");
}

TEST_CASE("a run whose script lies in no folder that can be entered says so")
{
    const auto campaign = carriedOut(ofOwnScript(), {{"script.script", std::string("/nowhere/train.py")}});
    CHECK(campaign->endsOf(0).front().state == RunState::failed);
    CHECK(jobs::sentenceOf(campaign->endsOf(0).front().reason)
              .find("cannot be started in /nowhere: No such file or directory.") != std::string::npos);
}

TEST_CASE("records are found beside a progress bar that shares the log with them")
{
    const auto campaign = trainedByScript("import sys\n"
                                          "print('ringside 1 begin rank=0 ranks=1 scope=rank batch=8 pid=1 {{}}')\n"
                                          "for i in range(6):\n"
                                          "    sys.stderr.write('\\r %d%%|##    |' % (i * 16))\n"
                                          "    sys.stderr.flush()\n" +
                                          kPrintRecord);
    CHECK(samplesIn(layout::spoolFile(campaign->attempt(0), 0)) == 6);
}

TEST_CASE("the libraries of a process that does not report them are those that it has loaded")
{
    const auto campaign =
        trainedByScript("import ctypes, os, sys, time\n"
                        "ctypes.CDLL('libgomp.so.1')\n"
                        "print('ringside 1 begin rank=0 ranks=1 scope=rank batch=8 pid=1 {{}}')\n"
                        "end = time.monotonic() + 30\n"
                        "while not os.path.exists(sys.argv[1] + '/facts.json') and time.monotonic() < end:\n"
                        "    time.sleep(0.01)\n"
                        "for i in range(6):\n" +
                        kPrintRecord);
    const auto text = readFile(layout::factsFile(campaign->attempt(0)));
    REQUIRE(text);
    const Facts facts = factsFromJson(*text).value();
    REQUIRE(facts.model.contains("libraries"));
    CHECK(facts.model.at("libraries").find("\"libgomp.so.1") != std::string::npos);
    CHECK(facts.model.at("program").find("python") != std::string::npos);
}

TEST_CASE("a run's version is the one that its driver reports, and the installed one where nothing of it ran")
{
    const auto factsWith = [](const std::string& told) {
        const auto campaign = trainedByScript("print('ringside 1 begin rank=0 ranks=1 scope=rank batch=8 pid=1 {{" +
                                                  told + "}}')\nfor i in range(6):\n" + kPrintRecord,
                                              {}, "2.21.0");
        return factsFromJson(readFile(layout::factsFile(campaign->attempt(0))).value_or("")).value();
    };
    const Facts changed = factsWith(R"("framework": "script", "version": "2.22.1")");
    CHECK(changed.system == "Script 2.22.1");
    CHECK(changed.versions.at("Script") == "2.22.1");
    CHECK(changed.versions.at("installed") == "2.21.0");

    const Facts other = factsWith(R"("framework": "script", "version": "3.15.0", "base": "2.21.0")");
    CHECK(other.system == "Script 3.15.0");
    CHECK_FALSE(other.versions.contains("installed"));

    for (const char* told : {"", R"("version": "of the script")", R"("framework": "script", "version": "")"}) {
        const Facts untold = factsWith(told);
        CHECK(untold.system == "Script 2.21.0");
        CHECK_FALSE(untold.versions.contains("installed"));
    }
}

TEST_CASE("lines that count from 1 are the iterations that were asked for, and those behind them none")
{
    const auto campaign = trainedByScript(
        "import time\n"
        "print('ringside 1 begin rank=0 ranks=1 scope=rank batch=8 pid=1 {{\"iterations\": \"lines\", "
        "\"first_iteration\": 1}}')\n"
        "for i in range(1, 8):\n"
        "    time.sleep(0.01)\n"
        "    print('Iteration %d (100 iter/s, 0.01s/1 iters)' % i)\n",
        {{"Iteration {iteration} ({iterations_per_second} iter/s, {seconds}s/{} iters)", "interval", "rank"}});
    const auto samples = samplesOf(layout::spoolFile(campaign->attempt(0), 0));
    REQUIRE(samples.size() == 6);
    for (std::uint32_t i = 0; i < 6; ++i)
        CHECK(samples[i].seq == i);
}

TEST_CASE("a sample of more items than a spool holds is not left out in silence: its reader refuses it")
{
    const auto campaign = trainedByScript(
        "import time\n"
        "for i in range(6):\n"
        "    time.sleep(0.01)\n"
        "    print('Iteration %d: %d items of 1 iterations in 0.01 s' % (i, 5000000000 if i == 2 else 8))\n",
        {{"Iteration {iteration}: {items} items of {iterations} iterations in {seconds} s", "interval", "rank"}});
    const auto samples = samplesOf(layout::spoolFile(campaign->attempt(0), 0));
    REQUIRE(samples.size() == 6);
    CHECK(samples[1].items == 8);
    CHECK(refusalOfSpooled(samples[2]) == RefusedRecord{2, "items"});
    CHECK(!refusalOfSpooled(samples[3]));
}

TEST_CASE("what a system without a driver prints of several iterations is recorded, and a number of all as such")
{
    const auto trainedBy = [](const std::string& lines, const std::string& scope) {
        Engine engine;
        engine.title = "Speedometer";
        engine.version = "1.0";
        engine.command = {findProgram("python3"),
                          (sourceFolder() / "tests/runner/speedometer.py").string(),
                          "{iterations}",
                          "{batch_per_rank}",
                          "{rank}",
                          lines};
        engine.lines = {
            {"Epoch[{epoch}] Batch [{previous_iteration}-{iteration}] Speed: {items_per_second} samples/sec",
             "interval", scope},
            {"Epoch[{epoch}] Time cost={seconds}", "epoch", scope}};
        const Settings settings{{"engine", std::string("speedometer")}, {"batch_per_rank", std::int64_t{32}}};
        auto campaign = std::make_unique<Campaign>(std::vector{makeRun(kRanks, 70, settings)}, std::nullopt, "mpirun",
                                                   testworkerPath(), fs::path(),
                                                   std::map<std::string, Engine>{{"speedometer", engine}});
        CHECK(campaign->startRunner().wait(kLong) == 0);
        REQUIRE(campaign->endsOf(0).size() == 1);
        CHECK(campaign->endsOf(0).front().state == RunState::done);
        return campaign;
    };
    const auto each = trainedBy("each", "rank");
    for (int rank = 0; rank < kRanks; ++rank) {
        const auto samples = samplesOf(layout::spoolFile(each->attempt(0), rank));
        REQUIRE(samples.size() == 3); // two of the first epoch, without four of its batches, and one of the second
        CHECK(samples[2].seq == 59);
        for (const Sample& sample : samples) {
            CHECK(sample.iterations == 20);
            CHECK(sample.ofRanks == 1);
            CHECK(sample.items == 640);
            CHECK(sample.told == PhaseSet{});
            CHECK(sample.lengthNs() == doctest::Approx(20 * 10e6).epsilon(0.5)); // 10 ms each
        }
        CHECK(samples[1].startNs > samples[0].endNs() - 100'000'000); // a line is read when the guard looks
    }
    const auto facts = readFile(layout::factsFile(each->attempt(0)));
    REQUIRE(facts);
    CHECK(factsFromJson(*facts).value().versions.at("Speedometer") == "1.0");

    const auto first = trainedBy("first", "all");
    const auto samples = samplesOf(layout::spoolFile(first->attempt(0), 0));
    REQUIRE(samples.size() == 3);
    CHECK(samples[0].ofRanks == kRanks);
    CHECK(samples[0].items == 640 * kRanks);
    CHECK(samplesIn(layout::spoolFile(first->attempt(0), 1)) == 0);

    const auto last = trainedBy("last", "all"); // as Megatron prints
    CHECK(samplesIn(layout::spoolFile(last->attempt(0), 0)) == 0);
    CHECK(samplesIn(layout::spoolFile(last->attempt(0), 1)) == 3);
    const auto factsOfLast = readFile(layout::factsFile(last->attempt(0)));
    REQUIRE(factsOfLast);
    CHECK(factsFromJson(*factsOfLast).value().ranks.size() == kRanks);
}
