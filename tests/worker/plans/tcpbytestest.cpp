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

#include <array>
#include <doctest/doctest.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

using namespace ringside;
using namespace std::chrono_literals;

namespace {

using Plans = std::vector<AggregationPlan>;

struct Sent
{
    std::uint64_t bytes = 0, messages = 0; ///< of all processes together
    std::vector<std::uint64_t> handedOver; ///< bytes, by rank 0, each time it handed over some
};

/// By plan, until its end.
std::vector<Sent> readSent(const fs::path& folder)
{
    std::vector<Sent> sent;
    for (const auto& file : fs::directory_iterator(folder)) {
        std::ifstream lines(file.path());
        std::size_t i = 0;
        for (std::string line; std::getline(lines, line); ++i) {
            sent.resize(std::max(sent.size(), i + 1));
            std::istringstream numbers(line);
            Traffic mine;
            numbers >> mine.bytes >> mine.messages;
            REQUIRE(numbers);
            sent[i].bytes += mine.bytes;
            sent[i].messages += mine.messages;
            if (file.path().filename() == "0")
                sent[i].handedOver.assign(std::istream_iterator<std::uint64_t>(numbers), {});
        }
    }
    return sent;
}

std::vector<Sent> sentUntil(int iterations, int ranks, int nodes, const Plans& plans)
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
std::vector<Sent> sentIn(int iterations, int ranks, const Plans& plans, int nodes = 1)
{
    const int before = plans.front().serverRanks() > 0 ? 1 : 0;
    const auto whole = sentUntil(before + iterations, ranks, nodes, plans);
    const auto rest = sentUntil(before, ranks, nodes, plans);
    REQUIRE(whole.size() == plans.size());
    REQUIRE(rest.size() == plans.size());
    std::vector<Sent> sent;
    Traffic earlier;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const Traffic until{whole[i].bytes - rest[i].bytes, whole[i].messages - rest[i].messages};
        sent.push_back({until.bytes - earlier.bytes, until.messages - earlier.messages, whole[i].handedOver});
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

/// Of all-reduces, by the groups that were made; those have to hold all gradients of so many iterations.
std::uint64_t expectedOf(const std::vector<std::uint64_t>& handedOver, int iterations, int ranks,
                         const AggregationPlan& plan)
{
    const std::size_t bytesOfNumber = plan.compression == Compression::none ? 4 : 2;
    std::uint64_t total = 0, numbers = 0;
    for (const std::uint64_t bytes : handedOver) {
        numbers += bytes / bytesOfNumber;
        total += wireBytes(plan, bytes / bytesOfNumber, std::array{ranks}, kTcpSums);
    }
    const auto units = unitsOfLenet(plan);
    REQUIRE(numbers ==
            static_cast<std::uint64_t>(iterations) * std::accumulate(units.begin(), units.end(), std::uint64_t{0}));
    return total;
}

Plans plansOfFixedGroups()
{
    Plans plans = test::plansOfFixedGroups();
    for (const spec::BuiltInPlan& system : spec::builtInPlans())
        if (system.plan.collective != Collective::none && system.plan.serverRanks() == 0 &&
            system.plan.grouping != Grouping::fusion)
            plans.push_back(system.plan);
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
std::uint64_t agreementsIn(const Sent& sent, std::uint64_t gradients, int ranks)
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
    for (const int ranks : {2, 4}) {
        const auto sent = sentIn(2, ranks, plans);
        for (std::size_t i = 0; i < plans.size(); ++i) {
            INFO(ranks << " ranks, " << plans[i].name);
            CHECK(agreementsIn(sent[i], 2 * expected({ranks}, plans[i]), ranks) >= 2);
        }
    }
}

TEST_CASE("over TCP all-reduces of groups that are made while training send the formula's bytes of these groups")
{
    Plans plans{spec::findBuiltInPlan("horovod")->plan, spec::findBuiltInPlan("horovod-old")->plan,
                spec::findBuiltInPlan("mg-wfbp")->plan};
    for (const auto compression : {Compression::none, Compression::bf16})
        for (const auto grouping : {Grouping::fusion, Grouping::optimal})
            plans.push_back(test::planOf(Collective::allreduce, grouping, Schedule::overlapped, compression));
    for (const int ranks : {2, 4}) {
        const auto sent = sentIn(2, ranks, plans);
        for (std::size_t i = 0; i < plans.size(); ++i) {
            INFO(ranks << " ranks, " << plans[i].name);
            const std::uint64_t gradients = expectedOf(sent[i].handedOver, 2, ranks, plans[i]);
            if (plans[i].grouping == Grouping::fusion)
                CHECK(agreementsIn(sent[i], gradients, ranks) >= 2);
            else
                CHECK(sent[i].bytes == gradients);
        }
    }
}
