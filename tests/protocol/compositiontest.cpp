// SPDX-License-Identifier: MIT
// Rules on which parts of an aggregation plan go together.
#include "core/protocol/aggregationplan.h"

#include <doctest/doctest.h>
#include <functional>
#include <set>

namespace ringside::test {

namespace {

AggregationPlan composed(Collective collective, Grouping grouping, Schedule schedule, Compression compression)
{
    AggregationPlan plan;
    plan.name = "mine";
    plan.collective = collective;
    plan.grouping = grouping;
    plan.schedule = schedule;
    plan.compression = compression;
    return plan;
}

void forEachComposition(const std::function<void(const AggregationPlan&)>& visit)
{
    for (const Collective collective : kCollectives)
        for (const Grouping grouping : kGroupings)
            for (const Schedule schedule : kSchedules)
                for (const Compression compression : kCompressions)
                    if (collective != Collective::none)
                        visit(composed(collective, grouping, schedule, compression));
}

} // namespace

TEST_CASE("a refused composition says why and what to do; taking what it says ends in one that works")
{
    int works = 0, refused = 0;
    forEachComposition([&](const AggregationPlan& plan) {
        const auto why = whyNotComposed(plan);
        why ? ++refused : ++works;
        if (!why)
            return;
        CHECK(why->message.back() == '.');
        CHECK(why->hint.starts_with("Use the "));
        AggregationPlan mended = plan;
        if (why->hint.find("“overlapped”") != std::string::npos)
            mended.schedule = Schedule::overlapped;
        else if (why->hint.find("“allreduce”") != std::string::npos)
            mended.collective = Collective::allreduce;
        else
            mended.grouping = Grouping::perTensor;
        const auto next = whyNotComposed(mended);
        CHECK((!next || next->message != why->message));
    });
    // 14 ways to group and schedule, 11 on servers, times the compressions that go with each collective; further parts
    // bring further ones
    CHECK(works >= 207);
    CHECK(refused >= 213);
}

TEST_CASE("what cannot be composed")
{
    using enum Collective;
    using enum Schedule;
    const auto why = [](const AggregationPlan& plan) {
        const auto reason = whyNotComposed(plan);
        return reason ? reason->text() : "it can";
    };
    CHECK(why(composed(allreduce, Grouping::one, priority, Compression::none)) ==
          "schedule “priority” has nothing to put in order where all is one message. "
          "Use the grouping “per_tensor” or “buckets”.");
    CHECK(why(composed(allreduce, Grouping::fusion, afterBackward, Compression::none)) ==
          "grouping “fusion” merges what is ready during the backward pass, and cannot be combined with schedule "
          "“after_backward”. Use the schedule “overlapped”, or the grouping “buckets”.");
    CHECK(why(composed(allreduce, Grouping::optimal, priority, Compression::none)).starts_with("grouping “optimal”"));
    CHECK(why(composed(allreduce, Grouping::merged, priority, Compression::none)).starts_with("grouping “merged”"));
    CHECK(why(composed(hierarchical, Grouping::one, overlapped, Compression::topk))
              .starts_with("compression “topk” cannot be added up"));
    CHECK(why(composed(hierarchical, Grouping::one, overlapped, Compression::bf16)) == "it can");
    CHECK(why(composed(reduceScatterAllgather, Grouping::one, overlapped, Compression::onebit)) ==
          "compression “onebit” has a way of its own to add up parts, and it is the same with “allreduce”. "
          "Use the collective “allreduce”, or another compression.");
    CHECK(why(composed(reduceScatterAllgather, Grouping::one, overlapped, Compression::topk)) ==
          "compression “topk” leaves each rank with other places to sum; parts of them do not match. "
          "Use the collective “allreduce”, or another compression.");
    CHECK(why(composed(allreduce, Grouping::fusion, overlapped, Compression::fp16)) == "it can");
    CHECK(why(composed(allreduce, Grouping::fusion, overlapped, Compression::onebit)) ==
          "grouping “fusion” makes other messages in every iteration; what compression “onebit” loses of one cannot be "
          "added to the next. Use the grouping “per_tensor” or “buckets”, or the compression “fp16” or “bf16”.");
    CHECK(why(composed(parameterServer, Grouping::perTensor, priority, Compression::onebit)) == "it can");
    CHECK(why(composed(parameterServer, Grouping::fusion, overlapped, Compression::none)) ==
          "grouping “fusion” depends on what all ranks have ready; servers deal with each rank separately. Use the "
          "grouping “per_tensor” or “buckets”.");
    CHECK(why(AggregationPlan{}) == "it can");
}

TEST_CASE("asynchronous updates are for servers, and wait for no rank")
{
    using enum Collective;
    AggregationPlan plan = composed(allreduce, Grouping::buckets, Schedule::overlapped, Compression::none);
    plan.asynchronous = true;
    CHECK(whyNotComposed(plan)->message == "only a parameter server can update asynchronously.");
    plan.collective = parameterServer;
    CHECK_FALSE(whyNotComposed(plan));
    CHECK_FALSE(plan.isExact());
    plan.schedule = Schedule::priority;
    CHECK(whyNotComposed(plan)->hint == "Use the schedule “overlapped” or “after_backward”.");
    plan.asynchronous = false;
    CHECK_FALSE(whyNotComposed(plan));
    plan.servers = 0;
    CHECK(whyNotComposed(plan)->message == "a parameter server needs at least 1 server rank.");
}

TEST_CASE("members that do not count make no difference")
{
    AggregationPlan plan =
        composed(Collective::allreduce, Grouping::perTensor, Schedule::overlapped, Compression::fp16);
    const AggregationPlan same = plan;
    plan.servers = 7;
    plan.bucketCapBytes = 1;
    plan.fusionCycleUs = 1;
    plan.chunkBytes = 1;
    plan.topkPpm = 1;
    plan.bucketCount = 1;
    CHECK(plan != same);
    CHECK(onlyWhatCounts(plan) == same);
    forEachComposition([](const AggregationPlan& each) { CHECK(onlyWhatCounts(each) == each); });
}

} // namespace ringside::test
