// SPDX-License-Identifier: MIT
// One rank of a hierarchical sum over nodes that the ranks make believe to be on.
// usage: nodesprobe NODES:TIMES,TIMES,… …: how many times its numbers each rank hands to collectives, on so many nodes.
// Exit code 0 if this rank did, each time, and has the sum of all ranks, and only of them.
#include "agent/worker/endprocess.h"
#include "agent/worker/plans/sums/summation.h"
#include "agent/worker/selftest/plangradients.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <span>
#include <sstream>

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

/// By the word of the command line.
bool isRight(Communicator& communicator, const char* word)
{
    std::istringstream numbers(word);
    int nodes = 0;
    numbers >> nodes;
    pretendNodes(communicator, nodes);
    std::uint64_t times = 0;
    for (int rank = 0; rank <= communicator.rank(); ++rank)
        numbers.ignore() >> times; // a colon or a comma before each
    const auto right = sums(communicator, times);
    if (!right)
        fmt::print(stderr, "{}\n", right.error().text());
    return numbers && right && *right;
}

int exitCodeOf(std::span<char*> words)
{
    const auto communicator = makeCommunicator();
    if (!communicator || (*communicator)->worldSize() < 2 || words.size() < 2)
        return 2;
    bool good = true;
    for (const char* word : words.subspan(1))
        good = isRight(**communicator, word) && good;
    return good ? 0 : 1;
}

} // namespace

int main(int argc, char** argv)
{
    endProcess(exitCodeOf(std::span(argv, static_cast<std::size_t>(argc))));
}
