// SPDX-License-Identifier: MIT
// Plans that lose something, or do not wait, come near to a minimum that an exact plan reaches (convergeprobe.cpp).
#include "core/spec/plans.h"
#include "tests/support/built.h"
#include "tests/worker/plans/plansfortests.h"
#include "tests/worker/plans/probing.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <iterator>

using namespace ringside;
using ringside::test::joined;
using ringside::test::Trials;
using ringside::test::trialsOf;

namespace {

constexpr int kIterations = 300; ///< an exact plan leaves 3e-7 then

/// Bound for the excess over an exact plan, in parts of the first excess. The part that compression holds back
/// is still on its way at any time, the more the longer the steps: 1 bit leaves 1e-3.
constexpr double kBound = 0.005;
/// Bound for servers that wait for no rank: a rank that is through leaves the minimum to the others, who take it to be
/// where a sixteenth of the first excess is left.
constexpr double kLooseBound = 0.1;

/// Over TCP, whose ranks sleep while they wait for one another: by MPI they would take the cores from those waited for.
int exitCodeOf(int ranks, Trials trials)
{
    for (auto& trial : trials)
        trial.iterations = kIterations;
    return test::exitCodeOf(test::testProgram("convergeprobe"), ranks, trials, Meeting::tcp);
}

/// It is off by more than its bound.
Trials foundOut(const AggregationPlan& plan, double bound)
{
    return trialsOf({plan}, test::kAnyError, bound);
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
    for (const auto collective : test::sums())
        for (const auto& [grouping, schedule] : {std::pair(Grouping::buckets, Schedule::overlapped),
                                                 {Grouping::fusion, Schedule::overlapped},
                                                 {Grouping::perTensor, Schedule::priority}})
            std::ranges::copy_if(test::plansOf(collective, grouping, schedule), std::back_inserter(plans),
                                 &AggregationPlan::isLossy);
    return plans;
}

Trials compressed()
{
    return joined({trialsOf(lossyPresets(), kBound), trialsOf(compressedPlans(), kBound)});
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

Trials served()
{
    return joined({trialsOf(servedPlans(false), kBound), trialsOf(servedPlans(true), kLooseBound)});
}

AggregationPlan cutPlan(Compression compression, bool asynchronous)
{
    auto plan = test::servedPlan(2, Grouping::buckets, Schedule::overlapped, compression);
    plan.asynchronous = asynchronous;
    return plan;
}

/// Plans whose losses are stored shard by shard.
Trials cut()
{
    return test::withModel("cut", trialsOf({cutPlan(Compression::onebit, false)}, kBound));
}

Trials cutAsynchronously()
{
    return test::withModel(
        "cut", trialsOf({cutPlan(Compression::none, true), cutPlan(Compression::onebit, true)}, kLooseBound));
}

AggregationPlan bucketsBy(Compression compression)
{
    return test::planOf(Collective::allreduce, Grouping::buckets, Schedule::overlapped, compression);
}

/// 4 % are left by 1 bit, 15 % by top-k.
Trials losingForGood()
{
    Trials trials;
    for (const auto compression : kCompressions)
        if (wordsOf(compression).keepsLosses)
            trials = joined({trials, foundOut(bucketsBy(compression), kBound)});
    return test::withModel("forgetting", trials);
}

/// One number in a million.
AggregationPlan holdingBack(AggregationPlan plan)
{
    plan.topkPpm = 1;
    return plan;
}

} // namespace

TEST_CASE("presets that lose something, and every compression, come to the minimum of an exact plan")
{
    CHECK(lossyPresets().size() >= 3); // CNTK's 1-bit SGD, SINGA's half and sparse
    const Trials holding = foundOut(holdingBack(bucketsBy(Compression::topk)), kLooseBound);
    CHECK(exitCodeOf(2, joined({compressed(), losingForGood(), holding})) == 0); // it finds out the latter
}

TEST_CASE("with servers every compression does so, too, and servers that wait for no rank come near")
{
    CHECK(exitCodeOf(2, joined({served(), cut()})) == 0);
    const auto plan = test::servedPlan(1, Grouping::buckets, Schedule::overlapped, Compression::topk);
    CHECK(exitCodeOf(2, foundOut(holdingBack(plan), kLooseBound)) == 0);
}

TEST_CASE("all of them do so on 4 ranks, too" * doctest::test_suite("thorough"))
{
    CHECK(exitCodeOf(4, compressed()) == 0);
    CHECK(exitCodeOf(4, joined({served(), cut(), cutAsynchronously()})) == 0);
    CHECK(exitCodeOf(2, cutAsynchronously()) == 0);
}

TEST_CASE("a plan that does not come to the minimum fails")
{
    const auto plan = bucketsBy(Compression::topk);
    CHECK(exitCodeOf(2, test::withModel("forgetting", trialsOf({plan}, kBound))) == 1);
}
