// SPDX-License-Identifier: MIT
// The disk on which ranks of the real worker keep spools and logs fills up, at several moments: they train on, and once
// there is room everything is there. Where none comes they say so.
#include "tests/runner/campaignfixture.h"
#include "tests/support/built.h"
#include "tests/support/smalldisk.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <map>

using namespace ringside;
using namespace ringside::test;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kLong{120'000};
constexpr int kRanks = 2, kIterations = 400;
/// So often a rank has tried to write since the disk was full. The first try may have begun before; more would use up
/// the minute for which an end waits for room, where the machine is slow.
constexpr std::uint64_t kTries = 2;

RunSpec lenet(int iterations)
{
    RunSpec run = makeRun(kRanks, iterations);
    run.settings["model"] = std::string("lenet");
    run.settings["image_size"] = std::int64_t{32};
    run.settings["batch_per_rank"] = std::int64_t{4};
    run.settings["data"] = std::string("synthetic");
    run.plan.collective = Collective::allreduce;
    return run;
}

Campaign campaignIn(const fs::path& folder, int iterations)
{
    const TemporaryPlace place(folder);
    return Campaign({lenet(iterations)}, {}, "mpirun", builtProgram("ringside-worker"));
}

std::ptrdiff_t samplesOf(const Campaign& campaign, int rank)
{
    const auto records = readSpool(layout::spoolFile(campaign.attempt(0), rank));
    return std::ranges::count_if(records, [](const Record& r) { return std::holds_alternative<Sample>(r); });
}

/// Calls of write, successful or not, by a process; the most for one that has ended.
std::uint64_t writes(pid_t pid)
{
    const auto text = pid > 0 ? readFile(fmt::format("/proc/{}/io", pid)) : fail(ErrorCode::notFound, "");
    const auto at = text ? text->find("syscw:") : std::string::npos;
    return at == std::string::npos ? UINT64_MAX : std::strtoull(text->c_str() + at + 6, nullptr, 10);
}

bool isThere(const Campaign& campaign, int samples)
{
    for (int rank = 0; rank < kRanks; ++rank)
        if (!fs::exists(layout::spoolFile(campaign.attempt(0), rank)) || samplesOf(campaign, rank) < samples)
            return false;
    return true;
}

/// All ranks that have not ended have tried to write to the full disk; or the runner has, before there are any. Where a
/// rank has ended, its guard waits for room to say so, and the runner for that.
void awaitTries(const Campaign& campaign, const Process& runner)
{
    std::map<pid_t, std::uint64_t> before;
    const auto hasTried = [&](pid_t pid) {
        const auto [first, isNew] = before.try_emplace(pid, writes(pid));
        const auto now = writes(pid);
        return pid > 0 && !isNew && (now == UINT64_MAX || now >= first->second + kTries);
    };
    CHECK(eventually(kLong, [&] {
        const bool hasRunner = hasTried(runner.pid());
        const auto running = campaign.ranksThatRun(0);
        const auto tried = std::ranges::count_if(running, hasTried);
        return hasRunner || (isThere(campaign, 0) && tried == std::ssize(running));
    }));
}

/// By what of the attempt is there when the disk fills up.
const std::pair<const char*, bool (*)(const Campaign&)> kMoments[] = {
    {"before it begins", [](const Campaign& c) { return fs::exists(c.attempt(0)); }},
    {"when its spools are made", [](const Campaign& c) { return isThere(c, 0); }},
    {"while it trains", [](const Campaign& c) { return isThere(c, 1); }},
    {"before it ends", [](const Campaign& c) { return isThere(c, kIterations * 3 / 4); }}};

std::string logOf(const Campaign& campaign, int rank)
{
    return readFile(layout::rankLog(campaign.attempt(0), rank)).value_or("");
}

} // namespace

TEST_CASE("ranks of the real worker outlast a disk that fills up, whenever it does, and no sample is missing")
{
    for (const auto& [name, hasCome] : kMoments) {
        CAPTURE(name);
        const TemporaryFolder folder;
        SmallDisk disk(folder.path(), 4096);
        if (!disk.problem().empty()) {
            MESSAGE("skipped: no small disk can be mounted here: ", disk.problem());
            return;
        }
        const Campaign campaign = campaignIn(folder.path(), kIterations);
        Process runner = campaign.startRunner(1);
        REQUIRE(eventually(kLong, [&] { return hasCome(campaign); }));
        disk.fill();
        awaitTries(campaign, runner);
        disk.grow();
        CHECK(runner.wait(kLong) == 0);
        REQUIRE(campaign.endsOf(0).size() == 1);
        const JournalEvent end = campaign.endsOf(0).front();
        CHECK_MESSAGE(end.state == RunState::done, toText(end.reason));
        for (int rank = 0; rank < kRanks; ++rank) {
            CAPTURE(logOf(campaign, rank));
            CHECK(samplesOf(campaign, rank) == kIterations);
        }
    }
}
