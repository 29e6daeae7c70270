// SPDX-License-Identifier: MIT
// The worker's all-reduce against MPI_Allreduce in a bare loop, as the OSU benchmarks call it, by two ranks of this
// computer. Usage: bench_allreduce. Prints lines "name value unit target".
#include "agent/worker/collectives/rankgroup.h"
#include "tests/bench/support/allreducepairs.h"

#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <mpi.h>
#include <vector>

using namespace ringside;

namespace {

constexpr int kRanks = 2;
constexpr std::size_t kBytes[] = {4u << 10, 64u << 10, 256u << 10, 1u << 20, 16u << 20, 100'000'000};

/// Zeros stay zeros, however often they are added.
void measure(Communicator& communicator, std::size_t bytes)
{
    std::vector<float> numbers(bytes / sizeof(float));
    bench::AllReducePair pair{fmt::format("allreduce.{}_bytes_vs_mpi", bytes), ">=0.97",
                              fmt::format("{} ranks here", kRanks), nullptr, nullptr};
    pair.bare = [&](int count) {
        for (int i = 0; i < count; ++i)
            MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_FLOAT, MPI_SUM,
                          MPI_COMM_WORLD);
    };
    pair.ours = [&](int count) {
        for (int i = 0; i < count; ++i)
            bench::must(communicator.allReduceSum(std::span<float>(numbers)));
    };
    bench::compare(communicator, pair);
}

int asRank()
{
    const auto communicator = bench::must(makeCommunicator());
    for (const std::size_t bytes : kBytes)
        measure(*communicator, bytes);
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc > 1 && std::strcmp(argv[1], "rank") == 0)
        return asRank();
    auto ranks = RankGroup::start(kRanks, {std::filesystem::read_symlink("/proc/self/exe"), "rank"}, Meeting::mpi);
    const auto code = ranks ? ranks->wait(std::chrono::minutes(10)) : tl::unexpected(ranks.error());
    if (!code)
        fmt::print(stderr, "{}\n", code.error().text());
    return code.value_or(1);
}
