// SPDX-License-Identifier: MIT
// One rank of the real worker hangs, at a place of its iteration and under a plan: the verdict names it, and where.
//   RINGSIDE_HUNG_ALL      each rank at every place under every plan, in place of a few
//   RINGSIDE_HUNG_SCALE    by which share of the limits that users have (0.25 if not said)
#include "core/spec/plans.h"
#include "tests/runner/campaignfixture.h"
#include "tests/support/built.h"

#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>

using namespace ringside;
using namespace ringside::test;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kLong{300'000};
constexpr double kTimeScale = 0.25; // 15 s without progress; a busy machine keeps a healthy rank's heartbeat for 5 s
constexpr int kRanks = 2;

/// Place where it hangs, as the worker's --delay calls it, and in which phase its compute thread is then.
struct Place
{
    const char* delay;
    const char* phase;
};
constexpr Place kForward{"forward", "forward"}, kBackward{"hook", "backward"}, kLoader{"decode", "input_wait"},
    kExchange{"all-reduce", "comm_exposed"};

struct Case
{
    AggregationPlan plan;
    Place place;
    int victim; ///< its rank; the first one also reads the machine and meets the others
};

AggregationPlan planOf(const char* name)
{
    return spec::findBuiltInPlan(name)->plan;
}

/// Each way to aggregate, and what waits in it in another manner.
std::vector<AggregationPlan> plans()
{
    AggregationPlan priority = planOf("buckets");
    priority.name = "priority";
    priority.schedule = Schedule::priority;
    priority.chunkBytes = 64u << 10;
    AggregationPlan hierarchical = planOf("buckets-after");
    hierarchical.name = "hierarchical";
    hierarchical.collective = Collective::hierarchical;
    AggregationPlan loose = planOf("tensorflow-ps");
    loose.name = "asynchronous";
    loose.asynchronous = true;
    loose.servers = 2;
    return {planOf("one"),       planOf("buckets"),       priority, planOf("horovod"), hierarchical,
            planOf("cntk-1bit"), planOf("tensorflow-ps"), loose};
}

std::vector<Case> cases()
{
    const auto all = plans();
    if (!std::getenv("RINGSIDE_HUNG_ALL"))
        return {{all[0], kForward, 1}, {all[1], kExchange, 0}, {all[2], kLoader, 0}, {all[7], kBackward, 1}};
    std::vector<Case> cases;
    for (const AggregationPlan& plan : all)
        for (const Place& place : {kForward, kBackward, kLoader, kExchange})
            for (int victim = 0; victim < kRanks; ++victim)
                cases.push_back({plan, place, victim});
    return cases;
}

/// A worker of which one rank hangs in its ninth iteration, for longer than any limit.
fs::path hangingWorker(const TemporaryFolder& folder, const Case& hung)
{
    const fs::path worker = folder / "worker";
    std::ofstream(worker) << fmt::format("#!/bin/sh\n"
                                         "[ \"$OMPI_COMM_WORLD_RANK\" != {} ] || set -- \"$@\" --delay {}=600000@8\n"
                                         "exec {}/ringside-worker \"$@\"\n",
                                         hung.victim, hung.place.delay, builtPrograms().string());
    fs::permissions(worker, fs::perms::owner_all);
    return worker;
}

RunSpec lenet(const AggregationPlan& plan)
{
    RunSpec run = makeRun(kRanks, 1'000'000);
    run.settings["model"] = std::string("lenet");
    run.settings["image_size"] = std::int64_t{32};
    run.settings["batch_per_rank"] = std::int64_t{4};
    run.settings["data"] = std::string("synthetic-files");
    run.settings["pictures"] = std::int64_t{20};
    run.settings["decode_threads"] = std::int64_t{1};
    run.plan = plan;
    return run;
}

double timeScale()
{
    const char* scale = std::getenv("RINGSIDE_HUNG_SCALE");
    return scale ? std::atof(scale) : kTimeScale;
}

/// Returns whether the verdict names the victim, and what it did.
bool isNamed(const Case& hung)
{
    const TemporaryFolder folder;
    const Campaign campaign({lenet(hung.plan)}, {}, "mpirun", hangingWorker(folder, hung));
    Process runner = campaign.startRunner(timeScale());
    REQUIRE(runner.wait(kLong) == 0);
    REQUIRE(campaign.endsOf(0).size() == 1);
    const JournalEvent end = campaign.endsOf(0).front();
    MESSAGE(hung.plan.name, ", ", std::string(hung.place.delay), ", rank ", hung.victim, ": ", toText(end.reason));
    return end.cause == Cause::hung && end.rank == hung.victim && end.reason.word("phase") == hung.place.phase;
}

} // namespace

TEST_CASE("a rank that hangs is named, whatever it was at and whatever the others wait in")
{
    std::size_t named = 0;
    const std::vector<Case> all = cases();
    for (const Case& hung : all)
        named += isNamed(hung);
    CHECK(named + all.size() / 20 >= all.size());
}
