// SPDX-License-Identifier: MIT
// One rank of a hierarchical sum over nodes that the ranks make believe to be on.
// usage: nodesprobe NODES FIRST OTHER: how many times its numbers the first rank of a node hands to collectives, and
// how many times another. Exit code 0 if this rank did, and has the sum of all ranks, and only of them.
#include "agent/worker/plans/summation.h"
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
    if (argc != 4 || !communicator || (*communicator)->worldSize() < 2)
        return 2;
    const int nodes = std::atoi(argv[1]);
    pretendNodes(**communicator, nodes);
    const bool isFirst = (*communicator)->rank() % ((*communicator)->worldSize() / nodes) == 0;
    const auto right = sums(**communicator, std::strtoull(argv[isFirst ? 2 : 3], nullptr, 10));
    if (!right)
        fmt::print(stderr, "{}\n", right.error().text());
    return right && *right ? 0 : 1;
}
