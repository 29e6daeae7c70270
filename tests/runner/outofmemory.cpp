// SPDX-License-Identifier: MIT
// The real worker with a batch that does not fit: refused before it begins, and killed for its memory while it trains.
#include "agent/runner/rankexit.h"
#include "core/protocol/memoryneed.h"
#include "tests/runner/campaignfixture.h"
#include "tests/support/built.h"

#include <doctest/doctest.h>
#include <fstream>
#include <unistd.h>

using namespace ringside;
using namespace ringside::test;

namespace {

constexpr std::chrono::milliseconds kEnd{120'000};
constexpr const char* kNoGroup = "skipped: no memory group can be made here, which takes cgroups of version 1 and root";

RunSpec lenet(int ranks, int batch, int imageSize, int iterations = 20)
{
    RunSpec run = makeRun(ranks, iterations);
    run.settings["model"] = std::string("lenet");
    run.settings["image_size"] = std::int64_t{imageSize};
    run.settings["batch_per_rank"] = std::int64_t{batch};
    run.settings["data"] = std::string("synthetic");
    if (ranks > 1)
        run.plan.collective = Collective::allreduce;
    return run;
}

Campaign campaignOf(std::vector<RunSpec> runs)
{
    return Campaign(std::move(runs), {}, "mpirun", builtProgram("ringside-worker"));
}

JournalEvent endOf(const Campaign& campaign, std::size_t run)
{
    const auto ends = campaign.endsOf(run);
    REQUIRE(ends.size() == 1);
    CHECK(ends[0].state == RunState::failed);
    CHECK(ends[0].cause == Cause::outOfMemory);
    return ends[0];
}

bool says(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

/// A memory group of this computer, without a limit at first.
class MemoryGroup
{
public:
    MemoryGroup()
        : m_folder(fmt::format("/sys/fs/cgroup/memory/ringside-test-{}", getpid()))
    {
        std::error_code ignored;
        fs::create_directory(m_folder, ignored);
    }
    ~MemoryGroup()
    {
        eventually(kEnd, [&] { return ::rmdir(m_folder.c_str()) == 0 || !fs::exists(m_folder); });
    }
    MemoryGroup(const MemoryGroup&) = delete;

    std::uint64_t used() const
    {
        std::uint64_t bytes = 0;
        std::ifstream(m_folder / "memory.usage_in_bytes") >> bytes;
        return bytes;
    }
    /// Its processes may have so many bytes together. False where they have more.
    bool limitTo(std::uint64_t bytes) const
    {
        std::ofstream limit(m_folder / "memory.limit_in_bytes");
        return static_cast<bool>(limit << bytes << std::flush);
    }

    bool isThere() const { return ::access((m_folder / "cgroup.procs").c_str(), W_OK) == 0; }

    Process startRunner(const Campaign& campaign) const
    {
        const std::string command = fmt::format("echo $$ > {}/cgroup.procs && exec {} run {}", m_folder.string(),
                                                agentPath().string(), campaign.folder().string());
        return {{"/bin/sh", "-c", command}, {}, layout::runnerLog(campaign.folder())};
    }

private:
    fs::path m_folder;
};

} // namespace

TEST_CASE("a batch that the worker refuses is the reason, with the largest that fits, on one rank and on two")
{
    const auto campaign = campaignOf({lenet(1, 1 << 20, 512), lenet(2, 1 << 20, 512)});
    REQUIRE(campaign.startRunner().wait(kEnd) == 0);
    for (const std::size_t run : {0, 1}) {
        const Reason reason = endOf(campaign, run).reason;
        CHECK(reason.number("exit_code") == exitcode::kOutOfMemory);
        const std::string said = reason.word("said");
        CAPTURE(said);
        CHECK(
            says(said, "lenet with a batch of 1048576 per rank and images of 512 pixels is refused: it needs about "));
        CHECK(says(said, " are free. The largest batch per rank that fits is about "));
        CHECK(said.ends_with(" an image."));
    }
}

TEST_CASE("a batch that fits into the computer, but not into what the group of its job leaves, is refused")
{
    const MemoryGroup group;
    if (!group.isThere()) {
        MESSAGE(kNoGroup);
        return;
    }
    REQUIRE(group.limitTo(1'200'000'000));
    const auto campaign = campaignOf({lenet(1, 8'000, 32)});
    REQUIRE(group.startRunner(campaign).wait(kEnd) == 0);
    const std::string said = endOf(campaign, 0).reason.word("said");
    CAPTURE(said);
    CHECK(says(said, "lenet with a batch of 8000 per rank and images of 32 pixels is refused"));
    CHECK(says(said, "The largest batch per rank that fits is about "));
}

TEST_CASE("servers are counted on the host that they share with ranks")
{
    RunSpec run = lenet(2, 16, 32);
    run.settings["model"] = std::string("resnet50");
    run.plan.collective = Collective::parameterServer;
    const MemoryNeed need = *memoryNeedOf(run);
    const MemoryGroup group;
    if (!group.isThere()) {
        MESSAGE(kNoGroup);
        return;
    }
    REQUIRE(group.limitTo(need.hostBytes(2, 0) + need.serverBytes / 2)); // enough for the ranks alone
    const auto campaign = campaignOf({run});
    REQUIRE(group.startRunner(campaign).wait(kEnd) == 0);
    const std::string said = endOf(campaign, 0).reason.word("said");
    CAPTURE(said);
    CHECK(says(said, "resnet50 with a batch of 16 per rank and images of 32 pixels is refused"));
    CHECK(says(said, " of that for servers, and "));
}

TEST_CASE("what training holds is not more than the estimate, and not much less, in 16 bits, too")
{
    RunSpec pictures = lenet(1, 8, 224, 2), words = lenet(1, 16, 32, 2);
    pictures.settings["model"] = std::string("googlenet");
    Settings lstm = words.settings;
    lstm["model"] = std::string("lstm");
    lstm["sequence_length"] = std::int64_t{256};
    lstm.erase("image_size");
    words.settings = lstm;
    std::vector runs{pictures, pictures, words, words};
    for (const std::size_t i : {1, 3}) {
        runs[i].id = RunId::random();
        runs[i].settings["precision"] = std::string("bf16");
    }
    runs[3].settings["batch_per_rank"] =
        std::int64_t{4}; // without AVX-512 an LSTM in bf16 takes a hundred times as long
    runs[3].settings["sequence_length"] = std::int64_t{32};
    const auto campaign = campaignOf(runs);
    REQUIRE(campaign.startRunner(1).wait(5 * kEnd) == 0); // an LSTM on few cores is slow, not hung
    for (std::size_t i = 0; i < runs.size(); ++i) {
        CAPTURE(i);
        const auto exit = runner::readRankExit(campaign.attempt(i), 0);
        REQUIRE(exit);
        CHECK(exit->code == 0);
        const std::uint64_t estimate = memoryNeedOf(runs[i])->hostBytes();
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // which hold more
        CHECK(exit->peakBytes < estimate);
#endif
        CHECK(exit->peakBytes > estimate / 2);
    }
}

TEST_CASE("a rank that is killed for its memory is reported with its batch and the largest that fits")
{
    constexpr int batch = 16'000;
    const MemoryGroup group;
    if (!group.isThere()) {
        MESSAGE(kNoGroup);
        return;
    }
    const auto campaign = campaignOf({lenet(1, batch, 32)});
    Process runner = group.startRunner(campaign);
    std::uint64_t limit =
        900'000'000; // it needs four times as much, and would be refused if it found less at its start
    REQUIRE(eventually(kEnd, [&] { return group.used() > limit / 2; }));
    while (!group.limitTo(limit))
        limit = group.used() + 50'000'000;
    REQUIRE(runner.wait(kEnd) == 0);
    const Reason reason = endOf(campaign, 0).reason;
    CHECK(reason.code == why::kOutOfMemory);
    CHECK(reason.number("batch") == batch);
    CHECK(reason.number("peak_bytes").value_or(0) > 0);
    const auto largest = reason.number("largest_batch");
    REQUIRE(largest);
    CHECK(*largest > 0);
    CHECK(*largest <= 0.8 * batch);
    const auto exit = runner::readRankExit(campaign.attempt(0), 0);
    REQUIRE(exit);
    CHECK(exit->peakBytes > limit / 2);
    CHECK(exit->peakBytes < 2 * limit); // pages of libraries may be counted elsewhere
}
