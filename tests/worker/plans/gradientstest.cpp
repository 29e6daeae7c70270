// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/communicator.h"
#include "agent/worker/collectives/rankgroup.h"
#include "core/protocol/aggregationplan.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace ringside;
using namespace std::chrono_literals;

namespace {

bool noMpi()
{
    if (mpiVersion().empty())
        MESSAGE("skipped: built without MPI");
    return mpiVersion().empty();
}

int exitCodeOf(int ranks, const std::vector<std::string>& command)
{
    auto group = RankGroup::start(ranks, command);
    REQUIRE(group);
    const auto code = group->wait(120s);
    REQUIRE(code);
    return *code;
}

/// Several buckets even in a small model, some of a single tensor.
AggregationPlan planOf(Collective collective, Grouping grouping, Schedule schedule,
                       Compression compression = Compression::none)
{
    AggregationPlan plan;
    plan.name = fmt::format("{} {} {} {}", nameOf(collective), nameOf(grouping), nameOf(schedule), nameOf(compression));
    plan.collective = collective;
    plan.grouping = grouping;
    plan.firstBucketBytes = 1 << 10;
    plan.bucketCapBytes = 64 << 10;
    plan.schedule = schedule;
    plan.compression = compression;
    return plan;
}

std::vector<AggregationPlan> exactPlans()
{
    std::vector<AggregationPlan> plans;
    for (const auto collective : {Collective::allreduce, Collective::hierarchical, Collective::reduceScatterAllgather})
        for (const auto grouping : {Grouping::one, Grouping::perTensor, Grouping::buckets})
            for (const auto schedule : {Schedule::afterBackward, Schedule::overlapped})
                plans.push_back(planOf(collective, grouping, schedule));
    return plans;
}

} // namespace

TEST_CASE("gradients of several ranks are those of one rank with the joined batch, for every plan")
{
    if (noMpi())
        return;
    for (const int ranks : {2, 4})
        for (const AggregationPlan& plan : exactPlans()) {
            INFO(ranks << " ranks, " << plan.name);
            CHECK(exitCodeOf(ranks, {GRADIENT_PROBE, toJson(plan).dump(), "1e-5"}) == 0);
        }
}

TEST_CASE("gradients of 16 bits are off by their rounding, and by no more")
{
    if (noMpi())
        return;
    for (const auto& [compression, tolerance] : {std::pair(Compression::fp16, "2e-3"), {Compression::bf16, "2e-2"}})
        for (const auto collective :
             {Collective::allreduce, Collective::hierarchical, Collective::reduceScatterAllgather}) {
            const auto plan = planOf(collective, Grouping::buckets, Schedule::overlapped, compression);
            INFO(plan.name);
            CHECK(exitCodeOf(4, {GRADIENT_PROBE, toJson(plan).dump(), tolerance}) == 0);
            CHECK(exitCodeOf(4, {GRADIENT_PROBE, toJson(plan).dump(), "1e-6"}) == 1); // it does round
        }
}

TEST_CASE("collectives between 2 and 4 processes carry data")
{
    if (noMpi())
        return;
    for (const int ranks : {2, 4})
        CHECK(exitCodeOf(ranks, {RINGSIDE_BIN "/ringside-worker", "selftest", "--rank"}) == 0);
}

TEST_CASE("a rank that cannot find its peers fails the check instead of passing it")
{
    CHECK(exitCodeOf(1, {RINGSIDE_BIN "/ringside-worker", "selftest", "--rank"}) == 1);
}
