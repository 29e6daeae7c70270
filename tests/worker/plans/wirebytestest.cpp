// SPDX-License-Identifier: MIT
// Bytes that ranks send, as Open MPI counts them message by message (for its monitoring component), against the
// formula.
#include "agent/worker/plans/wirebytes.h"
#include "agent/worker/plans/buckets.h"
#include "agent/worker/plans/servers/shards.h"
#include "agent/worker/plans/units.h"
#include "core/spec/plans.h"
#include "tests/worker/plans/plansfortests.h"
#include "tests/worker/plans/probing.h"
#include "tests/worker/plans/sent.h"

#include <algorithm>
#include <bit>
#include <doctest/doctest.h>
#include <fmt/ranges.h>
#include <iterator>
#include <map>
#include <numeric>
#include <span>

using namespace ringside;
using ringside::test::joined;
using ringside::test::noMpi;
using ringside::test::sentIn;
using ringside::test::Trial;
using ringside::test::Trials;

namespace {

/// Numbers of weights and biases from the first layer on.
using Network = std::vector<std::size_t>;
const Network kLeNet{450, 6, 2'400, 16, 48'000, 120, 10'080, 84, 840, 10};
const Network kWide{1'575'936, 513, 5'130, 10}; // serverprobe's

const Network& networkOf(const Trial& trial)
{
    return trial.model == "wide" ? kWide : kLeNet;
}

/// Numbers of LeNet are too few to be cut: a unit is one shard.
std::vector<AggregationPlan> plansOfServers()
{
    std::vector<AggregationPlan> plans;
    for (const auto compression : kCompressions)
        plans.push_back(test::servedPlan(2, Grouping::buckets, Schedule::overlapped, compression));
    plans.push_back(test::servedPlan(1, Grouping::perTensor, Schedule::overlapped));
    plans.push_back(test::servedPlan(1, Grouping::one, Schedule::afterBackward));
    plans.push_back(test::servedPlan(2, Grouping::perTensor, Schedule::priority));
    plans.push_back(test::servedPlan(2, Grouping::perTensor, Schedule::overlapped));
    plans.back().asynchronous = true;
    for (const auto compression : kCompressions)
        if (wordsOf(compression).keepsLosses) {
            plans.push_back(test::servedPlan(2, Grouping::buckets, Schedule::overlapped, compression));
            plans.back().asynchronous = true;
        }
    return plans;
}

/// The second bucket, of the first layer, is cut.
std::vector<AggregationPlan> plansThatCut()
{
    std::vector<AggregationPlan> plans;
    for (const auto compression : kCompressions)
        for (const bool asynchronous : {false, true}) {
            plans.push_back(test::servedPlan(2, Grouping::buckets, Schedule::overlapped, compression));
            plans.back().asynchronous = asynchronous;
        }
    return plans;
}

/// The studied systems' plans whose groups are the same in every iteration, but for those that are among `known`.
std::vector<AggregationPlan> systemsBeside(const std::vector<AggregationPlan>& known)
{
    const auto isAmong = [&](AggregationPlan plan) {
        return std::ranges::any_of(known, [&](const AggregationPlan& other) {
            plan.name = other.name;
            return plan == other;
        });
    };
    std::vector<AggregationPlan> plans;
    for (const spec::BuiltInPlan& system : spec::builtInPlans())
        if (system.plan.collective != Collective::none && system.plan.serverRanks() == 0 &&
            system.plan.grouping != Grouping::fusion && !isAmong(system.plan))
            plans.push_back(system.plan);
    return plans;
}

Trials trialsOf(const std::vector<AggregationPlan>& plans, int iterations = 2)
{
    Trials trials = test::trialsOf(plans, test::kAnyError); // asynchronous updates are no steps of one big batch
    for (Trial& trial : trials)
        trial.iterations = iterations;
    return trials;
}

/// Numbers of what travels by itself to where it is added up.
std::vector<std::size_t> messagesOf(const AggregationPlan& plan, const Network& network)
{
    std::vector<std::uint64_t> bytes;
    for (const auto count : network)
        bytes.push_back(4 * count);
    std::vector<std::size_t> buckets;
    for (const auto& group : groupTensors(plan, bytes)) {
        buckets.push_back(0);
        for (const auto tensor : group)
            buckets.back() += network[tensor];
    }
    const auto units = numbersOf(unitsOf(plan, buckets));
    if (plan.serverRanks() == 0)
        return units;
    std::vector<std::size_t> messages;
    for (const auto& shards : shardsOf(units, plan.serverRanks()))
        for (const Shard& shard : shards)
            messages.push_back(shard.count);
    return messages;
}

int ranksIn(const std::vector<int>& ranksOfNodes)
{
    return std::accumulate(ranksOfNodes.begin(), ranksOfNodes.end(), 0);
}

/// As pretendNodes() says.
std::vector<int> ranksOfNodes(int ranks, int nodes)
{
    const int each = (ranks + nodes - 1) / nodes;
    std::vector<int> all(static_cast<std::size_t>(nodes), each);
    all.back() = ranks - each * (nodes - 1);
    return all;
}

/// Returns the bytes of an iteration.
std::uint64_t expected(const std::vector<int>& ranksOfNodes, const AggregationPlan& plan,
                       const Network& network = kLeNet)
{
    std::uint64_t total = 0;
    for (const auto numbers : messagesOf(plan, network))
        total += wireBytes(plan, numbers, ranksOfNodes);
    return total;
}

/// Returns the messages of servers for a unit that is cut: there and back.
std::uint64_t shardMessages(int ranks, const Trial& trial)
{
    return messagesOf(trial.plan, networkOf(trial)).size() * static_cast<std::uint64_t>(2 * ranks);
}

/// Checks plans with the same number of servers, in one start of the ranks.
void checkFormula(int ranks, const Trials& trials)
{
    const auto sent = sentIn(ranks, trials);
    for (std::size_t i = 0; i < trials.size(); ++i) {
        const AggregationPlan& plan = trials[i].plan;
        INFO(ranks << " ranks, " << plan.name << " " << trials[i].model << (plan.asynchronous ? " asynchronous" : ""));
        CHECK(sent[i].bytes == 2 * expected({ranks}, plan, networkOf(trials[i])));
        if (plan.serverRanks() > 0)
            CHECK(sent[i].messages == 2 * shardMessages(ranks, trials[i]));
    }
}

/// Agreeing may cost the hundredth part of what gradients do: LeNet's are few, and ranks that share a core keep each
/// other waiting, while all that is ready is asked for every 50 µs (priority), or every millisecond (Horovod).
constexpr std::uint64_t kSmallPart = 100;

/// By 1 bit and top-k gradients are so few bytes that agreeing costs more than their hundredth part: it is compared
/// with what they would be by 16 bits.
AggregationPlan asLongAsHalves(AggregationPlan plan)
{
    if (plan.isLossy())
        plan.compression = Compression::bf16;
    return plan;
}

/// Ranks agree by one word of bits, of which each sends log2 n copies (recursive doubling, n a power of 2).
std::uint64_t agreementMessages(int ranks)
{
    return static_cast<std::uint64_t>(ranks * (std::bit_width(static_cast<unsigned>(ranks)) - 1));
}

std::uint64_t agreementBytes(int ranks)
{
    return agreementMessages(ranks) * sizeof(std::uint64_t);
}

/// The same sum of all gradients at once, without an agreement.
Trial inOneSum(Trial trial)
{
    trial.plan.grouping = Grouping::one;
    trial.plan.schedule = Schedule::afterBackward;
    return trial;
}

/// The sent bytes, taken apart: all that is beside the gradients' bytes has to be agreements, to the byte, and all
/// messages beside those of agreements sums, to the message.
struct Rounds
{
    std::uint64_t agreements = 0, sums = 0;
};

/// A sum is what `single` sent in each iteration: no message of LeNet has fewer numbers than there are ranks.
Rounds roundsIn(const test::Sent& sent, const test::Sent& single, const std::vector<int>& ranksOfNodes,
                const Trial& trial)
{
    const int ranks = ranksIn(ranksOfNodes);
    const auto iterations = static_cast<std::uint64_t>(trial.iterations);
    const std::uint64_t gradients = iterations * expected(ranksOfNodes, trial.plan);
    const std::uint64_t each = single.messages / iterations;
    REQUIRE(each > 0);
    REQUIRE(sent.bytes >= gradients);
    REQUIRE((sent.bytes - gradients) % agreementBytes(ranks) == 0);
    const std::uint64_t agreements = (sent.bytes - gradients) / agreementBytes(ranks);
    REQUIRE(sent.messages >= agreements * agreementMessages(ranks));
    const std::uint64_t rest = sent.messages - agreements * agreementMessages(ranks);
    REQUIRE(rest % each == 0);
    return {agreements, rest / each};
}

/// A trial of ranks that agree on what they have ready, and what it claims.
struct Agreeing
{
    Trial trial;
    void (*check)(const Rounds& rounds, const std::vector<int>& ranksOfNodes, const AggregationPlan& plan);
};

constexpr int kFusedIterations = 4;

/// One word of bits each time they agree, at most once a cycle.
void checkFused(const Rounds& rounds, const std::vector<int>&, const AggregationPlan&)
{
    CHECK(rounds.agreements >= kFusedIterations);
    CHECK(rounds.agreements <= 2 * kFusedIterations); // one more each, where a rank was kept from its core
    CHECK(rounds.sums >= kFusedIterations);
    CHECK(rounds.sums <= rounds.agreements);
}

/// By Horovod's cycles agreeing stays a small part.
void checkHorovod(const Rounds& rounds, const std::vector<int>& ranksOfNodes, const AggregationPlan& plan)
{
    CHECK(rounds.agreements >= 2);
    CHECK(rounds.agreements * agreementBytes(ranksIn(ranksOfNodes)) <= 2 * expected(ranksOfNodes, plan) / kSmallPart);
    CHECK(rounds.sums >= 2);
    CHECK(rounds.sums <= 2 * kLeNet.size());
}

/// A message for each chunk, and what they need to agree.
void checkPriority(const Rounds& rounds, const std::vector<int>& ranksOfNodes, const AggregationPlan& plan)
{
    CHECK(rounds.sums == 2 * messagesOf(plan, kLeNet).size());
    CHECK(rounds.agreements > 2); // each time what fills a chunk goes, not all at once
    CHECK(rounds.agreements * agreementBytes(ranksIn(ranksOfNodes)) <=
          2 * expected(ranksOfNodes, asLongAsHalves(plan)) / kSmallPart);
}

std::vector<AggregationPlan> fusedPlans(Collective collective)
{
    auto plans = test::plansOf(collective, Grouping::fusion, Schedule::overlapped);
    for (AggregationPlan& plan : plans) {
        plan.fusionThresholdBytes = 1 << 20; // all of LeNet
        plan.fusionCycleUs = 300'000;        // an iteration's gradients are there long before ranks agree again
    }
    return plans;
}

std::vector<Agreeing> agreeing(Collective collective, int nodes)
{
    std::vector<Agreeing> all;
    for (const Trial& trial : test::onNodes(nodes, trialsOf(fusedPlans(collective), kFusedIterations)))
        all.push_back({trial, checkFused});
    const auto priority = test::plansOf(collective, Grouping::perTensor, Schedule::priority);
    for (const Trial& trial : test::onNodes(nodes, trialsOf(priority)))
        all.push_back({trial, checkPriority});
    return all;
}

std::vector<Agreeing> agreeingByHorovod()
{
    std::vector<Agreeing> all;
    for (const char* preset : {"horovod", "horovod-old"}) // keras is as horovod
        all.push_back({trialsOf({spec::findBuiltInPlan(preset)->plan}).front(), checkHorovod});
    return all;
}

/// A power of 2 of ranks, as the messages of an agreement are counted.
void check(int ranks, const std::vector<Agreeing>& all)
{
    Trials trials;
    for (const Agreeing& one : all)
        std::ranges::copy(Trials{one.trial, inOneSum(one.trial)}, std::back_inserter(trials));
    const auto sent = sentIn(ranks, trials);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Trial& trial = all[i].trial;
        const auto where = ranksOfNodes(ranks, trial.nodes);
        const std::string what = fmt::format("{} ranks, {}", fmt::join(where, " + "), trial.plan.name);
        INFO(what);
        const Rounds rounds = roundsIn(sent[2 * i], sent[2 * i + 1], where, trial);
        MESSAGE(what, ": ", rounds.agreements, " agreements");
        all[i].check(rounds, where, trial.plan);
    }
}

} // namespace

TEST_CASE("the bytes that ranks send in an iteration are those of the formula, for every plan of fixed groups")
{
    if (noMpi())
        return;
    auto plans = test::plansOfFixedGroups();
    std::ranges::move(systemsBeside(plans), std::back_inserter(plans));
    std::map<int, Trials> served;
    for (const Trial& trial : joined({trialsOf(plansOfServers()), test::withModel("wide", trialsOf(plansThatCut()))}))
        served[trial.plan.serverRanks()].push_back(trial);
    for (const int ranks : {2, 4}) {
        checkFormula(ranks, trialsOf(plans));
        for (const auto& [servers, trials] : served)
            checkFormula(ranks, trials);
    }
}

TEST_CASE("plans that cut a unit send a message for each shard")
{
    for (const AggregationPlan& plan : plansThatCut())
        CHECK(messagesOf(plan, kWide).size() == 3); // the last layer is one shard, the first one two
}

TEST_CASE("on two nodes a hierarchical plan sends the formula's bytes, and between the nodes one sum of each")
{
    if (noMpi())
        return;
    std::vector<AggregationPlan> plans;
    for (const auto& plan : test::plansOf(Collective::hierarchical, Grouping::buckets, Schedule::overlapped)) {
        plans.push_back(plan);
        plans.push_back(test::planOf(Collective::allreduce, Grouping::buckets, Schedule::overlapped, plan.compression));
    }
    for (const int ranks : {3, 4}) {
        const auto sent = sentIn(ranks, test::onNodes(2, trialsOf(plans)));
        for (std::size_t i = 0; i < plans.size(); i += 2) {
            const test::Sent &own = sent[i], &ring = sent[i + 1];
            const std::uint64_t formula = expected(ranksOfNodes(ranks, 2), plans[i]);
            INFO(ranks << " ranks, " << plans[i].name);
            CHECK(own.bytes == 2 * formula);
            CHECK(own.betweenNodes == 2 * expected({1, 1}, plans[i])); // of the first ranks, one a node
            CHECK(ring.bytes == 2 * formula);
            CHECK(ring.betweenNodes > own.betweenNodes); // so there is something to spare
        }
    }
}

TEST_CASE("ranks that agree on what they have ready send that, and beside it one word of bits each time they agree")
{
    if (noMpi())
        return;
    for (const int ranks : {2, 4}) {
        auto all = agreeing(ranks == 2 ? Collective::allreduce : Collective::hierarchical, ranks / 2);
        std::ranges::move(agreeingByHorovod(), std::back_inserter(all));
        check(ranks, all);
    }
}

TEST_CASE("they send so with every other way to sum" * doctest::test_suite("thorough"))
{
    if (noMpi())
        return;
    for (const auto collective : test::sums())
        for (const int ranks : {2, 4})
            check(ranks, agreeing(collective, 1));
}
