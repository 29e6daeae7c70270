// SPDX-License-Identifier: MIT
// The worker's all-reduce against MPI_Allreduce in a bare loop, as the OSU benchmarks call it: two ranks of this
// computer, the same buffer, in alternating rounds of one process. Usage: bench_allreduce. Prints lines "name value
// unit target": the bare loop's time over ours, median over rounds.
#include "agent/worker/collectives/communicator.h"
#include "agent/worker/collectives/rankgroup.h"
#include "tests/bench/support/numbers.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <mpi.h>
#include <span>
#include <vector>

using namespace ringside;

namespace {

constexpr int kRanks = 2;
constexpr int kRounds = 15;
constexpr double kRoundSeconds = 0.15;
constexpr std::size_t kBytes[] = {4u << 10, 64u << 10, 1u << 20, 16u << 20, 100'000'000};

using Sum = void (*)(Communicator& communicator, std::span<float> numbers);

void ours(Communicator& communicator, std::span<float> numbers)
{
    if (!communicator.allReduceSum(numbers))
        communicator.abort(1);
}

void bare(Communicator&, std::span<float> numbers)
{
    MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

/// Seconds of one, of `count` that begin together. Zeros stay zeros, however often they are added.
double secondsOf(Communicator& communicator, Sum sum, std::span<float> numbers, int count)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i)
        sum(communicator, numbers);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() / count;
}

/// As many as fill a round, the same on all ranks.
int countFor(Communicator& communicator, std::span<float> numbers)
{
    double seconds = secondsOf(communicator, bare, numbers, 3);
    MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return std::clamp(static_cast<int>(kRoundSeconds / seconds), 2, 5'000);
}

void measure(Communicator& communicator, std::size_t bytes)
{
    std::vector<float> numbers(bytes / sizeof(float));
    const int count = countFor(communicator, numbers);
    std::vector<double> ratios, times;
    for (int round = 0; round < kRounds; ++round) {
        const double raw = secondsOf(communicator, bare, numbers, count);
        const double own = secondsOf(communicator, ours, numbers, count);
        ratios.push_back(raw / own);
        times.push_back(own);
    }
    if (communicator.rank() == 0)
        fmt::print("allreduce.{}_bytes_vs_mpi {:.3f} ratio >=0.97  # {:.0f} us, {} ranks here\n", bytes,
                   bench::median(ratios), 1e6 * bench::median(times), kRanks);
}

int asRank()
{
    const auto communicator = makeCommunicator();
    if (!communicator)
        return 1;
    for (const std::size_t bytes : kBytes)
        measure(**communicator, bytes);
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
