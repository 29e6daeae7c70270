// SPDX-License-Identifier: MIT
// One rank of a hierarchical sum over nodes that the ranks make believe to be on.
// usage: nodesprobe NODES TIMES …: how many times its numbers each rank hands to collectives. Exit code 0 if this rank
// did, and has the sum of all ranks, and only of them.
#include "agent/worker/plans/sums/summation.h"
#include "agent/worker/selftest/plangradients.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

using namespace ringside;

namespace {

constexpr std::size_t kCount = 10'007;

Result<bool> sums(Communicator& communicator, std::uint64_t times)
{
    TRY_ASSIGN(const auto summation, makeSummation(Collective::hierarchical, communicator));
    std::vector<float> numbers(kCount, static_cast<float>(1 << communicator.rank()));
    TRY_ASSIGN(const auto handed, summation->sum(std::span(numbers)));
    const auto expected = static_cast<float>((1 << communicator.worldSize()) - 1);
    const bool right = std::ranges::all_of(numbers, [&](float number) { return number == expected; });
    fmt::print("rank {}: {} bytes handed over; {}\n", communicator.rank(), handed, right ? "summed" : "no sum");
    return right && handed == times * kCount * sizeof(float);
}

} // namespace

int main(int argc, char** argv)
{
    const auto communicator = makeCommunicator();
    if (!communicator || (*communicator)->worldSize() < 2 || argc != 2 + (*communicator)->worldSize())
        return 2;
    pretendNodes(**communicator, std::atoi(argv[1]));
    const auto right = sums(**communicator, std::strtoull(argv[2 + (*communicator)->rank()], nullptr, 10));
    if (!right)
        fmt::print(stderr, "{}\n", right.error().text());
    return right && *right ? 0 : 1;
}
