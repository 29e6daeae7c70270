// SPDX-License-Identifier: MIT
// The plug-in's own code (pieces, parts, polling, limits, aborts) over stand-ins for CUDA and NCCL. What NCCL itself
// does is seen on a GPU only (gputest.cpp).
#include "agent/worker/collectives/rankgroup.h"
#include "agent/worker/cuda/pluginloader.h"

#include <algorithm>
#include <cstdlib>
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>
#include <functional>
#include <numeric>
#include <thread>

using namespace ringside;
using namespace std::chrono_literals;

namespace {

int exitCodeOf(int ranks, const std::vector<std::string>& command, Meeting meeting = Meeting::tcp)
{
    auto group = RankGroup::start(ranks, command, meeting);
    REQUIRE(group);
    const auto code = group->wait(60s);
    REQUIRE(code);
    return *code;
}

/// A rank a thread, each with its own group.
void asRanks(int ranks, const std::function<void(cuda::DeviceGroup&, int rank)>& work)
{
    const auto plugin = cuda::loadPlugin();
    REQUIRE(plugin);
    const auto id = (*plugin)->newGroup();
    REQUIRE(id);
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < ranks; ++rank)
        threads.emplace_back([&, rank] {
            const auto group = (*plugin)->join({*id, rank, ranks, 20s});
            CHECK(group);
            if (group)
                work(**group, rank);
        });
}

std::span<float> deviceMemory(std::size_t count)
{
    void* memory = nullptr;
    cudaMalloc(&memory, count * sizeof(float));
    return {static_cast<float*>(memory), count};
}

} // namespace

TEST_CASE("every call gives every rank what it must, over the plug-in, from host memory")
{
    for (const int ranks : {2, 3, 4})
        CHECK(exitCodeOf(ranks, {STANDIN_PROBE, "nccl"}) == 0);
}

TEST_CASE("memory of the GPU is summed where it is, in parts of one length and of several")
{
    for (const std::size_t count : {std::size_t{600'000}, std::size_t{599'999}})
        asRanks(3, [count](cuda::DeviceGroup& group, int rank) {
            const auto numbers = deviceMemory(count);
            std::iota(numbers.begin(), numbers.end(), static_cast<float>(rank));
            CHECK(group.reduceScatterSum(numbers));
            CHECK(group.allGatherParts(numbers));
            bool right = true;
            for (std::size_t i = 0; i < count; ++i)
                right = right && numbers[i] == 3 * static_cast<float>(i) + 3;
            CHECK(right);
            cudaFree(numbers.data());
        });
}

TEST_CASE("a rank that ends takes the others out of their sum, with an error")
{
    CHECK(exitCodeOf(3, {STANDIN_PROBE, "nccl", "leave"}) == 3);
}

TEST_CASE("a rank that does not come is given up after the limit, with an error")
{
    ::setenv("RINGSIDE_NCCL_LIMIT_S", "1", 1);
    CHECK(exitCodeOf(2, {STANDIN_PROBE, "nccl", "stall"}) == 3);
    ::unsetenv("RINGSIDE_NCCL_LIMIT_S");
}

TEST_CASE("a rank that nobody joins is told so after the limit")
{
    const auto plugin = cuda::loadPlugin();
    REQUIRE(plugin);
    const auto id = (*plugin)->newGroup();
    REQUIRE(id);
    const auto alone = (*plugin)->join({*id, 0, 2, 200ms});
    REQUIRE(!alone);
    CHECK(alone.error().code == ErrorCode::timeout);
    CHECK(alone.error().message == "NCCL, rank 0 of 2: ncclCommInitRankConfig did not begin within 0.2 s.");
}
