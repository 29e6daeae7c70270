// SPDX-License-Identifier: MIT
// NCCL on the GPUs of this machine: ctest -L gpu. Where there are fewer GPUs than ranks, ranks share one, each with a
// NCCL_HOSTID of its own; that serves to see what is right, not how fast it is.
#include "agent/worker/collectives/rankgroup.h"
#include "agent/worker/cuda/pluginloader.h"
#include "tests/support/built.h"
#include "tests/worker/waitforranks.h"

#include <cstdlib>
#include <doctest/doctest.h>

using namespace ringside;
using namespace std::chrono_literals;

namespace {

bool isSkipped()
{
    const auto plugin = cuda::loadPlugin();
    if (!plugin)
        MESSAGE("skipped: ", plugin.error().text());
    else
        MESSAGE("NCCL ", (*plugin)->nccl(), ", GPUs: ", *cuda::gpuCount());
    return !plugin;
}

int exitCodeOf(int ranks, const std::vector<std::string>& command)
{
    auto group = RankGroup::start(ranks, command, Meeting::tcp);
    REQUIRE(group);
    const auto code = test::waitForRanks(*group, 120s);
    REQUIRE(code);
    return *code;
}

} // namespace

TEST_CASE("every call gives every rank what it must, over NCCL")
{
    if (isSkipped())
        return;
    for (const int ranks : {2, 3, 4})
        CHECK(exitCodeOf(ranks, {test::testProgram("collectiveprobe"), "nccl"}) == 0);
}

TEST_CASE("a rank that ends, or does not come, takes the others out of their sum within the limit")
{
    if (isSkipped())
        return;
    ::setenv("RINGSIDE_NCCL_LIMIT_S", "10", 1);
    CHECK(exitCodeOf(2, {test::testProgram("collectiveprobe"), "nccl", "leave"}) == 3);
    ::setenv("RINGSIDE_NCCL_LIMIT_S", "2", 1);
    CHECK(exitCodeOf(2, {test::testProgram("collectiveprobe"), "nccl", "stall"}) == 3);
    ::unsetenv("RINGSIDE_NCCL_LIMIT_S");
}
