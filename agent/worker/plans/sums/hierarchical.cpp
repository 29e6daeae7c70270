// SPDX-License-Identifier: MIT
// Reduced inside each node, all-reduced between the nodes, broadcast inside.
#include "agent/worker/plans/sums/summation.h"

#include <algorithm>

namespace ringside {

namespace {

/// The first rank of each node speaks for it: the line between nodes carries one copy of each node's sum. Where a node
/// has one rank, or there is one node, nothing is handed over inside or between.
class Hierarchical : public Summation
{
public:
    Hierarchical(std::unique_ptr<Communicator> node, std::unique_ptr<Communicator> leaders)
        : m_node(std::move(node))
        , m_leaders(std::move(leaders))
    {
    }
    Result<std::uint64_t> sum(Numbers numbers) override
    {
        const bool isShared = m_node->worldSize() > 1, leads = m_node->rank() == 0;
        std::uint64_t bytes = 0;
        if (isShared) {
            TRY(m_node->reduceSum(numbers, 0));
            bytes += numbers.bytes();
        }
        if (m_leaders) {
            TRY(m_leaders->allReduceSum(numbers));
            bytes += numbers.bytes();
        }
        if (isShared) {
            TRY(m_node->broadcast({numbers.data, numbers.bytes()}, 0));
            bytes += leads ? numbers.bytes() : 0;
        }
        return bytes;
    }

private:
    std::unique_ptr<Communicator> m_node;
    std::unique_ptr<Communicator> m_leaders; ///< null but on a node's first rank, if there are other nodes
};

Result<std::unique_ptr<Summation>> make(Communicator& communicator)
{
    TRY_ASSIGN(const auto hosts, hostsOf(communicator));
    const auto own = hosts[static_cast<std::size_t>(communicator.rank())];
    const auto node = std::find(hosts.begin(), hosts.end(), own) - hosts.begin();
    TRY_ASSIGN(auto inside, communicator.split(static_cast<int>(node)));
    TRY_ASSIGN(auto leaders, communicator.split(inside->rank() == 0 ? 0 : 1));
    if (inside->rank() != 0 || leaders->worldSize() == 1)
        leaders.reset();
    return std::make_unique<Hierarchical>(std::move(inside), std::move(leaders));
}

/// On the first rank. By parts all but its own come to it once more.
std::uint64_t reduceBytes(const ExchangedNumbers& numbers, std::size_t bytesOfNumber, int ranks)
{
    const std::uint64_t once = static_cast<std::uint64_t>(ranks - 1) * numbers.count * bytesOfNumber;
    const std::size_t others = numbers.count - partOf(numbers.count, 0, ranks).count;
    return numbers.sums.reducesByParts ? once + others * bytesOfNumber : once;
}

/// On the first rank of each node, among these, and from them to the others. Where nothing is sent beside what must
/// be, 2 (ranks - 1) times the numbers as well: no less than a ring, but elsewhere.
std::uint64_t sentBytes(const ExchangedNumbers& numbers, std::size_t bytesOfNumber)
{
    const std::uint64_t each = numbers.count * bytesOfNumber;
    std::uint64_t bytes = allReduceBytes(each, numbers.ranksOfNodes.size(), numbers.sums);
    for (const int ranks : numbers.ranksOfNodes)
        bytes += reduceBytes(numbers, bytesOfNumber, ranks) + static_cast<std::uint64_t>(ranks - 1) * each;
    return bytes;
}

} // namespace

extern const SummationKind kHierarchical{Collective::hierarchical, make, sentBytes, HandedOver::byNodes};

} // namespace ringside
