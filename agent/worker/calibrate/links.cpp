// SPDX-License-Identifier: MIT
#include "agent/worker/calibrate/links.h"

#include "agent/worker/collectives/nodesums.h"
#include "agent/worker/collectives/repeat.h"
#include "agent/worker/device/tensors.h"
#include "core/model/costfit.h"

#include <algorithm>
#include <map>

namespace ringside {

namespace {

constexpr std::chrono::milliseconds kBudget{300}; // for each size
constexpr double kSlowest = 2;                    // s; of a call after which no longer message is tried
constexpr std::size_t kSmallest = 4096, kDoubledTo = 64u << 20, kLargest = 100'000'000;
/// The longest that ranks of one node do not sum in shared memory: there the cost changes.
constexpr std::size_t kLongestMessageOfNode = NodeSums::kLeastBytes - kSmallest;
/// A short message takes less time than ranks need to leave a barrier: several make the difference small.
constexpr std::size_t kShort = 64u << 10;
constexpr int kRounds = 8;

std::vector<std::size_t> messageSizes()
{
    std::vector<std::size_t> sizes;
    for (std::size_t bytes = kSmallest; bytes <= kDoubledTo; bytes *= 2)
        sizes.push_back(bytes);
    sizes.push_back(kLargest);
    sizes.insert(std::ranges::upper_bound(sizes, kLongestMessageOfNode), kLongestMessageOfNode);
    return sizes;
}

Result<void> sum(Communicator& group, std::span<float> numbers)
{
    TRY(group.allReduceSum(numbers));
    TRY_ASSIGN(const auto enqueued, group.enqueued());
    return enqueued->await();
}

Result<MessageTime> measureMessage(Communicator& group, LinkOperation operation, std::span<float> numbers,
                                   std::chrono::milliseconds budget)
{
    const bool returns = operation == LinkOperation::pingPong;
    const int rounds = returns && numbers.size_bytes() <= kShort ? kRounds : 1;
    const auto call = [&]() -> Result<void> {
        if (!returns)
            return sum(group, numbers);
        for (int round = 0; round < rounds; ++round)
            TRY(pingPong(group, std::as_writable_bytes(numbers)));
        return {};
    };
    constexpr int fewest = 3;
    TRY_ASSIGN(const double seconds, slowestSeconds(group, budget, fewest, call));
    return MessageTime{numbers.size_bytes(), returns ? seconds / (2 * rounds) : seconds};
}

} // namespace

Result<LinkGroups> makeLinkGroups(Communicator& communicator, const std::vector<std::string>& hosts)
{
    std::map<std::string, int> first, count; // of each host: the lowest rank, and how many there are
    int place = 0;                           // of this rank on its host
    for (int rank = 0; rank < communicator.worldSize(); ++rank) {
        const std::string& host = hosts[static_cast<std::size_t>(rank)];
        first.emplace(host, rank);
        if (rank == communicator.rank())
            place = count[host];
        ++count[host];
    }
    LinkGroups groups;
    groups.leads = place == 0;
    groups.nodeCount = static_cast<int>(count.size());
    for (const auto& [host, ranks] : count)
        groups.mostOnNode = std::max(groups.mostOnNode, ranks);
    const int leader = first[hosts[static_cast<std::size_t>(communicator.rank())]];
    TRY_ASSIGN(groups.node, communicator.split(leader));
    TRY_ASSIGN(groups.nodes, communicator.split(place));
    return groups;
}

Result<LinkCost> measureLink(Communicator& group, LinkLevel level, LinkOperation operation, c10::Device device,
                             std::chrono::milliseconds budget)
{
    LinkCost link{level, operation, group.worldSize(), {}, {}};
    link.inGpuMemory = operation == LinkOperation::allReduce && !device.is_cpu() && group.stream();
    const at::Tensor zeros = zerosOn(link.inGpuMemory ? device : c10::Device(c10::kCPU), kLargest);
    const std::span<float> numbers = numbersOf(zeros);
    for (const std::size_t bytes : messageSizes()) {
        TRY_ASSIGN(const auto time,
                   measureMessage(group, operation, numbers.first(bytes / sizeof(float)), std::min(kBudget, budget)));
        link.times.push_back(time);
        const double call = operation == LinkOperation::pingPong ? 2 * time.seconds : time.seconds;
        if (call > kSlowest) // the same on all ranks
            break;
    }
    link.segments = model::fitCost(link.times);
    return link;
}

Result<void> pingPong(Communicator& group, std::span<std::byte> message)
{
    if (group.rank() == 0) {
        TRY(group.send(message, 1));
        return group.receive(message, 1);
    }
    if (group.rank() == 1) {
        TRY(group.receive(message, 0));
        return group.send(message, 0);
    }
    return {};
}

} // namespace ringside
