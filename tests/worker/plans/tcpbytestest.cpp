// SPDX-License-Identifier: MIT
// What ranks send over TCP, as the mesh counts it, against the formula with TCP's ways to sum. Over MPI:
// wirebytestest.cpp.
#include "agent/worker/collectives/rankgroup.h"
#include "agent/worker/models/models.h"
#include "agent/worker/plans/units.h"
#include "agent/worker/plans/wirebytes.h"
#include "core/spec/plans.h"
#include "tests/support/temporaryfolder.h"
#include "tests/worker/plans/plansfortests.h"
#include "tests/worker/plans/sentlog.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace ringside;
using namespace std::chrono_literals;

namespace {

using Plans = std::vector<AggregationPlan>;

/// By plan, as all processes together have sent until its end.
std::vector<Traffic> readSent(const fs::path& folder)
{
    std::vector<Traffic> sent;
    for (const auto& file : fs::directory_iterator(folder)) {
        std::ifstream lines(file.path());
        Traffic line;
        for (std::size_t i = 0; lines >> line.bytes >> line.messages; ++i) {
            sent.resize(std::max(sent.size(), i + 1));
            sent[i].bytes += line.bytes;
            sent[i].messages += line.messages;
        }
    }
    return sent;
}

std::vector<Traffic> sentUntil(int iterations, int ranks, int nodes, const Plans& plans)
{
    const test::TemporaryFolder folder;
    setenv(test::kSentVariable, folder.path().c_str(), 1);
    constexpr const char* kAnyError = "1e30"; // asynchronous updates are no steps of one big batch
    const int servers = plans.front().serverRanks();
    std::vector<std::string> command{GRADIENT_PROBE, fmt::format("nodes={}", nodes)};
    if (servers > 0)
        command = {SERVER_PROBE};
    command.insert(command.end(), {std::to_string(iterations), kAnyError});
    for (const AggregationPlan& plan : plans)
        command.push_back(toJson(plan).dump());
    auto group = RankGroup::start(ranks + servers, command, Meeting::tcp);
    unsetenv(test::kSentVariable);
    REQUIRE(group);
    const auto code = group->wait(300s);
    REQUIRE(code);
    INFO(command.back());
    REQUIRE(*code == 0);
    return readSent(folder.path());
}

/// By plan, what so many iterations send by themselves: without what is sent before and behind them, which is what a
/// run without them sends. With servers it is one of one iteration, since they cannot be asked for none.
std::vector<Traffic> sentIn(int iterations, int ranks, const Plans& plans, int nodes = 1)
{
    const int before = plans.front().serverRanks() > 0 ? 1 : 0;
    const auto whole = sentUntil(before + iterations, ranks, nodes, plans);
    const auto rest = sentUntil(before, ranks, nodes, plans);
    REQUIRE(whole.size() == plans.size());
    REQUIRE(rest.size() == plans.size());
    std::vector<Traffic> sent;
    Traffic earlier;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const Traffic until{whole[i].bytes - rest[i].bytes, whole[i].messages - rest[i].messages};
        sent.push_back({until.bytes - earlier.bytes, until.messages - earlier.messages});
        earlier = until;
    }
    return sent;
}

/// How many numbers travel together, each time.
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

/// Of an iteration.
std::uint64_t expected(const std::vector<int>& ranksOfNodes, const AggregationPlan& plan,
                       const SumAlgorithms& sums = kTcpSums)
{
    std::uint64_t total = 0;
    for (const std::size_t numbers : unitsOfLenet(plan))
        total += wireBytes(plan, numbers, ranksOfNodes, sums);
    return total;
}

/// `optimal` makes its groups of measured times, and what more than two ranks send depends on how many are small.
Plans plansOfFixedGroups(int ranks)
{
    Plans plans = test::plansOfFixedGroups();
    for (const spec::BuiltInPlan& system : spec::builtInPlans())
        if (system.plan.collective != Collective::none && system.plan.serverRanks() == 0 &&
            system.plan.grouping != Grouping::fusion)
            plans.push_back(system.plan);
    if (ranks > 2)
        std::erase_if(plans, [](const AggregationPlan& plan) { return plan.grouping == Grouping::optimal; });
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
std::uint64_t agreementsIn(const Traffic& sent, std::uint64_t gradients, int ranks)
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
        for (const Plans& plans : {plansOfFixedGroups(ranks), plansOfServers()}) {
            const auto sent = sentIn(2, ranks, plans);
            for (std::size_t i = 0; i < plans.size(); ++i) {
                INFO(ranks << " ranks, " << plans[i].name);
                CHECK(sent[i].bytes == 2 * expected({ranks}, plans[i]));
                CHECK(sent[i].messages > 0);
                isDearer = isDearer || expected({ranks}, plans[i]) > expected({ranks}, plans[i], {});
            }
        }
    CHECK(isDearer);
}

TEST_CASE("over TCP a hierarchical plan on two nodes of two ranks sends the formula's bytes")
{
    Plans plans;
    for (const auto compression : {Compression::none, Compression::bf16})
        plans.push_back(test::planOf(Collective::hierarchical, Grouping::buckets, Schedule::overlapped, compression));
    const auto sent = sentIn(2, 4, plans, 2);
    for (std::size_t i = 0; i < plans.size(); ++i) {
        INFO(plans[i].name);
        CHECK(sent[i].bytes == 2 * expected({2, 2}, plans[i]));
        CHECK(expected({2, 2}, plans[i]) > expected({2, 2}, plans[i], {})); // a node's sum is made by parts
    }
}

TEST_CASE("over TCP ranks that agree on what they have ready send that, and a word to each other for each agreement")
{
    Plans plans;
    for (const auto compression : {Compression::none, Compression::bf16}) {
        plans.push_back(test::planOf(Collective::allreduce, Grouping::perTensor, Schedule::priority, compression));
        // Whatever it groups, that costs the same: by parts at any size.
        plans.push_back(
            test::planOf(Collective::reduceScatterAllgather, Grouping::fusion, Schedule::overlapped, compression));
    }
    const auto isCounted = [](const AggregationPlan& plan, const Traffic& sent, int ranks) {
        INFO(ranks << " ranks, " << plan.name);
        CHECK(agreementsIn(sent, 2 * expected({ranks}, plan), ranks) >= 2);
    };
    for (const int ranks : {2, 4}) {
        const auto sent = sentIn(2, ranks, plans);
        for (std::size_t i = 0; i < plans.size(); ++i)
            isCounted(plans[i], sent[i], ranks);
    }
    const Plans fused{test::planOf(Collective::allreduce, Grouping::fusion, Schedule::overlapped),
                      spec::findBuiltInPlan("horovod")->plan, spec::findBuiltInPlan("horovod-old")->plan};
    const auto sent = sentIn(2, 2, fused); // of two ranks each sends as much by a ring as to all
    for (std::size_t i = 0; i < fused.size(); ++i)
        isCounted(fused[i], sent[i], 2);
}
