// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/backends.h"
#include "agent/worker/plans/exchangepolicy.h"

#include <doctest/doctest.h>

using namespace ringside;

TEST_CASE("fusion: ready tensors travel together up to the threshold, in their order")
{
    const std::vector<std::uint64_t> bytes{10, 20, 30, 40, 50};
    CHECK(fuse({0, 1, 2, 3, 4}, bytes, 60) == std::vector<Units>{{0, 1, 2}, {3}, {4}});
    CHECK(fuse({1, 4}, bytes, 1'000) == std::vector<Units>{{1, 4}});
    CHECK(fuse({3}, bytes, 1'000) == std::vector<Units>{{3}});
}

TEST_CASE("fusion: a tensor above the threshold goes by itself, and with a threshold of nothing each does")
{
    CHECK(fuse({0, 1, 2}, {10, 500, 10}, 100) == std::vector<Units>{{0}, {1}, {2}});
    CHECK(fuse({0, 1, 2}, {10, 10, 10}, 0) == std::vector<Units>{{0}, {1}, {2}});
}

TEST_CASE("fusion alone sends several units together, no more than there are and up to the threshold")
{
    const auto single = makeSingleCommunicator();
    const auto together = [&single](const AggregationPlan& plan) {
        return policyOf(plan, {40, 60}, *single).mostTogether;
    };
    AggregationPlan plan;
    for (const Schedule schedule : kSchedules) {
        plan.schedule = schedule;
        CHECK(together(plan) == 0);
    }
    plan.grouping = Grouping::fusion;
    CHECK(together(plan) == 100);
    plan.fusionThresholdBytes = 64;
    CHECK(together(plan) == 64);
}
