// SPDX-License-Identifier: MIT
// How near plans that lose something, or do not wait, come to a minimum that an exact plan reaches (convergeprobe.cpp).
#include "agent/worker/collectives/communicator.h"
#include "agent/worker/collectives/rankgroup.h"
#include "core/spec/plans.h"
#include "tests/worker/plans/plansfortests.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace ringside;
using namespace std::chrono_literals;

namespace {

constexpr const char* kIterations = "300"; // an exact plan leaves 3e-7 then

/// How much more may be left than by an exact plan, in parts of what there was at first. What compression holds back
/// is still on its way at any time, the more the longer the steps: 1 bit leaves 1e-3.
constexpr const char* kBound = "0.005";
/// Of servers that wait for nobody: a rank that is through leaves the minimum to the others, who take it to be where a
/// sixteenth of the first excess is left.
constexpr const char* kLooseBound = "0.1";

/// `options` are the probe's.
int exitCodeOf(int ranks, const std::vector<AggregationPlan>& plans, const char* bound,
               const std::vector<std::string>& options = {})
{
    std::vector<std::string> command{CONVERGE_PROBE};
    command.insert(command.end(), options.begin(), options.end());
    command.insert(command.end(), {kIterations, bound});
    for (const auto& plan : plans)
        command.push_back(toJson(plan).dump());
    auto group = RankGroup::start(ranks + plans.front().serverRanks(), command);
    REQUIRE(group);
    const auto code = group->wait(300s);
    INFO((code ? "" : code.error().message)); // that they hung, or were too slow
    REQUIRE(code);
    return *code;
}

bool noMpi()
{
    if (mpiVersion().empty())
        MESSAGE("skipped: built without MPI");
    return mpiVersion().empty();
}

/// Within which bound plans come to the minimum.
struct Claim
{
    std::vector<AggregationPlan> plans;
    const char* bound;
    std::vector<std::string> options;
};

void check(int ranks, const Claim& claim)
{
    if (!noMpi())
        CHECK(exitCodeOf(ranks, claim.plans, claim.bound, claim.options) == 0);
}

/// Presets that lose something, as they are. None of them has servers.
std::vector<AggregationPlan> lossyPresets()
{
    std::vector<AggregationPlan> plans;
    for (const spec::BuiltInPlan& known : spec::builtInPlans())
        if (!known.plan.isExact())
            plans.push_back(known.plan);
    return plans;
}

/// Every compression with each way to add up, to make and to order messages.
std::vector<AggregationPlan> compressedPlans()
{
    std::vector<AggregationPlan> plans;
    for (const auto compression : kCompressions)
        for (const auto collective : test::kSums)
            for (const auto& [grouping, schedule] : {std::pair(Grouping::buckets, Schedule::overlapped),
                                                     {Grouping::fusion, Schedule::overlapped},
                                                     {Grouping::perTensor, Schedule::priority}})
                if (const auto plan = test::planOf(collective, grouping, schedule, compression);
                    !plan.isExact() && !whyNotComposed(plan))
                    plans.push_back(plan);
    return plans;
}

std::vector<AggregationPlan> servedPlans(bool asynchronous)
{
    std::vector<AggregationPlan> plans;
    for (const auto compression : kCompressions)
        for (const auto& [grouping, schedule] :
             {std::pair(Grouping::buckets, Schedule::overlapped), {Grouping::perTensor, Schedule::priority}}) {
            auto plan = test::servedPlan(2, grouping, schedule, compression);
            plan.asynchronous = asynchronous;
            if (!plan.isExact() && !whyNotComposed(plan))
                plans.push_back(plan);
        }
    return plans;
}

Claim presets()
{
    return {lossyPresets(), kBound, {}};
}

Claim compressions()
{
    return {compressedPlans(), kBound, {}};
}

Claim served()
{
    return {servedPlans(false), kBound, {}};
}

Claim servedAsynchronously()
{
    return {servedPlans(true), kLooseBound, {}};
}

AggregationPlan cutPlan(Compression compression, bool asynchronous)
{
    auto plan = test::servedPlan(2, Grouping::buckets, Schedule::overlapped, compression);
    plan.asynchronous = asynchronous;
    return plan;
}

Claim cut()
{
    return {{cutPlan(Compression::onebit, false)}, kBound, {"cut"}};
}

Claim cutAsynchronously()
{
    return {{cutPlan(Compression::none, true), cutPlan(Compression::onebit, true)}, kLooseBound, {"cut"}};
}

} // namespace

TEST_CASE("presets that lose something come to the minimum of an exact plan")
{
    CHECK(lossyPresets().size() >= 3); // CNTK's 1-bit SGD, SINGA's half and sparse
    check(2, presets());
}

TEST_CASE("every compression does so, however messages are made, ordered and added up")
{
    check(2, compressions());
}

TEST_CASE("with servers every compression does so, too")
{
    check(2, served());
}

TEST_CASE("servers that wait for nobody come near, whatever the compression")
{
    check(2, servedAsynchronously());
}

TEST_CASE("both do so with a unit that is cut over the servers, whose losses are kept shard by shard")
{
    check(2, cut());
}

TEST_CASE("all of them do so on 4 ranks, too" * doctest::test_suite("thorough"))
{
    for (const Claim& claim : {presets(), compressions(), served(), servedAsynchronously(), cut(), cutAsynchronously()})
        check(4, claim);
    check(2, cutAsynchronously());
}

TEST_CASE("a plan that loses gradients for good is found out by the same problem")
{
    if (noMpi())
        return;
    for (const auto compression : {Compression::onebit, Compression::topk}) {
        const auto plan = test::planOf(Collective::allreduce, Grouping::buckets, Schedule::overlapped, compression);
        INFO(plan.name);
        CHECK(exitCodeOf(2, {plan}, kBound, {"forgetting"}) == 1); // 4 % are left by 1 bit, 15 % by top-k
    }
}

TEST_CASE("one that holds back nearly all is found out by the loose bound, too")
{
    if (noMpi())
        return;
    auto plan = test::planOf(Collective::allreduce, Grouping::buckets, Schedule::overlapped, Compression::topk);
    plan.topkPpm = 1;
    CHECK(exitCodeOf(2, {plan}, kLooseBound) == 1);
    auto served = test::servedPlan(1, Grouping::buckets, Schedule::overlapped, Compression::topk);
    served.topkPpm = 1;
    CHECK(exitCodeOf(2, {served}, kLooseBound) == 1);
}
