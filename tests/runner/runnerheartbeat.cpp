// SPDX-License-Identifier: MIT
// The file between a runner and the guards of other nodes, and questions to programs.
#include "agent/runner/runnerheartbeat.h"
#include "agent/runner/command.h"
#include "agent/runner/procfs.h"
#include "core/protocol/layout.h"
#include "core/protocol/nodefolder.h"
#include "tests/runner/campaignfixture.h"
#include "tests/support/processstat.h"
#include "tests/support/runningtime.h"

#include <csignal>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>

using namespace ringside;
using namespace ringside::test;
using runner::RunnerHeartbeat;
using runner::RunnerHeartbeatReader;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kLong{30'000};

/// A guard on “another node”: a rank of its own session, tied by a heartbeat only.
Process guard(const fs::path& attempt, const std::string& rank, const std::string& command,
              const std::string& disk = "/tmp")
{
    return {{agentPath().string(), "rank", "--attempt", attempt.string(), "--runner-heartbeat",
             layout::runnerHeartbeatFile(attempt).string(), "--rank", rank, "--", "sh", "-c", command},
            {"RINGSIDE_ATTEMPT=" + attempt.string(), "SLURM_LOCALID=" + rank, "SLURM_TMPDIR=" + disk},
            attempt / ("guard-" + rank)};
}

/// Commands for it that say when they have begun.
constexpr const char* kObedient = ": >\"$RINGSIDE_ATTEMPT/began-$SLURM_LOCALID\"; sleep 100";
constexpr const char* kStubborn =
    "trap '' TERM; : >\"$RINGSIDE_ATTEMPT/began-$SLURM_LOCALID\"; while :; do sleep 1; done";

bool bothBegin(const fs::path& attempt)
{
    return eventually(kLong, [&] { return fs::exists(attempt / "began-0") && fs::exists(attempt / "began-1"); });
}

std::string exitOf(const fs::path& attempt, int rank)
{
    return readFile(layout::rankExit(attempt, rank)).value_or("");
}

} // namespace

TEST_CASE("a watched heartbeat goes on until it says stop, and states how much time the ranks have")
{
    const TemporaryFolder folder;
    auto heartbeat = RunnerHeartbeat::make(folder / "heartbeat");
    REQUIRE(heartbeat);
    CHECK_FALSE(RunnerHeartbeat::make(folder / "heartbeat")); // another attempt's
    RunnerHeartbeatReader watch(folder / "heartbeat", 3);
    for (int look = 0; look < 4; ++look) {
        CHECK_FALSE(watch.look());
        std::this_thread::sleep_for(milliseconds(1'100));
    }
    heartbeat->stop(milliseconds(1'500));
    heartbeat->stop(milliseconds(9'000));
    CHECK(eventually(kLong, [&] { return watch.look() == milliseconds(1'500); }));
}

TEST_CASE("a heartbeat that is not written any more counts as ended after some looks, not after some time")
{
    const TemporaryFolder folder;
    (void)RunnerHeartbeat::make(folder / "heartbeat"); // ends at once, like a runner that is killed
    RunnerHeartbeatReader watch(folder / "heartbeat", 3);
    for (int look = 0; look < 3; ++look)
        CHECK_FALSE(watch.look());
    CHECK(watch.look());
    RunnerHeartbeatReader missing(folder / "none", 2);
    CHECK_FALSE(missing.look());
    CHECK(missing.look());
}

TEST_CASE("the first guard of a node tells the others, and kills what does not end")
{
    const TemporaryFolder folder;
    const fs::path attempt = folder / "runs/11111111-1111-4111-8111-111111111111/attempt-1";
    REQUIRE(makePrivateFolder(attempt));
    auto heartbeat = RunnerHeartbeat::make(layout::runnerHeartbeatFile(attempt));
    REQUIRE(heartbeat);
    Process first = guard(attempt, "0", kObedient);
    Process second = guard(attempt, "1", kStubborn);
    REQUIRE(bothBegin(attempt));
    const RunningTime time;
    heartbeat->stop(milliseconds(2'000));
    CHECK(first.wait(kLong) == 128 + SIGTERM);
    CHECK(second.wait(kLong) == 128 + SIGKILL);
    CHECK(time.elapsed() < milliseconds(7'000));
    CHECK(exitOf(attempt, 0).find("\"told\":true") != std::string::npos);
    CHECK(exitOf(attempt, 1).find("\"told\":true") != std::string::npos);
}

TEST_CASE("what a rank leaves behind on a node ends with it, however it ended, and is told; other ranks go on")
{
    const TemporaryFolder folder;
    const fs::path attempt = folder / "runs/11111111-1111-4111-8111-111111111111/attempt-1";
    REQUIRE(makePrivateFolder(attempt));
    const auto heartbeat = RunnerHeartbeat::make(layout::runnerHeartbeatFile(attempt));
    REQUIRE(heartbeat);
    Process other = guard(attempt, "1", ": >\"$RINGSIDE_ATTEMPT/began-1\"; exec sleep 100");
    REQUIRE(eventually(kLong, [&] { return fs::exists(attempt / "began-1"); }));
    const auto ofRanks = [&] { return runner::processesOf(attempt, runner::kRankVariable).size(); };
    const std::size_t ofOther = 1;
    REQUIRE(ofRanks() == ofOther);
    const std::string goesOn = "setsid sh -c \"trap '' TERM; : >$RINGSIDE_ATTEMPT/behind-$SLURM_LOCALID; sleep 100\" & "
                               "until [ -e $RINGSIDE_ATTEMPT/behind-$SLURM_LOCALID ]; do sleep 0.1; done; ";
    Process clean = guard(attempt, "0", goesOn + "exit 0");
    CHECK(clean.wait(kLong) == 0);
    CHECK(exitOf(attempt, 0).find("\"went_on\":2") != std::string::npos);
    CHECK(ofRanks() == ofOther);
    Process killed = guard(attempt, "2", goesOn + "kill -9 $$");
    CHECK(killed.wait(kLong) == 128 + SIGKILL);
    CHECK(exitOf(attempt, 2).find("\"signal\":9") != std::string::npos);
    CHECK(ofRanks() == ofOther);
    Process bare = guard(attempt, "3", "(setsid env -i sleep 98765 & sleep 1); exit 0"); // without a mark
    CHECK(bare.wait(kLong) == 0);
    CHECK(exitOf(attempt, 3).find("\"went_on\":1") != std::string::npos);
    CHECK(processesWith("98765").empty());
    other.signal(SIGTERM);
    CHECK(other.wait(kLong) == 128 + SIGTERM);
}

TEST_CASE("a rank that has ended before its guard reads a request to end was not told")
{
    const TemporaryFolder folder;
    const fs::path attempt = folder / "runs/11111111-1111-4111-8111-111111111111/attempt-1";
    REQUIRE(makePrivateFolder(attempt));
    const auto heartbeat = RunnerHeartbeat::make(layout::runnerHeartbeatFile(attempt));
    REQUIRE(heartbeat);
    Process slow = guard(attempt, "0", "echo $$ >\"$RINGSIDE_ATTEMPT/pid\"; exec sleep 100");
    pid_t rank = 0;
    REQUIRE(eventually(kLong, [&] { return (rank = std::atoi(readFile(attempt / "pid").value_or("").c_str())) > 0; }));
    ::kill(slow.pid(), SIGSTOP); // as on a machine that gives it no core
    REQUIRE(eventually(kLong, [&] { return readProcessStat(slow.pid()).value_or(ProcessStat{}).state == 'T'; }));
    ::kill(rank, SIGKILL);
    REQUIRE(eventually(kLong, [&] { return readProcessStat(rank).value_or(ProcessStat{}).state == 'Z'; }));
    ::kill(slow.pid(), SIGTERM);
    ::kill(slow.pid(), SIGCONT);
    CHECK(slow.wait(kLong) == 128 + SIGKILL);
    CHECK(exitOf(attempt, 0).find("\"told\":false") != std::string::npos);
}

TEST_CASE("a rank that is being killed when its guard is told to end was not told")
{
    const TemporaryFolder folder;
    const fs::path attempt = folder / "runs/11111111-1111-4111-8111-111111111111/attempt-1";
    REQUIRE(makePrivateFolder(attempt));
    const auto heartbeat = RunnerHeartbeat::make(layout::runnerHeartbeatFile(attempt));
    REQUIRE(heartbeat);
    // the kernel takes some time for the memory of a process, in which it is neither alive nor reported
    Process large = guard(attempt, "0",
                          "exec python3 -c \"import os, time; held = b'x' * (1 << 29); "
                          "open(os.environ['RINGSIDE_ATTEMPT'] + '/pid', 'w').write(str(os.getpid())); "
                          "time.sleep(100)\"");
    pid_t rank = 0;
    REQUIRE(eventually(kLong, [&] { return (rank = std::atoi(readFile(attempt / "pid").value_or("").c_str())) > 0; }));
    ::kill(rank, SIGKILL);
    ::kill(large.pid(), SIGTERM);
    CHECK(large.wait(kLong) == 128 + SIGKILL);
    CHECK(exitOf(attempt, 0).find("\"told\":false") != std::string::npos);
}

TEST_CASE("a rank that is dying of its own error when its runner goes was not told")
{
    const TemporaryFolder folder;
    const fs::path attempt = folder / "runs/11111111-1111-4111-8111-111111111111/attempt-1";
    REQUIRE(makePrivateFolder(attempt));
    const fs::path pipe = folder / "control";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    Descriptor control(::open(pipe.c_str(), O_RDWR | O_CLOEXEC));
    REQUIRE(control.get() >= 0);
    Process large({agentPath().string(), "rank", "--attempt", attempt.string(), "--control", pipe.string(), "--rank",
                   "0", "--", "python3", "-c",
                   "import os, signal\n"
                   "signal.signal(signal.SIGUSR1, lambda *_: os._exit(1))\n"
                   "held = b'x' * (1 << 29)\n"
                   "open(os.environ['RINGSIDE_ATTEMPT'] + '/pid', 'w').write(str(os.getpid()))\n"
                   "while True: signal.pause()\n"},
                  {"RINGSIDE_ATTEMPT=" + attempt.string()}, attempt / "guard-0");
    pid_t rank = 0;
    REQUIRE(eventually(kLong, [&] { return (rank = std::atoi(readFile(attempt / "pid").value_or("").c_str())) > 0; }));
    ::kill(rank, SIGUSR1);
    const auto isExiting = [&] { return runner::isDying(rank); };
    REQUIRE(eventually(kLong, isExiting));
    control = Descriptor();
    CHECK(large.wait(kLong) == 1);
    CHECK(exitOf(attempt, 0).find("\"told\":false") != std::string::npos);
}

TEST_CASE("the last guard of a node removes what its ranks kept on the node's disk, the first what others left there")
{
    const TemporaryFolder folder, disk;
    const fs::path attempt = folder / "runs/11111111-1111-4111-8111-111111111111/attempt-1";
    REQUIRE(makePrivateFolder(attempt));
    REQUIRE(makePrivateFolder(disk / "ringside-22222222-3-data/pictures"));
    REQUIRE(writeFileAtomically(disk / "ringside-22222222-3-data" / kNodeFolderMark, ""));
    const auto heartbeat = RunnerHeartbeat::make(layout::runnerHeartbeatFile(attempt));
    REQUIRE(heartbeat);
    const fs::path kept = disk / "ringside-11111111-1-data";
    const std::string keep = std::string("mkdir -p $RINGSIDE_NODE_FOLDER/pictures; touch $RINGSIDE_NODE_FOLDER/") +
                             kNodeFolderMark + "; exec flock -s $RINGSIDE_NODE_FOLDER sleep ";
    Process first = guard(attempt, "0", keep + "1", disk.path().string());
    REQUIRE(eventually(kLong, [&] { return fs::exists(kept / "pictures"); }));
    CHECK_FALSE(fs::exists(disk / "ringside-22222222-3-data"));
    Process second = guard(attempt, "1", keep + "4", disk.path().string());
    CHECK(first.wait(kLong) == 0);
    CHECK(fs::exists(kept));
    CHECK(second.wait(kLong) == 0);
    CHECK_FALSE(fs::exists(kept));
}

TEST_CASE("ranks end within 10 s of their runner's death, stubborn ones too")
{
    const TemporaryFolder folder;
    const fs::path attempt = folder / "runs/11111111-1111-4111-8111-111111111111/attempt-1";
    REQUIRE(makePrivateFolder(attempt));
    auto heartbeat = RunnerHeartbeat::make(layout::runnerHeartbeatFile(attempt));
    REQUIRE(heartbeat);
    Process first = guard(attempt, "0", kStubborn);
    Process second = guard(attempt, "1", kStubborn);
    REQUIRE(bothBegin(attempt));
    CHECK(exitOf(attempt, 0).empty());
    const RunningTime time;
    {
        const RunnerHeartbeat dead = std::move(*heartbeat);
    }
    CHECK(first.wait(kLong) == 128 + SIGKILL);
    CHECK(second.wait(kLong) == 128 + SIGKILL);
    CHECK(time.elapsed() < milliseconds(10'000));
}

TEST_CASE("a program is asked with its words intact, and its end is told apart")
{
    const auto said = runner::ask({"printf", "%s|", "a b", "$(id)", "it's"});
    REQUIRE(said);
    CHECK(said->output == "a b|$(id)|it's|");
    const std::vector<std::string> failing{"sh", "-c", "echo first >&2; echo why >&2; exit 3"};
    const auto failed = runner::ask(failing);
    REQUIRE(failed);
    CHECK(failed->code == 3);
    CHECK(runner::outputOf(failing, failed).error().message == "sh failed: why");
    const auto tellsOnlyTheCode = [](std::string_view line) { return line == "code 2"; };
    const std::vector<std::string> unseen{"sh", "-c", "echo why >&2; echo code 2 >&2; echo >&2; exit 2"};
    CHECK(runner::outputOf(unseen, runner::ask(unseen), tellsOnlyTheCode).error().message == "sh failed: why");
    CHECK(runner::outputOf(unseen, runner::ask(unseen)).error().message == "sh failed: code 2");
    const std::vector<std::string> silent{"sh", "-c", "echo code 2 >&2; exit 2"};
    CHECK(runner::outputOf(silent, runner::ask(silent), tellsOnlyTheCode).error().message == "sh failed: code 2");
    CHECK(runner::ask({"/no/such/program"}).error().code == ErrorCode::unavailable);
}

TEST_CASE("a program that does not answer is ended, with its children, unless it outlives us")
{
    const TemporaryFolder folder;
    const std::string mark = (folder / "done").string();
    const std::vector<std::string> slow{"sh", "-c", "sleep 1; touch " + mark + "; sleep 100"};
    CHECK(runner::ask(slow, {milliseconds(200)}).error().code == ErrorCode::timeout);
    std::this_thread::sleep_for(milliseconds(1'500));
    CHECK_FALSE(fs::exists(mark));
    const std::vector<std::string> lasting{"sh", "-c", "sleep 1; touch " + mark};
    CHECK(runner::ask(lasting, {milliseconds(200), true}).error().code == ErrorCode::timeout);
    CHECK(eventually(kLong, [&] { return fs::exists(mark); }));
}

TEST_CASE("a program that outlives us holds the lock that it inherits")
{
    const TemporaryFolder folder;
    const fs::path path = folder / "lock";
    const auto isFree = [&path] {
        const Descriptor again(::open(path.c_str(), O_RDWR | O_CLOEXEC));
        return ::flock(again.get(), LOCK_EX | LOCK_NB) == 0;
    };
    {
        const Descriptor ours(::open(path.c_str(), O_RDWR | O_CREAT, 0600));
        REQUIRE(::flock(ours.get(), LOCK_EX) == 0);
        const std::vector<std::string> lasting{"sleep", "2"};
        CHECK(runner::ask(lasting, {milliseconds(200), true}).error().code == ErrorCode::timeout);
    }
    CHECK_FALSE(isFree());
    CHECK(eventually(kLong, isFree));
}

TEST_CASE("what a program says is told by lines")
{
    std::vector<std::string> lines;
    const auto onLine = [&](std::string_view line) { lines.emplace_back(line); };
    const auto answer = runner::ask({"sh", "-c", "echo one; pwd >&2; printf rest"},
                                    {.folder = "/", .withErrors = true, .onLine = onLine});
    REQUIRE(answer);
    CHECK(answer->output == "one\n/\nrest");
    CHECK(answer->errors.empty());
    CHECK(lines == std::vector<std::string>{"one", "/", "rest"});
}

TEST_CASE("a program that never stops talking, or is not wanted any more, is ended")
{
    CHECK(runner::ask({"yes"}, {milliseconds(200)}).error().code == ErrorCode::timeout);
    int looks = 0;
    const auto look = [&]() -> Result<void> {
        return ++looks < 3 ? Result<void>() : fail(ErrorCode::cancelled, "Enough.");
    };
    CHECK(runner::ask({"sleep", "1000"}, {.limit = kLong, .look = look}).error().message == "Enough.");
}

TEST_CASE("variables can be withheld")
{
    ::setenv("SLURM_TEST_VARIABLE", "x", 1);
    const auto withhold = [](std::string_view name) { return name.starts_with("SLURM_"); };
    CHECK(runner::ask({"sh", "-c", "echo $SLURM_TEST_VARIABLE"}, {kLong, false, withhold})->output == "\n");
    CHECK(runner::ask({"sh", "-c", "echo $SLURM_TEST_VARIABLE"})->output == "x\n");
    ::unsetenv("SLURM_TEST_VARIABLE");
}
