// SPDX-License-Identifier: MIT
#include "tests/support/built.h"
#include "tests/worker/plans/plansfortests.h"
#include "tests/worker/plans/probing.h"

#include <doctest/doctest.h>

using namespace ringside;
using ringside::test::exitCodeOf;
using ringside::test::joined;
using ringside::test::noMpi;
using ringside::test::Trials;
using ringside::test::trialsOf;

namespace {

constexpr double kRounds = 1e-6; ///< what any rounding is off by, at the least

Trials exactSums()
{
    Trials trials;
    for (const auto collective : test::sums())
        trials = joined({trials, trialsOf(test::exactPlans(collective), kExactTolerance)});
    return trials;
}

/// Trials of a network in which two layers share a weight, whose gradient is there last.
Trials sharedWeights()
{
    Trials trials = trialsOf(test::exactPlans(Collective::allreduce), kExactTolerance);
    trials.front().least = 1e-12; // there is something to be off by
    return test::withModel("gpt2", trials);
}

/// Off by the compression's rounding, and by no more.
Trials rounded(const AggregationPlan& plan)
{
    const double tolerance = toleranceOf(plan.compression);
    return trialsOf({plan}, tolerance, tolerance > kExactTolerance ? kRounds : 0);
}

AggregationPlan bucketsBy(Collective collective, Compression compression)
{
    return test::planOf(collective, Grouping::buckets, Schedule::overlapped, compression);
}

/// By each compression that rounds.
Trials roundedBy(Collective collective, int servers = 1)
{
    Trials trials;
    for (AggregationPlan plan : test::plansOf(collective, Grouping::buckets, Schedule::overlapped)) {
        plan.servers = servers;
        if (rounds(plan.compression))
            trials = joined({trials, rounded(plan)});
    }
    return trials;
}

Trials roundedSums()
{
    Trials trials;
    for (const auto collective : test::sums())
        trials = joined({trials, roundedBy(collective)});
    return trials;
}

/// Plans in which the first ranks of nodes sum between the nodes.
Trials onTwoNodes()
{
    const auto exact = trialsOf(test::exactPlans(Collective::hierarchical), kExactTolerance);
    return test::onNodes(2, joined({exact, roundedBy(Collective::hierarchical)}));
}

AggregationPlan servedBuckets(int servers, Compression compression)
{
    return test::servedPlan(servers, Grouping::buckets, Schedule::overlapped, compression);
}

/// Weights after three iterations, of which the later ones have momentum.
Trials served(int servers)
{
    return joined(
        {trialsOf(test::exactServedPlans(servers), kExactTolerance), roundedBy(Collective::parameterServer, servers)});
}

/// Trials of a network with a unit that is cut over the servers: alone or with others, and with priority one beside
/// what is left of its bucket.
Trials cut(int servers)
{
    std::vector<AggregationPlan> plans;
    for (const auto& [grouping, schedule] : {std::pair(Grouping::perTensor, Schedule::overlapped),
                                             {Grouping::buckets, Schedule::overlapped},
                                             {Grouping::one, Schedule::afterBackward},
                                             {Grouping::perTensor, Schedule::priority}})
        plans.push_back(test::servedPlan(servers, grouping, schedule));
    plans.back().chunkBytes = kDefaultChunkBytes;
    const auto half = rounded(servedBuckets(servers, Compression::fp16));
    return test::withModel("wide", joined({trialsOf(plans, kExactTolerance), half}));
}

} // namespace

TEST_CASE("gradients of several ranks are those of one rank with the joined batch, for every plan")
{
    if (noMpi())
        return;
    CHECK(exitCodeOf(test::testProgram("gradientprobe"), 2, joined({exactSums(), roundedSums(), sharedWeights()})) ==
          0);
    CHECK(exitCodeOf(test::testProgram("gradientprobe"), 4, joined({exactSums(), roundedSums(), onTwoNodes()})) == 0);
}

TEST_CASE("they are so on two nodes of which one has fewer ranks, and without MPI, too")
{
    CHECK(exitCodeOf(test::testProgram("gradientprobe"), 3, joined({exactSums(), onTwoNodes()}), Meeting::tcp) == 0);
    CHECK(exitCodeOf(test::testProgram("gradientprobe"), 4, onTwoNodes(), Meeting::tcp) == 0);
    if (!noMpi())
        CHECK(exitCodeOf(test::testProgram("gradientprobe"), 3, onTwoNodes()) == 0);
}

TEST_CASE("gradients and weights that are off are found out")
{
    const auto plan = bucketsBy(Collective::allreduce, Compression::fp16);
    CHECK(exitCodeOf(test::testProgram("gradientprobe"), 2, trialsOf({plan}, kRounds), Meeting::tcp) == 1);
    CHECK(exitCodeOf(test::testProgram("serverprobe"), 2, trialsOf({servedBuckets(1, Compression::fp16)}, kRounds),
                     Meeting::tcp) == 1);
}

TEST_CASE("a hierarchical sum hands over what has to go inside a node, and between nodes what has to go there")
{
    const auto exitCode = [](int ranks, std::vector<std::string> words) {
        words.insert(words.begin(), test::testProgram("nodesprobe"));
        return exitCodeOf(ranks, words, Meeting::tcp);
    };
    CHECK(exitCode(4, {"2:3,1,3,1",         // up or to the sum, between, down
                       "1:2,1,1,1"}) == 0); // no other node to speak to
    CHECK(exitCode(3, {"2:3,1,1",           // the last one speaks for itself alone
                       "3:1,1,1"}) == 0);   // no other rank to speak for
    CHECK(exitCode(2, {"1:1,1"}) == 1);
}

TEST_CASE("servers make of the ranks' gradients the weights of one rank with the joined batch, for every plan")
{
    if (noMpi())
        return;
    for (const int ranks : {2, 4}) {
        INFO(ranks << " ranks");
        CHECK(exitCodeOf(test::testProgram("serverprobe"), ranks, served(1)) == 0);
        CHECK(exitCodeOf(test::testProgram("serverprobe"), ranks, joined({served(2), cut(2)})) == 0);
    }
}

TEST_CASE("a single rank may have servers, too")
{
    if (noMpi())
        return;
    const auto plan = test::servedPlan(2, Grouping::perTensor, Schedule::overlapped);
    auto asynchronous = plan;
    asynchronous.asynchronous = true; // with no other rank to be overtaken by
    const auto trials = trialsOf({plan, asynchronous}, 1e-6);
    CHECK(exitCodeOf(test::testProgram("serverprobe"), 1, joined({trials, test::withModel("wide", trials)})) == 0);
}

TEST_CASE("asynchronous servers wait for no rank that waits for another of them")
{
    if (noMpi())
        return;
    CHECK(exitCodeOf(5, {test::testProgram("circleprobe")}) == 0);
}

// CI runs the self-test, which does the same between 3.
TEST_CASE("collectives between 2 and 4 processes carry data" * doctest::test_suite("thorough"))
{
    if (noMpi())
        return;
    for (const int ranks : {2, 4})
        CHECK(exitCodeOf(ranks, {test::builtProgram("ringside-worker"), "selftest", "--rank"}) == 0);
}

TEST_CASE("a rank that cannot find its peers fails the check instead of passing it")
{
    CHECK(exitCodeOf(1, {test::builtProgram("ringside-worker"), "selftest", "--rank"}) == 1);
}
