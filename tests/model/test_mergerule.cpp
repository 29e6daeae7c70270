// SPDX-License-Identifier: MIT
// The merge rule on cases worked out by hand, and against all groupings there are.
#include "core/model/mergerule.h"

#include <doctest/doctest.h>
#include <numeric>
#include <random>

using namespace ringside::model;

namespace {

/// latency + bytes · perByte.
MessageCost linear(double latency, double perByte)
{
    return [=](std::uint64_t bytes) { return bytes ? latency + static_cast<double>(bytes) * perByte : 0; };
}

using Gradients = std::vector<ReadyGradient>;

double exposed(const Gradients& gradients, const Groups& groups, const MessageCost& cost)
{
    return exchangeOf(gradients, groups, cost).exposed;
}

Groups each(const Gradients& gradients)
{
    return Groups(gradients.size(), 1);
}

/// Bit i of `cuts`: a message ends after gradient i.
Groups cutAt(unsigned cuts, std::size_t gradients)
{
    Groups groups{0};
    for (std::size_t i = 0; i < gradients; ++i) {
        ++groups.back();
        if (i + 1 < gradients && cuts >> i & 1)
            groups.push_back(0);
    }
    return groups;
}

double leastEnd(const Gradients& gradients, const MessageCost& cost)
{
    double least = exchangeOf(gradients, {gradients.size()}, cost).end;
    for (unsigned cuts = 0; cuts < 1u << (gradients.size() - 1); ++cuts)
        least = std::min(least, exchangeOf(gradients, cutAt(cuts, gradients.size()), cost).end);
    return least;
}

Gradients randomGradients(std::mt19937& random, std::size_t count)
{
    Gradients gradients;
    double at = 0;
    for (std::size_t i = 0; i < count; ++i) {
        at += 1e-3 * static_cast<double>(1 + random() % 100) / 20;
        gradients.push_back({at, 1000 + random() % 4'000'000});
    }
    return gradients;
}

} // namespace

TEST_CASE("what an exchange costs, by hand")
{
    const Gradients gradients = {{1, 10}, {2, 10}, {5, 10}};
    const MessageCost cost = linear(1, 0.1); // 2 s a gradient alone
    // 1 to 3, 3 to 5, 5 to 7; backward ends at 5
    CHECK(exchangeOf(gradients, {1, 1, 1}, cost).end == doctest::Approx(7));
    CHECK(exposed(gradients, {1, 1, 1}, cost) == doctest::Approx(2));
    CHECK(exposed(gradients, {3}, cost) == doctest::Approx(4));    // 5 to 9
    CHECK(exposed(gradients, {2, 1}, cost) == doctest::Approx(2)); // 2 to 5, 5 to 7
    CHECK(exposed({}, {}, cost) == 0);
}

TEST_CASE("messages that never meet are left alone")
{
    const Gradients gradients = {{1, 10}, {4, 10}, {7, 10}}; // a message of 2 s is over before the next is ready
    CHECK(mergeGradients(gradients, linear(1, 0.1)) == each(gradients));
}

TEST_CASE("what waits for the message before it goes with its neighbour")
{
    // The first takes 1 to 21; by then all others are ready, and one message in place of three saves two latencies.
    const Gradients gradients = {{1, 100}, {12, 10}, {13, 10}, {14, 10}};
    CHECK(mergeGradients(gradients, linear(10, 0.1)) == Groups{1, 3});
}

TEST_CASE("a message waits for a gradient that is ready within the latency it saves, and no longer")
{
    const MessageCost cost = linear(1, 0.1);
    CHECK(mergeGradients(Gradients{{1, 100}, {1.9, 10}}, cost) == Groups{2});
    CHECK(mergeGradients(Gradients{{1, 100}, {2.1, 10}}, cost) == Groups{1, 1});
}

TEST_CASE("no latency, nothing to merge but what waits; all latency, one message")
{
    const Gradients gradients = {{1, 50}, {2, 50}, {3, 50}, {4, 50}};
    CHECK(mergeGradients(gradients, linear(0, 0.01)) == each(gradients));
    CHECK(mergeGradients(gradients, linear(100, 0)) == Groups{4});
    CHECK(mergeGradients({}, linear(1, 1)).empty());
}

TEST_CASE("the best grouping of none, of one, and where latency is all")
{
    CHECK(bestGroups({}, linear(1, 1)).empty());
    CHECK(bestGroups(Gradients{{1, 10}}, linear(1, 0.1)) == Groups{1});
    CHECK(bestGroups(Gradients{{1, 50}, {2, 50}, {3, 50}}, linear(100, 0)) == Groups{3});
}

TEST_CASE("each grouping by measured times has its rule, and no other has one")
{
    const Gradients gradients = {{1, 50}, {2, 50}, {3, 50}};
    for (const auto& grouping : ringside::kGroupingWords) {
        const MergeRule rule = mergeRuleOf(grouping.part);
        REQUIRE((rule != nullptr) == (grouping.grouped == ringside::Grouped::byTimes));
        if (rule)
            CHECK(rule(gradients, linear(100, 0)) == Groups{3});
    }
    CHECK((mergeRuleOf(ringside::Grouping::merged) != mergeRuleOf(ringside::Grouping::optimal)));
}

TEST_CASE("gradients without bytes are carried along")
{
    const Gradients gradients = {{1, 100}, {1.5, 0}, {1.8, 100}, {9, 0}};
    const Groups groups = mergeGradients(gradients, linear(1, 0.01));
    CHECK(std::accumulate(groups.begin(), groups.end(), std::size_t{0}) == gradients.size());
    CHECK(exposed(gradients, groups, linear(1, 0.01)) == 0);
}

TEST_CASE("by the model it is never worse than a message each or one for all, and within 10 % of the best there is")
{
    std::mt19937 random(1);
    double worst = 1;
    for (int i = 0; i < 500; ++i) {
        const Gradients gradients = randomGradients(random, 9);
        // from 10 to 1,000 µs of latency, and 10 GB/s down to 100 Mbit/s
        const MessageCost cost =
            linear(1e-5 * (1 + static_cast<double>(random() % 100)), 1e-10 * (1 + static_cast<double>(random() % 800)));
        const double end = exchangeOf(gradients, mergeGradients(gradients, cost), cost).end;
        CHECK(end <= exchangeOf(gradients, each(gradients), cost).end * (1 + 1e-12));
        CHECK(end <= exchangeOf(gradients, {gradients.size()}, cost).end * (1 + 1e-12));
        const double best = exchangeOf(gradients, bestGroups(gradients, cost), cost).end;
        CHECK(best == doctest::Approx(leastEnd(gradients, cost)));
        worst = std::max(worst, end / best);
    }
    MESSAGE("worst of 500 against all groupings: " << worst);
    CHECK(worst <= 1.1);
}
