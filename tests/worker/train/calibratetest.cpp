// SPDX-License-Identifier: MIT
// A calibration as the runner starts it, and the canaries of a training.
#include "agent/worker/calibrate/coldfile.h"
#include "core/base/clock.h"
#include "core/model/costfit.h"
#include "core/protocol/facts.h"
#include "core/protocol/states.h"
#include "tests/support/built.h"
#include "tests/worker/train/attempt.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <sys/stat.h>

using namespace ringside;
using ringside::test::Attempt;

namespace {

/// The tests' main switches canaries off.
struct WithCanary
{
    WithCanary() { unsetenv("RINGSIDE_CANARY"); }
    ~WithCanary() { setenv("RINGSIDE_CANARY", "none", 1); }
};

/// Returns the wall clock's time of a stamp of this computer's monotonic clock.
std::int64_t wallNsOf(std::int64_t monotonic)
{
    const auto wall = std::chrono::system_clock::now().time_since_epoch();
    return toNs(wall) - (monotonicNs() - monotonic);
}

/// Returns when the first picture of a set was written, by the wall clock.
std::int64_t firstPictureNs(const fs::path& set)
{
    std::int64_t first = INT64_MAX;
    for (const auto& entry : fs::recursive_directory_iterator(set)) {
        struct stat times
        {
        };
        REQUIRE(stat(entry.path().c_str(), &times) == 0);
        if (entry.path().extension() == ".jpg")
            first = std::min<std::int64_t>(first, times.st_mtim.tv_sec * 1'000'000'000 + times.st_mtim.tv_nsec);
    }
    REQUIRE(first < INT64_MAX);
    return first;
}

constexpr std::int64_t kReadingNs = 450'000'000; // of a canary, at the least; then it all-reduces

void checkRate(const RankRate& rate, double least)
{
    CHECK(rate.lowest > least);
    CHECK(rate.median >= rate.lowest);
}

/// Larger messages take longer, and cost more by the fit; how much longer is the machine's matter. A busy one may leave
/// one piece of it flat: a message of 100 MB can be as quick as one of 64.
void checkLink(const LinkCost& link, int ranks = 2)
{
    CHECK(link.ranks == ranks);
    REQUIRE(link.times.size() >= 10);
    CHECK(link.times.front().bytes == 4096);
    CHECK(link.times.front().seconds > 0);
    CHECK(link.times.back().seconds > link.times.front().seconds);
    CHECK(model::asymptoticBandwidth(link.segments) > 0);
}

Calibration calibrated(Attempt& attempt)
{
    attempt.command = "calibrate";
    attempt.worker = test::testProgram("calibrationworker");
    attempt.run.settings["engine"] = std::string(kCalibrationEngine);
    attempt.run.iterations = kCalibrationSteps;
    attempt.run.warmup = 0;
    REQUIRE(attempt.exitCode() == exitcode::kDone);
    const auto facts = factsFromJson(attempt.facts());
    REQUIRE(facts);
    REQUIRE(facts->calibration);
    CHECK(facts->ranks.size() == static_cast<std::size_t>(attempt.run.ranks()));
    return *facts->calibration;
}

} // namespace

TEST_CASE("two ranks calibrate their cores, their disk and the link between them")
{
    const WithCanary canary;
    Attempt attempt(2);
    const Calibration found = calibrated(attempt);
    CHECK(found.ranks == 2);
    CHECK(found.nodes == 1);
    CHECK(found.coresPerRank == 1);
    checkRate(found.gemmFlops, 1e8);
    checkRate(found.memoryBytes, 1e7);
    checkRate(found.diskBytes, 1e5);
    CHECK(found.diskHow.find("page cache") != std::string::npos);
    REQUIRE(found.links.size() == 2);
    for (const LinkOperation operation : {LinkOperation::pingPong, LinkOperation::allReduce}) {
        const LinkCost* link = found.link(LinkLevel::node, operation);
        REQUIRE(link);
        checkLink(*link);
    }
    for (int rank : {0, 1}) {
        const auto spool = attempt.spool(rank);
        CHECK(spool.samples.size() == kCalibrationSteps);
        CHECK(spool.canaries.size() == 2);
        REQUIRE(spool.end);
        CHECK(spool.end->exitCode == exitcode::kDone);
    }
}

TEST_CASE("four ranks on two nodes calibrate the links inside a node, between the nodes and of all")
{
    Attempt attempt(4);
    attempt.run.settings["nodes"] = std::int64_t{2};
    attempt.options = {"a", "a", "b", "b"}; // hosts
    const Calibration found = calibrated(attempt);
    CHECK(found.ranks == 4);
    CHECK(found.nodes == 2);
    REQUIRE(found.links.size() == 5); // of all an all-reduce only
    for (const LinkLevel level : {LinkLevel::node, LinkLevel::nodes, LinkLevel::all})
        for (const LinkOperation operation : {LinkOperation::pingPong, LinkOperation::allReduce}) {
            const LinkCost* link = found.link(level, operation);
            const bool isMeasured = level != LinkLevel::all || operation == LinkOperation::allReduce;
            REQUIRE((link != nullptr) == isMeasured);
            if (link)
                checkLink(*link, level == LinkLevel::all ? 4 : 2);
        }
}

TEST_CASE("one rank has no links to calibrate")
{
    Attempt attempt(1);
    const Calibration found = calibrated(attempt);
    CHECK(found.links.empty());
    checkRate(found.gemmFlops, 1e8);
    CHECK(attempt.spool(0).samples.size() == kCalibrationSteps);
    CHECK(attempt.spool(0).canaries.empty()); // none was wanted
}

TEST_CASE("a training has a canary before its first iteration and one after its last; one rank of the node reads")
{
    const WithCanary canary;
    Attempt attempt(2);
    REQUIRE(attempt.exitCode() == exitcode::kDone);
    for (int rank : {0, 1}) {
        const auto spool = attempt.spool(rank);
        REQUIRE(spool.canaries.size() == 2);
        for (const Canary& each : spool.canaries) {
            CHECK((each.readBytesPerSecond > 0) == (rank == 0));
            CHECK(each.allReduceNs > 0);
        }
        CHECK_FALSE(spool.canaries[0].after);
        CHECK(spool.canaries[1].after);
        REQUIRE_FALSE(spool.samples.empty());
        CHECK(spool.canaries[0].atNs < spool.samples.front().startNs);
        CHECK(spool.canaries[1].atNs >= spool.samples.back().endNs());
    }
}

TEST_CASE("a canary is over before pictures are prepared, whose threads would disturb it")
{
    const WithCanary canary;
    Attempt attempt(2);
    attempt.run.settings["data"] = std::string("synthetic-files");
    attempt.run.settings["pictures"] = std::int64_t{20};
    REQUIRE(attempt.exitCode() == exitcode::kDone);
    const std::int64_t written = firstPictureNs(attempt.folder() / "data/synthetic-files-v1-20");
    for (const int rank : {0, 1})
        CHECK(wallNsOf(attempt.spool(rank).canaries.at(0).atNs) + kReadingNs < written);
}

TEST_CASE("the file that is read for its speed is made once")
{
    const test::TemporaryFolder folder;
    const auto file = provideColdFile(folder / "data");
    REQUIRE(file);
    CHECK(fs::file_size(*file) == kColdFileBytes);
    const auto made = fs::last_write_time(*file);
    CHECK(provideColdFile(folder / "data").value() == *file);
    CHECK(fs::last_write_time(*file) == made);
    const auto read = readCold(*file, std::chrono::seconds(60));
    REQUIRE(read);
    CHECK(read->bytes == kColdFileBytes);
    CHECK(read->bytesPerSecond() > 0);
    CHECK(read->fromStorage >= 0);
    CHECK(read->fromStorage <= 1);
    CHECK_FALSE(readCold(folder / "absent", std::chrono::seconds(1)));
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    CHECK(readCold(folder / "pipe", std::chrono::seconds(1)).error().code == ErrorCode::damaged); // without waiting
}
