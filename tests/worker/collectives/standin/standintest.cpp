// SPDX-License-Identifier: MIT
// The plug-in's own code (pieces, parts, polling, limits, aborts) over stand-ins for CUDA and NCCL. What NCCL itself
// does is seen on a GPU only (gputest.cpp).
#include "agent/worker/collectives/rankgroup.h"
#include "agent/worker/cuda/pluginloader.h"
#include "tests/support/built.h"
#include "tests/worker/collectives/standin/cudart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>
#include <functional>
#include <future>
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

/// A rank a thread, each with a stream and a group of its own.
void asRanks(int ranks, const std::function<void(cuda::DeviceGroup&, int rank)>& work,
             std::chrono::milliseconds limit = 20s)
{
    const auto maker = cuda::loadPlugin();
    REQUIRE(maker);
    const auto id = (*maker)->newGroup();
    REQUIRE(id);
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < ranks; ++rank)
        threads.emplace_back([&, rank] {
            const auto plugin = cuda::loadPlugin();
            REQUIRE(plugin);
            REQUIRE((*plugin)->use(0));
            const auto group = (*plugin)->join({*id, rank, ranks, limit});
            CHECK(group);
            if (group)
                work(**group, rank);
        });
}

/// All that was enqueued is done, or will not be.
Result<void> finish(cuda::DeviceGroup& group)
{
    TRY_ASSIGN(const auto enqueued, group.enqueued());
    return enqueued->await();
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
        CHECK(exitCodeOf(ranks, {test::testProgram("standin/standinprobe"), "nccl"}) == 0);
}

TEST_CASE("memory of the GPU is summed where it is, in parts of one length and of several")
{
    for (const std::size_t count : {std::size_t{600'000}, std::size_t{599'999}})
        asRanks(3, [count](cuda::DeviceGroup& group, int rank) {
            const auto numbers = deviceMemory(count);
            std::iota(numbers.begin(), numbers.end(), static_cast<float>(rank));
            CHECK(group.reduceScatterSum(numbers));
            CHECK(group.allGatherParts(numbers));
            CHECK(finish(group));
            bool right = true;
            for (std::size_t i = 0; i < count; ++i)
                right = right && numbers[i] == 3 * static_cast<float>(i) + 3;
            CHECK(right);
            cudaFree(numbers.data());
        });
}

TEST_CASE("bytes of the GPU are gathered and exchanged where they are")
{
    for (const int ranks : {2, 3, 4})
        asRanks(ranks, [ranks](cuda::DeviceGroup& group, int rank) {
            constexpr std::size_t block = 3'000;
            const std::size_t all = block * std::size_t(ranks);
            const auto mine = deviceMemory(block), gathered = deviceMemory(all), out = deviceMemory(all),
                       in = deviceMemory(all);
            std::ranges::fill(mine, static_cast<float>(rank + 1));
            for (std::size_t i = 0; i < all; ++i)
                out[i] = static_cast<float>(100 * (rank + 1)) + static_cast<float>(i / block);
            CHECK(group.allGather(std::as_bytes(mine), std::as_writable_bytes(gathered)));
            CHECK(group.allToAll(std::as_bytes(out), std::as_writable_bytes(in)));
            CHECK(finish(group));
            bool right = true;
            for (std::size_t i = 0; i < all; ++i) {
                const auto peer = static_cast<float>(i / block);
                right = right && gathered[i] == peer + 1 && in[i] == 100 * (peer + 1) + static_cast<float>(rank);
            }
            CHECK(right);
            for (const auto memory : {mine, gathered, out, in})
                cudaFree(memory.data());
        });
}

TEST_CASE("calls are enqueued one behind the other while another rank has not come to the first")
{
    constexpr std::size_t count = 1000, sums = 3;
    std::promise<void> enqueued;
    asRanks(2, [&enqueued](cuda::DeviceGroup& group, int rank) {
        const auto numbers = deviceMemory(count);
        std::iota(numbers.begin(), numbers.end(), static_cast<float>(rank));
        if (rank == 1)
            enqueued.get_future().wait();
        for (std::size_t sum = 0; sum < sums; ++sum)
            CHECK(group.allReduceSum(numbers));
        const auto all = group.enqueued();
        REQUIRE(all);
        if (rank == 0) {
            CHECK((*all)->isDone().value() == false);
            enqueued.set_value();
        }
        CHECK((*all)->await());
        CHECK((*all)->isDone().value());
        bool right = true;
        for (std::size_t i = 0; i < numbers.size(); ++i)
            right = right && numbers[i] == 4 * (2 * static_cast<float>(i) + 1);
        CHECK(right);
        cudaFree(numbers.data());
    });
}

TEST_CASE("what a rank does not come to is given up after the limit, with an error, and so is all that comes later")
{
    const std::array memory{deviceMemory(10), deviceMemory(10)};
    asRanks(
        2,
        [&memory](cuda::DeviceGroup& group, int rank) {
            const auto numbers = memory[std::size_t(rank)];
            if (rank == 0) {
                CHECK(group.allReduceSum(numbers));
                const auto all = group.enqueued();
                REQUIRE(all);
                CHECK((*all)->isDone().value() == false);
                CHECK((*all)->await().error().code == ErrorCode::timeout);
                CHECK((*all)->isDone().error().code == ErrorCode::timeout);
                CHECK(group.allReduceSum(numbers).error().code == ErrorCode::timeout);
            } else {
                std::this_thread::sleep_for(600ms);
            }
        },
        300ms);
    for (const auto numbers : memory)
        cudaFree(numbers.data());
}

TEST_CASE("a GPU that has failed is no rank that was lost")
{
    const auto numbers = deviceMemory(10);
    asRanks(1, [&](cuda::DeviceGroup& group, int) {
        CHECK(group.allReduceSum(numbers));
        const auto all = group.enqueued();
        REQUIRE(all);
        standinFail(true);
        const auto failed = (*all)->await();
        standinFail(false);
        REQUIRE_FALSE(failed);
        CHECK(failed.error().code == ErrorCode::internal);
        CHECK(failed.error().message.find("CUDA error") != std::string::npos);
    });
    cudaFree(numbers.data());
}

TEST_CASE("ranks that name different counts are found out, which NCCL itself would not do")
{
    const std::array memory{deviceMemory(20), deviceMemory(20)};
    asRanks(2, [&memory](cuda::DeviceGroup& group, int rank) {
        auto summed = group.allReduceSum(memory[std::size_t(rank)].first(std::size_t(10 + rank)));
        if (summed)
            summed = finish(group);
        REQUIRE(!summed);
        CHECK(summed.error().text().find("the ranks make different calls") != std::string::npos);
    });
    for (const auto numbers : memory)
        cudaFree(numbers.data());
}

TEST_CASE("memory of the GPU that was given back holds nothing to compute with")
{
    const auto numbers = deviceMemory(1000);
    std::ranges::fill(numbers, 1.f);
    cudaFree(numbers.data());
    CHECK(std::ranges::all_of(numbers, [](float number) { return std::isnan(number); }));
}

TEST_CASE("a rank that ends takes the others out of their sum, with an error")
{
    CHECK(exitCodeOf(3, {test::testProgram("standin/standinprobe"), "nccl", "leave"}) == 3);
}

TEST_CASE("a rank that does not come is given up after the limit, with an error")
{
    ::setenv("RINGSIDE_NCCL_LIMIT_S", "1", 1);
    CHECK(exitCodeOf(2, {test::testProgram("standin/standinprobe"), "nccl", "stall"}) == 3);
    ::unsetenv("RINGSIDE_NCCL_LIMIT_S");
}

TEST_CASE("a rank that no other joins gets an error after the limit")
{
    const auto plugin = cuda::loadPlugin();
    REQUIRE(plugin);
    REQUIRE((*plugin)->use(0));
    const auto id = (*plugin)->newGroup();
    REQUIRE(id);
    const auto alone = (*plugin)->join({*id, 0, 2, 200ms});
    REQUIRE(!alone);
    CHECK(alone.error().code == ErrorCode::timeout);
    CHECK(alone.error().message == "NCCL, rank 0 of 2: ncclCommInitRankConfig did not begin within 0.2 s.");
}
