// SPDX-License-Identifier: MIT
// An attempt ends before its last iteration: by the loss, by a signal, by the death of a rank.
#include "agent/worker/runtime/openspool.h"
#include "core/protocol/spool.h"
#include "core/protocol/states.h"
#include "tests/support/smalldisk.h"
#include "tests/worker/train/attempt.h"

#include <csignal>
#include <doctest/doctest.h>
#include <fstream>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

using namespace ringside;
using namespace std::chrono_literals;
using ringside::test::Attempt;
using ringside::test::ranksOf;
using ringside::test::servedBy;

namespace {

constexpr auto kEnd = 30s;    // the promise to the user: a lost rank ends the attempt within this
constexpr auto kWriting = 5s; // what ranks that mpirun ends have to write, on a busy machine

void setLong(Attempt& attempt)
{
    attempt.run.iterations = 10'000'000;
}

/// Waits until every rank has written samples.
void awaitSamples(const Attempt& attempt)
{
    for (int i = 0; i < 600; ++i) {
        bool all = true;
        for (int rank = 0; rank < attempt.run.ranks(); ++rank)
            all = all && !attempt.spool(rank).samples.empty();
        if (all)
            return;
        std::this_thread::sleep_for(100ms);
    }
    FAIL("no samples within a minute");
}

void checkTerminated(const Attempt& attempt, int rank)
{
    const auto spool = attempt.spool(rank);
    REQUIRE(spool.end);
    CHECK(spool.end->exitCode == exitcode::kTerminated);
    CHECK(spool.end->samples == spool.samples.size());
}

/// Until this thread of the process sleeps.
void awaitSleep(pid_t thread)
{
    std::string state;
    while (state != "S") {
        std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
        std::string number, name;
        file >> number >> name >> state;
    }
}

/// Child processes inherit it; libtorch's code alone takes a gigabyte.
class AddressSpace
{
public:
    explicit AddressSpace(std::uint64_t bytes)
    {
        getrlimit(RLIMIT_AS, &m_before);
        const rlimit limit{bytes, m_before.rlim_max};
        setrlimit(RLIMIT_AS, &limit);
    }
    ~AddressSpace() { setrlimit(RLIMIT_AS, &m_before); }
    AddressSpace(const AddressSpace&) = delete;
    AddressSpace& operator=(const AddressSpace&) = delete;

private:
    rlimit m_before{};
};

} // namespace

TEST_CASE("a loss that is not a number ends all ranks with 14")
{
    for (const int ranks : {1, 2}) {
        Attempt attempt(ranks);
        attempt.grace = kWriting;
        attempt.run.iterations = 1000;
        attempt.run.settings["learning_rate"] = 1000.0;
        CHECK(attempt.exitCode() == exitcode::kNotANumber);
        for (int rank = 0; rank < ranks; ++rank) {
            const auto spool = attempt.spool(rank);
            REQUIRE(spool.end);
            CHECK(spool.end->exitCode == exitcode::kNotANumber);
            CHECK(spool.samples.size() < 1000);
        }
    }
}

TEST_CASE("a batch that cannot fit is refused by name, with the largest that fits")
{
    Attempt attempt;
    attempt.run.settings["batch_per_rank"] = std::int64_t{1 << 20};
    attempt.run.settings["image_size"] = std::int64_t{512};
    const auto [code, said] = attempt.exitCodeAndWords();
    CHECK(code == exitcode::kOutOfMemory);
    CHECK_MESSAGE(said.find("a batch of 1048576 per rank") != std::string::npos, said);
    CHECK_MESSAGE(said.find("The largest batch per rank that fits is about") != std::string::npos, said);
    CHECK_MESSAGE(said.find("by an estimate") != std::string::npos, said);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // their shadow memory takes terabytes of addresses
TEST_CASE("memory that runs out while training names the batch and the largest that fits")
{
    Attempt attempt;
    attempt.run.settings["batch_per_rank"] = std::int64_t{16'000};
    const AddressSpace limit(std::uint64_t{3} << 29); // what the estimate before the start does not look at
    const auto [code, said] = attempt.exitCodeAndWords();
    CHECK(code == exitcode::kOutOfMemory);
    CHECK_MESSAGE(said.find("a batch of 16000 per rank and images of 32 pixels ran out of memory") != std::string::npos,
                  said);
    CHECK_MESSAGE(said.find("The largest batch per rank that fits is about") != std::string::npos, said);
}
#endif

TEST_CASE("SIGTERM ends a rank after its iteration with 143 and a complete spool")
{
    Attempt attempt;
    setLong(attempt);
    auto group = attempt.start();
    awaitSamples(attempt);
    kill(group.pid(), SIGTERM);
    CHECK(group.wait(kEnd).value() == exitcode::kTerminated);
    checkTerminated(attempt, 0);
}

TEST_CASE("SIGTERM to mpirun ends all ranks after the same iteration")
{
    Attempt attempt(2);
    attempt.grace = kWriting;
    setLong(attempt);
    auto group = attempt.start();
    awaitSamples(attempt);
    kill(group.pid(), SIGTERM);
    REQUIRE(group.wait(kEnd));
    checkTerminated(attempt, 0);
    checkTerminated(attempt, 1);
    CHECK(attempt.spool(0).samples.size() == attempt.spool(1).samples.size());
}

TEST_CASE("a killed rank ends the others, and their spools can be read")
{
    Attempt attempt(2);
    setLong(attempt);
    auto group = attempt.start();
    awaitSamples(attempt);
    const auto pids = ranksOf(group.pid(), 2);
    REQUIRE(pids.size() == 2);
    kill(pids[1], SIGKILL);
    const auto code = group.wait(kEnd);
    REQUIRE(code);
    CHECK(*code != 0);
    CHECK_FALSE(attempt.spool(0).samples.empty());
    CHECK_FALSE(attempt.spool(1).end); // no process could write it
}

TEST_CASE("with servers a loss that is not a number ends all, and is no server's")
{
    for (const bool asynchronous : {false, true}) {
        Attempt attempt(2);
        attempt.grace = kWriting;
        attempt.run.plan = servedBy(1, asynchronous);
        attempt.run.iterations = 1000;
        attempt.run.settings["learning_rate"] = 1000.0;
        CHECK(attempt.exitCode() == exitcode::kNotANumber);
        for (const int rank : {0, 1}) {
            REQUIRE(attempt.spool(rank).end);
            CHECK(attempt.spool(rank).end->exitCode == exitcode::kNotANumber);
            CHECK(attempt.spool(rank).samples.size() < 1000);
        }
        REQUIRE(attempt.spool(2).end);
        CHECK(attempt.spool(2).end->exitCode == exitcode::kDone);
    }
}

TEST_CASE("SIGTERM to mpirun ends ranks and servers, in step or not")
{
    for (const bool asynchronous : {false, true}) {
        Attempt attempt(2);
        attempt.grace = kWriting;
        attempt.run.plan = servedBy(2, asynchronous);
        setLong(attempt);
        auto group = attempt.start();
        awaitSamples(attempt);
        kill(group.pid(), SIGTERM);
        REQUIRE(group.wait(kEnd));
        for (int rank = 0; rank < attempt.run.processes(); ++rank)
            checkTerminated(attempt, rank);
    }
}

TEST_CASE("a killed rank or server ends the others, whether they go in step or not")
{
    for (const bool asynchronous : {false, true})
        for (const int victim : {1, 2}) {
            INFO("rank " << victim << ", asynchronous: " << asynchronous);
            Attempt attempt(2);
            attempt.run.plan = servedBy(2, asynchronous);
            setLong(attempt);
            auto group = attempt.start();
            awaitSamples(attempt);
            const auto pids = ranksOf(group.pid(), 4);
            REQUIRE(pids.size() == 4);
            kill(pids[std::size_t(victim)], SIGKILL);
            const auto code = group.wait(kEnd);
            REQUIRE(code);
            CHECK(*code != 0);
            CHECK_FALSE(attempt.spool(0).samples.empty());
            CHECK_FALSE(attempt.spool(victim).end);
        }
}

TEST_CASE("a stopped rank does not keep the others from being ended")
{
    Attempt attempt(2);
    setLong(attempt);
    auto group = attempt.start();
    awaitSamples(attempt);
    const auto pids = ranksOf(group.pid(), 2);
    REQUIRE(pids.size() == 2);
    kill(pids[1], SIGSTOP);
    std::this_thread::sleep_for(2s);
    const auto stuck = attempt.spool(0).samples.size();
    std::this_thread::sleep_for(1s);
    CHECK(attempt.spool(0).samples.size() == stuck); // rank 0 waits for its peer
    kill(group.pid(), SIGTERM);
    REQUIRE(group.wait(kEnd));
    CHECK_FALSE(attempt.spool(0).samples.empty());
}

TEST_CASE("a rank whose disk is full while it begins and ends writes everything once there is room")
{
    const ringside::test::TemporaryFolder folder;
    ringside::test::SmallDisk disk(folder.path(), 1024);
    if (!disk.problem().empty()) {
        MESSAGE("skipped: no small disk can be mounted here: ", disk.problem());
        return;
    }
    const ringside::test::TemporaryPlace place(folder.path());
    Attempt attempt;
    attempt.run.iterations = 20;
    auto group = attempt.start();
    disk.fill();
    CHECK_FALSE(group.wait(5s)); // it has trained, and waits
    CHECK(attempt.spool(0).samples.empty());
    disk.grow();
    CHECK(group.wait(kEnd).value() == exitcode::kDone);
    const auto spool = attempt.spool(0);
    CHECK(spool.samples.size() == 20);
    REQUIRE(spool.end);
    CHECK(spool.end->droppedSamples == 0);
    CHECK(!attempt.facts().empty());
}

TEST_CASE("a spool is not taken away while another thread completes it")
{
    const ringside::test::TemporaryFolder folder;
    ringside::test::SmallDisk disk(folder.path(), 64);
    if (!disk.problem().empty()) {
        MESSAGE("skipped: no small disk can be mounted here: ", disk.problem());
        return;
    }
    const fs::path file = folder / "rank-0.spool";
    auto recorder = Recorder::create(file, {FileId::random(), RunId::random(), 1, 0, 1, "alder", 1, 0});
    REQUIRE(recorder);
    OpenSpool spool;
    spool.open(**recorder);
    disk.fill();
    for (int i = 0; i < 100; ++i) // more than what is left of the file's page
        (*recorder)->add(Sample{});
    std::atomic<pid_t> waits = 0;
    {
        const std::jthread givesUp([&] {
            waits = gettid();
            waits.notify_all();
            spool.complete(exitcode::kTerminated);
        });
        waits.wait(0);
        awaitSleep(waits); // for room
        const std::jthread cleansUp([&] { disk.grow(); });
        spool.close();
        recorder->reset(); // while it is in use, if it could
    }
    const auto bytes = readFile(file);
    REQUIRE(bytes);
    std::optional<End> end;
    SpoolReader reader;
    REQUIRE(reader.feed(*bytes, [&](const Record& record) {
        if (const auto* found = std::get_if<End>(&record))
            end = *found;
    }));
    REQUIRE(end);
    CHECK(end->exitCode == exitcode::kTerminated);
}
