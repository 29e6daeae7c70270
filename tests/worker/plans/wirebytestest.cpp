// SPDX-License-Identifier: MIT
// What ranks send, as Open MPI counts it message by message (its monitoring component), against the formula.
#include "agent/worker/plans/wirebytes.h"
#include "agent/worker/collectives/communicator.h"
#include "agent/worker/collectives/rankgroup.h"
#include "agent/worker/plans/buckets.h"
#include "tests/support/temporaryfolder.h"
#include "tests/worker/plans/plansfortests.h"

#include <algorithm>
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

/// Lines “E 0 1 1234 bytes 18 msgs sent …” of point-to-point messages, those of collectives among them.
std::uint64_t sentBytes(const fs::path& folder)
{
    std::uint64_t total = 0;
    for (const auto& file : fs::directory_iterator(folder)) {
        std::ifstream lines(file.path());
        for (std::string line; std::getline(lines, line);) {
            std::istringstream words(line);
            std::string kind;
            std::uint64_t from = 0, to = 0, bytes = 0;
            if (words >> kind >> from >> to >> bytes && (kind == "E" || kind == "I"))
                total += bytes;
        }
    }
    return total;
}

std::uint64_t sentIn(int iterations, int ranks, const AggregationPlan& plan)
{
    const test::TemporaryFolder folder;
    const Monitoring monitoring(folder.path());
    constexpr const char* kAnyError = "1e30"; // asynchronous updates are no steps of one big batch
    const char* probe = plan.serverRanks() > 0 ? SERVER_PROBE : GRADIENT_PROBE;
    auto group = RankGroup::start(ranks + plan.serverRanks(),
                                  {probe, std::to_string(iterations), kAnyError, toJson(plan).dump()});
    REQUIRE(group);
    const auto code = group->wait(120s);
    REQUIRE(code);
    REQUIRE(*code == 0);
    return sentBytes(folder.path());
}

std::uint64_t expected(int ranks, const AggregationPlan& plan)
{
    std::vector<std::uint64_t> bytes;
    for (const auto count : kTensors)
        bytes.push_back(4 * count);
    std::uint64_t total = 0;
    const int nodes[] = {ranks};
    for (const auto& group : groupTensors(plan, bytes)) {
        std::size_t numbers = 0;
        for (const auto tensor : group)
            numbers += kTensors[tensor];
        total += wireBytes(plan, numbers, nodes);
    }
    return total;
}

} // namespace

TEST_CASE("the bytes that ranks send in an iteration are those of the formula, for every plan")
{
    if (mpiVersion().empty()) {
        MESSAGE("skipped: built without MPI");
        return;
    }
    auto plans = test::plansOfFixedGroups();
    std::ranges::move(plansOfServers(), std::back_inserter(plans));
    for (const int ranks : {2, 4})
        for (const AggregationPlan& plan : plans) {
            INFO(ranks << " ranks, " << plan.name);
            const auto difference = sentIn(3, ranks, plan) - sentIn(1, ranks, plan);
            CHECK(difference == 2 * expected(ranks, plan));
        }
}

TEST_CASE("with the schedule priority ranks send that, and beside it no more than they need to agree on an order")
{
    if (mpiVersion().empty()) {
        MESSAGE("skipped: built without MPI");
        return;
    }
    const auto plan = test::planOf(Collective::allreduce, Grouping::perTensor, Schedule::priority);
    for (const int ranks : {2, 4}) {
        INFO(ranks << " ranks");
        const auto difference = sentIn(3, ranks, plan) - sentIn(1, ranks, plan);
        const auto gradients = 2 * expected(ranks, plan);
        CHECK(difference > gradients);
        CHECK(difference <= gradients + gradients / 20);
    }
}
