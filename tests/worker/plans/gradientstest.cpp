// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/communicator.h"
#include "agent/worker/collectives/rankgroup.h"

#include <doctest/doctest.h>

using namespace ringside;
using namespace std::chrono_literals;

namespace {

bool noMpi()
{
    if (mpiVersion().empty())
        MESSAGE("skipped: built without MPI");
    return mpiVersion().empty();
}

int exitCodeOf(int ranks, const std::vector<std::string>& command)
{
    auto group = RankGroup::start(ranks, command);
    REQUIRE(group);
    const auto code = group->wait(120s);
    REQUIRE(code);
    return *code;
}

} // namespace

TEST_CASE("gradients of several ranks are those of one rank with the joined batch, for every plan")
{
    if (noMpi())
        return;
    for (const int ranks : {2, 4})
        for (const std::string grouping : {"one", "buckets"})
            for (const std::string schedule : {"after", "overlapped"}) {
                INFO(ranks << " ranks, " << grouping << ", " << schedule);
                CHECK(exitCodeOf(ranks, {GRADIENT_PROBE, grouping, schedule}) == 0);
            }
}

TEST_CASE("collectives between 2 and 4 processes carry data")
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
