// SPDX-License-Identifier: MIT
// Bytes that ranks send over TCP, as the mesh counts them, against the formula with TCP's ways to sum. Over MPI:
// wirebytestest.cpp.
#include "agent/worker/collectives/traffic.h"
#include "agent/worker/models/models.h"
#include "agent/worker/plans/units.h"
#include "agent/worker/plans/wirebytes.h"
#include "core/spec/plans.h"
#include "tests/worker/plans/plansfortests.h"
#include "tests/worker/plans/sent.h"

#include <algorithm>
#include <array>
#include <doctest/doctest.h>
#include <iterator>
#include <numeric>

using namespace ringside;

namespace {

using Plans = std::vector<AggregationPlan>;

constexpr int kIterations = 2;

std::vector<test::Sent> sentBy(int ranks, const Plans& plans, int nodes = 1)
{
    auto trials = test::onNodes(nodes, test::trialsOf(plans, test::kAnyError)); // asynchronous updates are no steps
    for (test::Trial& trial : trials)                                           // of one big batch
        trial.iterations = kIterations;
    return test::sentIn(ranks, trials, Meeting::tcp);
}

/// Returns how many numbers travel together, each time.
std::vector<std::size_t> unitsOfLenet(const AggregationPlan& plan)
{
    std::vector<std::uint64_t> bytes;
    const auto model = findModel("lenet")->make({.classes = 10});
    for (const auto& parameter : model->parameters())
        bytes.push_back(parameter.value.nbytes());
    std::vector<std::size_t> numbers;
    for (const auto& group : groupTensors(plan, bytes)) {
        numbers.push_back(0);
        for (const auto tensor : group)
            numbers.back() += bytes[tensor] / sizeof(float);
    }
    return numbersOf(unitsOf(plan, numbers));
}

/// Returns the bytes of an iteration.
std::uint64_t expected(const std::vector<int>& ranksOfNodes, const AggregationPlan& plan,
                       const SumAlgorithms& sums = kTcpSums)
{
    std::uint64_t total = 0;
    for (const std::size_t numbers : unitsOfLenet(plan))
        total += wireBytes(plan, numbers, ranksOfNodes, sums);
    return total;
}

/// Returns the bytes of all iterations' all-reduces, by the groups that were made, which have to hold all gradients.
std::uint64_t expectedOf(const std::vector<std::uint64_t>& handedOver, int ranks, const AggregationPlan& plan)
{
    const auto bytesOfNumber = static_cast<std::size_t>(wordsOf(plan.compression).bits / 8);
    std::uint64_t total = 0, numbers = 0;
    for (const std::uint64_t bytes : handedOver) {
        numbers += bytes / bytesOfNumber;
        total += wireBytes(plan, bytes / bytesOfNumber, std::array{ranks}, kTcpSums);
    }
    const auto units = unitsOfLenet(plan);
    REQUIRE(numbers == std::uint64_t{kIterations} * std::accumulate(units.begin(), units.end(), std::uint64_t{0}));
    return total;
}

Plans plansOfFixedGroups()
{
    Plans plans = test::plansOfFixedGroups();
    for (const spec::BuiltInPlan& system : spec::builtInPlans())
        if (system.plan.collective != Collective::none && system.plan.serverRanks() == 0 &&
            system.plan.grouping != Grouping::fusion)
            plans.push_back(system.plan);
    std::erase_if(plans, &AggregationPlan::mergesLayers);
    return plans;
}

/// Numbers of LeNet are too few to be cut: a unit is one shard.
Plans plansOfServers()
{
    Plans plans;
    for (const auto compression : kCompressions)
        plans.push_back(test::servedPlan(2, Grouping::buckets, Schedule::overlapped, compression));
    plans.push_back(test::servedPlan(2, Grouping::one, Schedule::afterBackward));
    plans.push_back(test::servedPlan(2, Grouping::perTensor, Schedule::priority));
    plans.push_back(test::servedPlan(2, Grouping::perTensor, Schedule::overlapped));
    plans.back().asynchronous = true;
    return plans;
}

/// Ranks agree by a word of bits, which each rank gets from every other.
std::uint64_t agreementMessages(int ranks)
{
    return static_cast<std::uint64_t>(ranks * (ranks - 1));
}

/// All that is beside the gradients' bytes has to be agreements, to the byte. Returns how many.
std::uint64_t agreementsIn(const test::Sent& sent, std::uint64_t gradients, int ranks)
{
    REQUIRE(sent.bytes >= gradients);
    REQUIRE((sent.bytes - gradients) % (agreementMessages(ranks) * sizeof(std::uint64_t)) == 0);
    return (sent.bytes - gradients) / (agreementMessages(ranks) * sizeof(std::uint64_t));
}

} // namespace

TEST_CASE("over TCP the bytes that ranks send in an iteration are those of the formula, for every plan of fixed groups")
{
    bool isDearer = false; // somewhere: else the formula of rings would do
    for (const int ranks : {2, 4})
        for (const Plans& plans : {plansOfFixedGroups(), plansOfServers()}) {
            const auto sent = sentBy(ranks, plans);
            for (std::size_t i = 0; i < plans.size(); ++i) {
                INFO(ranks << " ranks, " << plans[i].name);
                CHECK(sent[i].bytes == kIterations * expected({ranks}, plans[i]));
                CHECK(sent[i].messages > 0);
                isDearer = isDearer || expected({ranks}, plans[i]) > expected({ranks}, plans[i], {});
            }
        }
    CHECK(isDearer);
}

TEST_CASE("over TCP a hierarchical plan on two nodes of two ranks sends the formula's bytes")
{
    const Plans plans = test::plansOf(Collective::hierarchical, Grouping::buckets, Schedule::overlapped);
    const auto sent = sentBy(4, plans, 2);
    for (std::size_t i = 0; i < plans.size(); ++i) {
        INFO(plans[i].name);
        CHECK(sent[i].bytes == kIterations * expected({2, 2}, plans[i]));
        CHECK(expected({2, 2}, plans[i]) > expected({2, 2}, plans[i], {})); // a node's sum is made by parts
    }
}

TEST_CASE("over TCP ranks that agree on what they have ready send that, and a word to each other for each agreement")
{
    auto plans = test::plansOf(Collective::allreduce, Grouping::perTensor, Schedule::priority);
    // Whatever it groups, that costs the same: by parts at any size.
    std::ranges::copy(test::plansOf(Collective::reduceScatterAllgather, Grouping::fusion, Schedule::overlapped),
                      std::back_inserter(plans));
    for (const int ranks : {2, 4}) {
        const auto sent = sentBy(ranks, plans);
        for (std::size_t i = 0; i < plans.size(); ++i) {
            INFO(ranks << " ranks, " << plans[i].name);
            CHECK(agreementsIn(sent[i], kIterations * expected({ranks}, plans[i]), ranks) >= 2);
        }
    }
}

TEST_CASE("over TCP all-reduces of groups that are made while training send the formula's bytes of these groups")
{
    Plans plans{spec::findBuiltInPlan("horovod")->plan, spec::findBuiltInPlan("horovod-old")->plan,
                spec::findBuiltInPlan("mg-wfbp")->plan, spec::findBuiltInPlan("mg-wfbp-rule")->plan};
    for (const auto grouping : {Grouping::fusion, Grouping::optimal})
        for (const auto& plan : test::plansOf(Collective::allreduce, grouping, Schedule::overlapped))
            if (wordsOf(plan.compression).sum == CodeSum::onTheWay)
                plans.push_back(plan);
    for (const int ranks : {2, 4}) {
        const auto sent = sentBy(ranks, plans);
        for (std::size_t i = 0; i < plans.size(); ++i) {
            INFO(ranks << " ranks, " << plans[i].name);
            const std::uint64_t gradients = expectedOf(sent[i].handedOver, ranks, plans[i]);
            if (plans[i].grouping == Grouping::fusion)
                CHECK(agreementsIn(sent[i], gradients, ranks) >= 2);
            else
                CHECK(sent[i].bytes == gradients);
        }
    }
}
