// SPDX-License-Identifier: MIT
// What ranks send, as Open MPI counts it message by message (its monitoring component), against the formula.
#include "agent/worker/plans/wirebytes.h"
#include "agent/worker/collectives/communicator.h"
#include "agent/worker/collectives/rankgroup.h"
#include "agent/worker/plans/buckets.h"
#include "agent/worker/plans/servers/shards.h"
#include "agent/worker/plans/units.h"
#include "core/spec/plans.h"
#include "tests/support/temporaryfolder.h"
#include "tests/worker/plans/plansfortests.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fmt/ranges.h>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <sstream>

using namespace ringside;
using namespace std::chrono_literals;

namespace {

struct Network
{
    std::vector<std::string> words;   ///< by which probes know it
    std::vector<std::size_t> tensors; ///< numbers of weights and biases from the first layer on
};
const Network kLeNet{{}, {450, 6, 2'400, 16, 48'000, 120, 10'080, 84, 840, 10}};
const Network kWide{{"wide"}, {1'575'936, 513, 5'130, 10}}; // serverprobe's

/// For ranks started while it lives: everything they send is counted, and collectives send no more than they must.
class Monitoring
{
public:
    explicit Monitoring(const fs::path& folder)
    {
        set("pml_monitoring_enable", "2");
        set("pml_monitoring_enable_output", "3");
        set("pml_monitoring_filename", (folder / "sent").string());
        set("coll_tuned_use_dynamic_rules", "1");
        set("coll_tuned_allreduce_algorithm", "4");      // ring
        set("coll_tuned_reduce_scatter_algorithm", "3"); // ring
        set("coll_tuned_allgatherv_algorithm", "3");     // ring
        set("coll_tuned_allgather_algorithm", "4");      // ring
        set("coll_tuned_alltoall_algorithm", "2");       // pairwise
        set("coll_tuned_reduce_algorithm", "1");         // linear
        set("coll_tuned_bcast_algorithm", "1");          // linear
    }
    ~Monitoring()
    {
        for (const auto& name : m_names)
            unsetenv(name.c_str());
    }
    Monitoring(const Monitoring&) = delete;
    Monitoring& operator=(const Monitoring&) = delete;

private:
    void set(const std::string& parameter, const std::string& value)
    {
        m_names.push_back("OMPI_MCA_" + parameter);
        setenv(m_names.back().c_str(), value.c_str(), 1);
    }
    std::vector<std::string> m_names;
};

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
    for (const auto compression : {Compression::onebit, Compression::topk})
        plans.push_back(test::servedPlan(2, Grouping::buckets, Schedule::overlapped, compression));
    for (auto& plan : std::span(plans).last(3))
        plan.asynchronous = true;
    return plans;
}

/// The second bucket, of the first layer, is cut.
std::vector<AggregationPlan> plansThatCut()
{
    std::vector<AggregationPlan> plans;
    for (const auto compression : {Compression::none, Compression::onebit, Compression::topk})
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

struct Sent
{
    std::uint64_t bytes = 0, messages = 0;
    std::uint64_t betweenNodes = 0; ///< bytes

    Sent operator-(const Sent& less) const
    {
        return {bytes - less.bytes, messages - less.messages, betweenNodes - less.betweenNodes};
    }
};

/// Lines “E 0 1 1234 bytes 18 msgs sent …” of point-to-point messages, those of collectives among them.
Sent readSent(const fs::path& folder, std::uint64_t ranksOfNode)
{
    Sent sent;
    for (const auto& file : fs::directory_iterator(folder)) {
        std::ifstream lines(file.path());
        for (std::string line; std::getline(lines, line);) {
            std::istringstream words(line);
            std::string kind, unit;
            std::uint64_t from = 0, to = 0, bytes = 0, messages = 0;
            if (!(words >> kind >> from >> to >> bytes >> unit >> messages) || (kind != "E" && kind != "I"))
                continue;
            sent.bytes += bytes;
            sent.messages += messages;
            sent.betweenNodes += from / ranksOfNode != to / ranksOfNode ? bytes : 0;
        }
    }
    return sent;
}

using Plans = std::vector<AggregationPlan>;

/// By plans with the same number of servers, one after the other.
Sent sentUntil(int iterations, int ranks, int nodes, const Plans& plans, const Network& network)
{
    const test::TemporaryFolder folder;
    const Monitoring monitoring(folder.path());
    constexpr const char* kAnyError = "1e30"; // asynchronous updates are no steps of one big batch
    const int servers = plans.front().serverRanks();
    std::vector<std::string> command{GRADIENT_PROBE, fmt::format("nodes={}", nodes)};
    if (servers > 0)
        command = {SERVER_PROBE};
    command.insert(command.end(), network.words.begin(), network.words.end());
    command.insert(command.end(), {std::to_string(iterations), kAnyError});
    for (const AggregationPlan& plan : plans)
        command.push_back(toJson(plan).dump());
    auto group = RankGroup::start(ranks + servers, command);
    REQUIRE(group);
    const auto code = group->wait(300s);
    REQUIRE(code);
    REQUIRE(*code == 0);
    return readSent(folder.path(), static_cast<std::uint64_t>((ranks + nodes - 1) / nodes));
}

/// What so many iterations send by themselves, without what is sent before and behind them. Servers cannot be asked for
/// no iteration, and by theirs each sends as much as another; ranks may agree once or more in the first.
Sent sentIn(int iterations, int ranks, const Plans& plans, int nodes = 1, const Network& network = kLeNet)
{
    const int before = plans.front().serverRanks() > 0 ? 1 : 0;
    return sentUntil(before + iterations, ranks, nodes, plans, network) -
           sentUntil(before, ranks, nodes, plans, network);
}

/// Numbers of what travels by itself to where it is added up.
std::vector<std::size_t> messagesOf(const AggregationPlan& plan, const Network& network)
{
    std::vector<std::uint64_t> bytes;
    for (const auto count : network.tensors)
        bytes.push_back(4 * count);
    std::vector<std::size_t> buckets;
    for (const auto& group : groupTensors(plan, bytes)) {
        buckets.push_back(0);
        for (const auto tensor : group)
            buckets.back() += network.tensors[tensor];
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

/// Of an iteration.
std::uint64_t expected(const std::vector<int>& ranksOfNodes, const AggregationPlan& plan,
                       const Network& network = kLeNet)
{
    std::uint64_t total = 0;
    for (const auto numbers : messagesOf(plan, network))
        total += wireBytes(plan, numbers, ranksOfNodes);
    return total;
}

/// Agreeing may cost the hundredth part of what gradients do: LeNet's are few, and ranks that share a core keep each
/// other waiting, while all that is ready is asked for every 50 µs (priority), or every millisecond (Horovod).
constexpr std::uint64_t kSmallPart = 100;

/// By 1 bit and top-k gradients are so few bytes that agreeing costs more than their hundredth part: it is compared
/// with what they would be by 16 bits.
AggregationPlan asLongAsHalves(AggregationPlan plan)
{
    if (plan.compression == Compression::onebit || plan.compression == Compression::topk)
        plan.compression = Compression::bf16;
    return plan;
}

/// With the ranks on each node; a power of 2 in all, as the messages of an agreement are counted.
using WayToSum = std::pair<Collective, std::vector<int>>;
const WayToSum kWaysToSum[] = {{Collective::allreduce, {2}}, {Collective::hierarchical, {2, 2}}};
const WayToSum kOtherWaysToSum[] = {
    {Collective::allreduce, {4}}, {Collective::reduceScatterAllgather, {2}}, {Collective::reduceScatterAllgather, {4}}};

/// Ranks agree by one word of bits, of which each sends log2 n copies (recursive doubling, n a power of 2).
std::uint64_t agreementMessages(int ranks)
{
    return static_cast<std::uint64_t>(ranks * (std::bit_width(static_cast<unsigned>(ranks)) - 1));
}

std::uint64_t agreementBytes(int ranks)
{
    return agreementMessages(ranks) * sizeof(std::uint64_t);
}

/// One way around a ring, or what each of all sends to each other one; no message of LeNet has fewer numbers than there
/// are ranks.
std::uint64_t roundMessages(std::size_t ranks)
{
    return ranks * (ranks - 1);
}

/// Of a sum over all ranks: twice around the ring, or to who sums a part and from it; on several nodes up to the first
/// rank, around the ring of those and down again; of top-k all to all.
std::uint64_t sumMessages(const AggregationPlan& plan, const std::vector<int>& ranksOfNodes)
{
    const auto ranks = static_cast<std::size_t>(ranksIn(ranksOfNodes));
    const std::size_t nodes = ranksOfNodes.size();
    if (plan.collective == Collective::hierarchical)
        return 2 * (ranks - nodes) + 2 * roundMessages(nodes);
    return (plan.compression == Compression::topk ? 1 : 2) * roundMessages(ranks);
}

/// What was sent, taken apart: all that is beside the gradients' bytes has to be agreements, to the byte, and all
/// messages beside those of agreements sums, to the message.
struct Rounds
{
    std::uint64_t agreements = 0, sums = 0;
};

/// Of so many iterations.
Rounds roundsIn(std::uint64_t iterations, const std::vector<int>& ranksOfNodes, const AggregationPlan& plan)
{
    const int ranks = ranksIn(ranksOfNodes);
    const std::uint64_t gradients = iterations * expected(ranksOfNodes, plan);
    const std::uint64_t each = sumMessages(plan, ranksOfNodes);
    const Sent sent = sentIn(static_cast<int>(iterations), ranks, {plan}, static_cast<int>(ranksOfNodes.size()));
    REQUIRE(sent.bytes >= gradients);
    REQUIRE((sent.bytes - gradients) % agreementBytes(ranks) == 0);
    const std::uint64_t agreements = (sent.bytes - gradients) / agreementBytes(ranks);
    REQUIRE(sent.messages >= agreements * agreementMessages(ranks));
    const std::uint64_t rest = sent.messages - agreements * agreementMessages(ranks);
    REQUIRE(rest % each == 0);
    return {agreements, rest / each};
}

/// What servers receive and send of a unit that is cut: there and back.
std::uint64_t shardMessages(int ranks, const AggregationPlan& plan, const Network& network)
{
    return messagesOf(plan, network).size() * static_cast<std::uint64_t>(2 * ranks);
}

/// Of plans with the same number of servers, in one start of the ranks; where that is off, of each by itself.
void checkFormula(int ranks, const Plans& plans, const Network& network = kLeNet)
{
    const auto isRight = [&](const Plans& some) {
        Sent formula;
        for (const AggregationPlan& plan : some) {
            formula.bytes += 2 * expected({ranks}, plan, network);
            formula.messages += plan.serverRanks() == 0 ? 0 : 2 * shardMessages(ranks, plan, network);
        }
        const Sent sent = sentIn(2, ranks, some, 1, network);
        return sent.bytes == formula.bytes && (formula.messages == 0 || sent.messages == formula.messages);
    };
    const bool areRight = isRight(plans);
    CHECK(areRight);
    for (std::size_t i = 0; i < plans.size() && !areRight; ++i) {
        INFO(ranks << " ranks, " << plans[i].name << (plans[i].asynchronous ? " asynchronous" : ""));
        CHECK(isRight({plans[i]}));
    }
}

std::string nameOf(const std::vector<int>& ranksOfNodes, const AggregationPlan& plan)
{
    return fmt::format("{} ranks, {}", fmt::join(ranksOfNodes, " + "), plan.name);
}

bool noMpi()
{
    if (mpiVersion().empty())
        MESSAGE("skipped: built without MPI");
    return mpiVersion().empty();
}

void checkFusion(const WayToSum& way)
{
    constexpr std::uint64_t kIterations = 4;
    const auto& [collective, ranksOfNodes] = way;
    for (const auto compression : {Compression::none, Compression::bf16}) {
        auto plan = test::planOf(collective, Grouping::fusion, Schedule::overlapped, compression);
        plan.fusionThresholdBytes = 1 << 20; // all of LeNet
        plan.fusionCycleUs = 300'000;        // an iteration's gradients are there long before ranks agree again
        const auto what = nameOf(ranksOfNodes, plan);
        INFO(what);
        const auto rounds = roundsIn(kIterations, ranksOfNodes, plan);
        CHECK(rounds.agreements >= kIterations);
        CHECK(rounds.agreements <= 2 * kIterations); // one more each, where a rank was kept from its core
        CHECK(rounds.sums >= kIterations);
        CHECK(rounds.sums <= rounds.agreements);
    }
}

void checkPriority(const WayToSum& way)
{
    const auto& [collective, ranksOfNodes] = way;
    for (const auto compression : kCompressions) {
        const auto plan = test::planOf(collective, Grouping::perTensor, Schedule::priority, compression);
        if (compression == Compression::fp16 || whyNotComposed(plan)) // fp16 is as long as bf16
            continue;
        const auto what = nameOf(ranksOfNodes, plan);
        INFO(what);
        const auto rounds = roundsIn(2, ranksOfNodes, plan);
        MESSAGE(what, ": ", rounds.agreements, " agreements");
        CHECK(rounds.sums == 2 * messagesOf(plan, kLeNet).size());
        CHECK(rounds.agreements > 2); // each time what fills a chunk goes, not all at once
        CHECK(rounds.agreements * agreementBytes(ranksIn(ranksOfNodes)) <=
              2 * expected(ranksOfNodes, asLongAsHalves(plan)) / kSmallPart);
    }
}

} // namespace

TEST_CASE("the bytes that ranks send in an iteration are those of the formula, for every plan of fixed groups")
{
    if (noMpi())
        return;
    auto plans = test::plansOfFixedGroups();
    std::ranges::move(systemsBeside(plans), std::back_inserter(plans));
    std::map<int, Plans> served;
    for (const AggregationPlan& plan : plansOfServers())
        served[plan.serverRanks()].push_back(plan);
    for (const int ranks : {2, 4}) {
        checkFormula(ranks, plans);
        for (const auto& [servers, some] : served)
            checkFormula(ranks, some);
    }
}

TEST_CASE("so they are of a unit that is cut over two servers, a message for each shard")
{
    if (noMpi())
        return;
    for (const AggregationPlan& plan : plansThatCut())
        REQUIRE(messagesOf(plan, kWide).size() == 3); // the last layer is one shard, the first one two
    for (const int ranks : {2, 4})
        checkFormula(ranks, plansThatCut(), kWide);
}

TEST_CASE("on two nodes a hierarchical plan sends the formula's bytes, and between the nodes one sum of each")
{
    if (noMpi())
        return;
    for (const std::vector<int>& ranksOfNodes : {std::vector{2, 2}, {2, 1}})
        for (const auto compression : {Compression::none, Compression::bf16}) {
            const auto plan =
                test::planOf(Collective::hierarchical, Grouping::buckets, Schedule::overlapped, compression);
            const auto flat = test::planOf(Collective::allreduce, Grouping::buckets, Schedule::overlapped, compression);
            const int ranks = ranksOfNodes[0] + ranksOfNodes[1];
            const std::uint64_t formula = expected(ranksOfNodes, plan);
            INFO(ranks << " ranks, " << plan.name);
            const Sent sent = sentIn(2, ranks, {plan}, 2);
            CHECK(sent.bytes == 2 * formula);
            CHECK(sent.betweenNodes == 2 * expected({1, 1}, plan)); // of the first ranks, one a node
            const Sent ring = sentIn(2, ranks, {flat}, 2);
            CHECK(ring.bytes == 2 * formula);
            CHECK(ring.betweenNodes > sent.betweenNodes); // so there is something to spare
        }
}

TEST_CASE("with fusion ranks send that, and beside it one word of bits each time they agree, at most once a cycle")
{
    if (noMpi())
        return;
    for (const WayToSum& way : kWaysToSum)
        checkFusion(way);
}

TEST_CASE("so they do by Horovod's cycles, where agreeing stays a small part")
{
    if (noMpi())
        return;
    for (const std::string preset : {"horovod", "horovod-old"}) // keras is as horovod
        for (const int ranks : {2, 4}) {
            const AggregationPlan plan = spec::findBuiltInPlan(preset)->plan;
            INFO(ranks << " ranks, " << preset);
            const auto rounds = roundsIn(2, {ranks}, plan);
            MESSAGE(ranks, " ranks, ", preset, ": ", rounds.agreements, " agreements");
            CHECK(rounds.agreements >= 2);
            CHECK(rounds.agreements * agreementBytes(ranks) <= 2 * expected({ranks}, plan) / kSmallPart);
            CHECK(rounds.sums >= 2);
            CHECK(rounds.sums <= 2 * kLeNet.tensors.size());
        }
}

TEST_CASE("with the schedule priority ranks send that, a message for each chunk, and what they need to agree")
{
    if (noMpi())
        return;
    for (const WayToSum& way : kWaysToSum)
        checkPriority(way);
}

TEST_CASE("they send so with every other way to sum" * doctest::test_suite("thorough"))
{
    if (noMpi())
        return;
    for (const WayToSum& way : kOtherWaysToSum) {
        checkFusion(way);
        checkPriority(way);
    }
}
