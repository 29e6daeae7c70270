// SPDX-License-Identifier: MIT
// What ranks send, as Open MPI counts it message by message (its monitoring component), against the formula.
#include "agent/worker/plans/wirebytes.h"
#include "agent/worker/collectives/communicator.h"
#include "agent/worker/collectives/rankgroup.h"
#include "agent/worker/plans/buckets.h"
#include "core/spec/plans.h"
#include "tests/support/temporaryfolder.h"
#include "tests/worker/plans/plansfortests.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace ringside;
using namespace std::chrono_literals;

namespace {

/// Of LeNet, weights and biases from the first convolution on.
constexpr std::uint64_t kTensors[] = {450, 6, 2'400, 16, 48'000, 120, 10'080, 84, 840, 10};

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
    plans.back().asynchronous = true;
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

Sent sentUntil(int iterations, int ranks, int nodes, const AggregationPlan& plan)
{
    const test::TemporaryFolder folder;
    const Monitoring monitoring(folder.path());
    constexpr const char* kAnyError = "1e30"; // asynchronous updates are no steps of one big batch
    std::vector<std::string> command{GRADIENT_PROBE, fmt::format("nodes={}", nodes)};
    if (plan.serverRanks() > 0)
        command = {SERVER_PROBE};
    for (const std::string& word : {std::to_string(iterations), std::string(kAnyError), toJson(plan).dump()})
        command.push_back(word);
    auto group = RankGroup::start(ranks + plan.serverRanks(), command);
    REQUIRE(group);
    const auto code = group->wait(120s);
    REQUIRE(code);
    REQUIRE(*code == 0);
    return readSent(folder.path(), static_cast<std::uint64_t>(ranks / nodes));
}

/// What so many iterations send by themselves, without what is sent before and behind them. Servers cannot be asked for
/// no iteration, and by theirs each sends as much as another; ranks may agree once or more in the first.
Sent sentIn(int iterations, int ranks, const AggregationPlan& plan, int nodes = 1)
{
    const int before = plan.serverRanks() > 0 ? 1 : 0;
    return sentUntil(before + iterations, ranks, nodes, plan) - sentUntil(before, ranks, nodes, plan);
}

/// Of an iteration.
std::uint64_t expected(const std::vector<int>& ranksOfNodes, const AggregationPlan& plan)
{
    std::vector<std::uint64_t> bytes;
    for (const auto count : kTensors)
        bytes.push_back(4 * count);
    std::uint64_t total = 0;
    for (const auto& group : groupTensors(plan, bytes)) {
        std::size_t numbers = 0;
        for (const auto tensor : group)
            numbers += kTensors[tensor];
        total += wireBytes(plan, numbers, ranksOfNodes);
    }
    return total;
}

/// Agreeing may cost the hundredth part of what gradients do: LeNet's are few, and ranks that share a core keep each
/// other waiting, while all that is ready is asked for every 50 µs (priority), or every millisecond (Horovod).
constexpr std::uint64_t kSmallPart = 100;

std::uint64_t chunksOf(const AggregationPlan& plan)
{
    std::uint64_t chunks = 0;
    for (const auto count : kTensors)
        chunks += (4 * count + plan.chunkBytes - 1) / plan.chunkBytes;
    return chunks;
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

/// A ring all-reduce; no message of LeNet has fewer numbers than there are ranks.
std::uint64_t sumMessages(int ranks)
{
    return static_cast<std::uint64_t>(2 * ranks * (ranks - 1));
}

/// What was sent, taken apart: all that is beside the gradients' bytes has to be agreements, to the byte, and all
/// messages beside those of agreements sums, to the message.
struct Rounds
{
    std::uint64_t agreements = 0, sums = 0;
};

Rounds roundsOf(const Sent& sent, std::uint64_t gradients, int ranks)
{
    REQUIRE(sent.bytes >= gradients);
    REQUIRE((sent.bytes - gradients) % agreementBytes(ranks) == 0);
    const std::uint64_t agreements = (sent.bytes - gradients) / agreementBytes(ranks);
    REQUIRE(sent.messages >= agreements * agreementMessages(ranks));
    const std::uint64_t rest = sent.messages - agreements * agreementMessages(ranks);
    REQUIRE(rest % sumMessages(ranks) == 0);
    return {agreements, rest / sumMessages(ranks)};
}

bool noMpi()
{
    if (mpiVersion().empty())
        MESSAGE("skipped: built without MPI");
    return mpiVersion().empty();
}

} // namespace

TEST_CASE("the bytes that ranks send in an iteration are those of the formula, for every plan of fixed groups")
{
    if (noMpi())
        return;
    auto plans = test::plansOfFixedGroups();
    std::ranges::move(systemsBeside(plans), std::back_inserter(plans));
    std::ranges::move(plansOfServers(), std::back_inserter(plans));
    for (const int ranks : {2, 4})
        for (const AggregationPlan& plan : plans) {
            INFO(ranks << " ranks, " << plan.name);
            CHECK(sentIn(2, ranks, plan).bytes == 2 * expected({ranks}, plan));
        }
}

TEST_CASE("on two nodes of two ranks a hierarchical plan sends the formula's bytes, and between nodes one sum of each")
{
    if (noMpi())
        return;
    for (const auto compression : {Compression::none, Compression::bf16}) {
        const auto plan = test::planOf(Collective::hierarchical, Grouping::buckets, Schedule::overlapped, compression);
        const auto flat = test::planOf(Collective::allreduce, Grouping::buckets, Schedule::overlapped, compression);
        const std::uint64_t formula = expected({2, 2}, plan);
        INFO(plan.name);
        const Sent sent = sentIn(2, 4, plan, 2);
        CHECK(sent.bytes == 2 * formula);
        CHECK(sent.betweenNodes == 2 * expected({1, 1}, plan)); // of the first ranks, one a node
        const Sent ring = sentIn(2, 4, flat, 2);
        CHECK(ring.bytes == 2 * formula);
        CHECK(ring.betweenNodes > sent.betweenNodes); // so there is something to spare
    }
}

TEST_CASE("with fusion ranks send that, and beside it one word of bits each time they agree, at most once a cycle")
{
    if (noMpi())
        return;
    constexpr std::uint64_t kIterations = 4;
    for (const int ranks : {2, 4})
        for (const auto collective : {Collective::allreduce, Collective::reduceScatterAllgather})
            for (const auto compression : {Compression::none, Compression::bf16}) {
                auto plan = test::planOf(collective, Grouping::fusion, Schedule::overlapped, compression);
                plan.fusionThresholdBytes = 1 << 20; // all of LeNet
                plan.fusionCycleUs = 300'000;        // an iteration's gradients are there long before ranks agree again
                INFO(ranks << " ranks, " << plan.name);
                const auto rounds =
                    roundsOf(sentIn(kIterations, ranks, plan), kIterations * expected({ranks}, plan), ranks);
                CHECK(rounds.agreements >= kIterations);
                CHECK(rounds.agreements <= 2 * kIterations); // one more each, where a rank was kept from its core
                CHECK(rounds.sums >= kIterations);
                CHECK(rounds.sums <= rounds.agreements);
            }
}

TEST_CASE("so they do by Horovod's cycles, where agreeing stays a small part")
{
    if (noMpi())
        return;
    for (const std::string preset : {"horovod", "horovod-old"}) // keras is as horovod
        for (const int ranks : {2, 4}) {
            const AggregationPlan plan = spec::findBuiltInPlan(preset)->plan;
            INFO(ranks << " ranks, " << preset);
            const std::uint64_t gradients = 2 * expected({ranks}, plan);
            const auto rounds = roundsOf(sentIn(2, ranks, plan), gradients, ranks);
            MESSAGE(ranks, " ranks, ", preset, ": ", rounds.agreements, " agreements");
            CHECK(rounds.agreements >= 2);
            CHECK(rounds.agreements * agreementBytes(ranks) <= gradients / kSmallPart);
            CHECK(rounds.sums >= 2);
            CHECK(rounds.sums <= 2 * std::size(kTensors));
        }
}

TEST_CASE("with the schedule priority ranks send that, a message for each chunk, and what they need to agree")
{
    if (noMpi())
        return;
    for (const auto compression : {Compression::none, Compression::bf16})
        for (const int ranks : {2, 4}) {
            const auto plan = test::planOf(Collective::allreduce, Grouping::perTensor, Schedule::priority, compression);
            INFO(ranks << " ranks, " << plan.name);
            const std::uint64_t gradients = 2 * expected({ranks}, plan);
            const auto rounds = roundsOf(sentIn(2, ranks, plan), gradients, ranks);
            MESSAGE(ranks, " ranks, ", plan.name, ": ", rounds.agreements, " agreements");
            CHECK(rounds.sums == 2 * chunksOf(plan));
            CHECK(rounds.agreements > 2); // each time what fills a chunk goes, not all at once
            CHECK(rounds.agreements * agreementBytes(ranks) <= gradients / kSmallPart);
        }
}
