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

/// A rank a thread, each with its own group.
void asRanks(int ranks, const std::function<void(cuda::DeviceGroup&, int rank)>& work,
             std::chrono::milliseconds limit = 20s)
{
    const auto plugin = cuda::loadPlugin();
    REQUIRE(plugin);
    const auto id = (*plugin)->newGroup();
    REQUIRE(id);
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < ranks; ++rank)
        threads.emplace_back([&, rank] {
            const auto group = (*plugin)->join({*id, rank, ranks, limit});
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
            bool right = true;
            for (std::size_t i = 0; i < count; ++i)
                right = right && numbers[i] == 3 * static_cast<float>(i) + 3;
            CHECK(right);
            cudaFree(numbers.data());
        });
}

/// The first waits for an event that happens when all were started.
TEST_CASE("sums are queued on the GPU behind an event, and settled in their order with the time they took")
{
    constexpr std::size_t count = 1000, sums = 3;
    asRanks(2, [](cuda::DeviceGroup& group, int rank) {
        cudaStream_t stream = nullptr;
        cudaEvent_t filled = nullptr;
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
        CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming) == cudaSuccess);
        const auto numbers = deviceMemory(sums * count);
        std::promise<void> started;
        standin::enqueue(stream, [&] {
            started.get_future().wait();
            std::iota(numbers.begin(), numbers.end(), static_cast<float>(rank));
        });
        CHECK(cudaEventRecord(filled, stream) == cudaSuccess);
        for (int round = 0; round < 2; ++round) { // of the events of the first the second makes use
            for (std::size_t sum = 0; sum < sums; ++sum)
                CHECK(group.start(numbers.subspan(sum * count, count), sum == 0 ? filled : nullptr));
            if (round == 0) {
                const auto early = group.settleOldest();
                CHECK((early && !*early));
                started.set_value();
            }
            for (std::size_t sum = 0; sum < sums;) {
                const auto took = group.settleOldest();
                REQUIRE(took);
                if (*took)
                    CHECK((++sum, (*took)->count() > 0));
            }
        }
        bool right = true;
        for (std::size_t i = 0; i < numbers.size(); ++i)
            right = right && numbers[i] == 2 * (2 * static_cast<float>(i) + 1);
        CHECK(right);
        CHECK(group.allReduceSum(numbers));
        cudaEventDestroy(filled);
        cudaStreamDestroy(stream);
        cudaFree(numbers.data());
    });
}

TEST_CASE("a queued sum that a rank does not come to is given up after the limit, with an error")
{
    const std::array memory{deviceMemory(10), deviceMemory(10)};
    asRanks(
        2,
        [&memory](cuda::DeviceGroup& group, int rank) {
            const auto numbers = memory[std::size_t(rank)];
            if (rank == 0) {
                CHECK(group.start(numbers, nullptr));
                auto took = group.settleOldest();
                while (took && !*took)
                    took = group.settleOldest();
                CHECK(took.error().code == ErrorCode::timeout);
                CHECK(group.start(numbers, nullptr).error().code == ErrorCode::timeout);
            } else {
                std::this_thread::sleep_for(600ms);
            }
        },
        300ms);
    for (const auto numbers : memory)
        cudaFree(numbers.data());
}

TEST_CASE("ranks that name different counts are found out, which NCCL itself would not do")
{
    const std::array memory{deviceMemory(20), deviceMemory(20)};
    asRanks(2, [&memory](cuda::DeviceGroup& group, int rank) {
        const auto summed = group.allReduceSum(memory[std::size_t(rank)].first(std::size_t(10 + rank)));
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
