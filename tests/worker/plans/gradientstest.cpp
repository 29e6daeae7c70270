// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/communicator.h"
#include "agent/worker/collectives/rankgroup.h"
#include "tests/worker/plans/plansfortests.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace ringside;
using namespace std::chrono_literals;

namespace {

/// Of three iterations, since buckets are used again.
std::vector<std::string> probing(const std::vector<AggregationPlan>& plans, const std::string& tolerance,
                                 const std::string& model = "lenet")
{
    std::vector<std::string> command{GRADIENT_PROBE, model, "3", tolerance};
    for (const auto& plan : plans)
        command.push_back(toJson(plan).dump());
    return command;
}

std::vector<std::string> onTwoNodes(std::vector<std::string> probing)
{
    probing.insert(probing.begin() + 1, "nodes=2");
    return probing;
}

/// Weights after three iterations, of which the later ones have momentum.
std::vector<std::string> serving(const std::vector<AggregationPlan>& plans, const std::string& tolerance)
{
    std::vector<std::string> command{SERVER_PROBE, "3", tolerance};
    for (const auto& plan : plans)
        command.push_back(toJson(plan).dump());
    return command;
}

/// Of a network with a unit that is cut over the servers.
std::vector<std::string> onWide(std::vector<std::string> serving)
{
    serving.insert(serving.begin() + 1, "wide");
    return serving;
}

/// Exact, with a unit that is cut, alone or with others, and with priority one beside what is left of its bucket.
std::vector<AggregationPlan> plansThatCut(int servers)
{
    std::vector<AggregationPlan> plans;
    for (const auto& [grouping, schedule] : {std::pair(Grouping::perTensor, Schedule::overlapped),
                                             {Grouping::buckets, Schedule::overlapped},
                                             {Grouping::one, Schedule::afterBackward},
                                             {Grouping::perTensor, Schedule::priority}})
        plans.push_back(test::servedPlan(servers, grouping, schedule));
    plans.back().chunkBytes = kDefaultChunkBytes;
    return plans;
}

bool noMpi()
{
    if (mpiVersion().empty())
        MESSAGE("skipped: built without MPI");
    return mpiVersion().empty();
}

int exitCodeOf(int ranks, const std::vector<std::string>& command, Meeting meeting = Meeting::mpi)
{
    auto group = RankGroup::start(ranks, command, meeting);
    REQUIRE(group);
    const auto code = group->wait(300s);
    INFO((code ? "" : code.error().message)); // that they hung, or were too slow
    REQUIRE(code);
    return *code;
}

} // namespace

TEST_CASE("gradients of several ranks are those of one rank with the joined batch, for every plan")
{
    if (noMpi())
        return;
    for (const int ranks : {2, 4})
        for (const auto collective : test::kSums) {
            INFO(ranks << " ranks, " << nameOf(collective));
            CHECK(exitCodeOf(ranks, probing(test::exactPlans(collective), "1e-5")) == 0);
        }
}

TEST_CASE("they are so where two layers share a weight, whose gradient is there last")
{
    if (noMpi())
        return;
    const auto plans = test::exactPlans(Collective::allreduce);
    CHECK(exitCodeOf(2, probing(plans, "1e-5", "gpt2")) == 0);
    CHECK(exitCodeOf(2, probing({plans.front()}, "1e-12", "gpt2")) == 1); // there is something to be off by
}

TEST_CASE("they are so without MPI, too")
{
    for (const auto collective : test::kSums) {
        INFO(nameOf(collective));
        CHECK(exitCodeOf(3, probing(test::exactPlans(collective), "1e-5"), Meeting::tcp) == 0);
    }
}

TEST_CASE("they are so on two nodes, whose first ranks sum between the nodes, and where one has fewer ranks")
{
    if (noMpi())
        return;
    const auto command = onTwoNodes(probing(test::exactPlans(Collective::hierarchical), "1e-5"));
    for (const int ranks : {3, 4}) {
        INFO(ranks << " ranks");
        CHECK(exitCodeOf(ranks, command) == 0);
        CHECK(exitCodeOf(ranks, command, Meeting::tcp) == 0);
    }
}

TEST_CASE("a hierarchical sum hands over what has to go inside a node, and between nodes what has to go there")
{
    const auto hands = [](const char* nodes, const std::vector<std::string>& times) {
        std::vector<std::string> command{NODES_PROBE, nodes};
        command.insert(command.end(), times.begin(), times.end());
        return exitCodeOf(static_cast<int>(times.size()), command, Meeting::tcp) == 0;
    };
    CHECK(hands("2", {"3", "1", "3", "1"})); // up or to the sum, between, down
    CHECK(hands("2", {"3", "1", "1"}));      // the last one speaks for itself alone
    CHECK(hands("1", {"2", "1", "1", "1"})); // nobody to speak to
    CHECK(hands("3", {"1", "1", "1"}));      // nobody to speak for
    CHECK_FALSE(hands("2", {"2", "1", "2", "1"}));
}

TEST_CASE("gradients of 16 bits are off by their rounding, and by no more")
{
    if (noMpi())
        return;
    for (const auto& [compression, tolerance] : {std::pair(Compression::fp16, "2e-3"), {Compression::bf16, "2e-2"}}) {
        std::vector<AggregationPlan> plans;
        for (const auto collective : test::kSums)
            plans.push_back(test::planOf(collective, Grouping::buckets, Schedule::overlapped, compression));
        for (const int ranks : {2, 4}) {
            INFO(ranks << " ranks, " << nameOf(compression));
            CHECK(exitCodeOf(ranks, probing(plans, tolerance)) == 0);
        }
        CHECK(exitCodeOf(4, onTwoNodes(probing({plans.at(1)}, tolerance))) == 0);
        CHECK(exitCodeOf(4, probing({plans.front()}, "1e-6")) == 1); // it does round
    }
}

TEST_CASE("servers make of the ranks' gradients the weights of one rank with the joined batch, for every plan")
{
    if (noMpi())
        return;
    for (const int servers : {1, 2})
        for (const int ranks : {2, 4}) {
            INFO(ranks << " ranks, " << servers << " servers");
            CHECK(exitCodeOf(ranks + servers, serving(test::exactServedPlans(servers), "1e-5")) == 0);
        }
}

TEST_CASE("they do so of a unit that is cut over them, too")
{
    if (noMpi())
        return;
    const auto plans = plansThatCut(2);
    for (const int ranks : {2, 4}) {
        INFO(ranks << " ranks");
        CHECK(exitCodeOf(ranks + 2, onWide(serving(plans, "1e-5"))) == 0);
    }
    const auto half = test::servedPlan(2, Grouping::buckets, Schedule::overlapped, Compression::fp16);
    CHECK(exitCodeOf(4, onWide(serving({half}, "2e-3"))) == 0);
    CHECK(exitCodeOf(4, onWide(serving({half}, "1e-6"))) == 1); // it does round
}

TEST_CASE("a single rank may have servers, too")
{
    if (noMpi())
        return;
    const auto plan = test::servedPlan(2, Grouping::perTensor, Schedule::overlapped);
    auto asynchronous = plan;
    asynchronous.asynchronous = true; // with nobody to be overtaken by
    CHECK(exitCodeOf(3, serving({plan, asynchronous}, "1e-6")) == 0);
    CHECK(exitCodeOf(3, onWide(serving({plan, asynchronous}, "1e-6"))) == 0);
}

TEST_CASE("asynchronous servers wait for no rank that waits for another of them")
{
    if (noMpi())
        return;
    CHECK(exitCodeOf(5, {CIRCLE_PROBE}) == 0);
}

TEST_CASE("gradients of 16 bits on their way to servers are off by their rounding, and by no more")
{
    if (noMpi())
        return;
    for (const auto& [compression, tolerance] : {std::pair(Compression::fp16, "2e-3"), {Compression::bf16, "2e-2"}}) {
        const auto plan = test::servedPlan(2, Grouping::buckets, Schedule::overlapped, compression);
        for (const int ranks : {2, 4}) {
            INFO(ranks << " ranks, " << nameOf(compression));
            CHECK(exitCodeOf(ranks + 2, serving({plan}, tolerance)) == 0);
        }
        CHECK(exitCodeOf(4, serving({plan}, "1e-6")) == 1); // it does round
    }
}

// CI runs the self-test, which does the same between 3.
TEST_CASE("collectives between 2 and 4 processes carry data" * doctest::test_suite("thorough"))
{
    if (noMpi())
        return;
    for (const int ranks : {2, 4})
        CHECK(exitCodeOf(ranks, {RINGSIDE_BIN "/ringside-worker", "selftest", "--rank"}) == 0);
}

TEST_CASE("a rank that cannot find its peers fails the check instead of passing it")
{
    CHECK(exitCodeOf(1, {RINGSIDE_BIN "/ringside-worker", "selftest", "--rank"}) == 1);
}
