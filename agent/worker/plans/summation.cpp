// SPDX-License-Identifier: MIT
#include "agent/worker/plans/summation.h"

#include <algorithm>

namespace ringside {

namespace {

class AllReduce : public Summation
{
public:
    explicit AllReduce(Communicator& communicator)
        : m_communicator(communicator)
    {
    }
    Result<std::uint64_t> sum(Numbers numbers) override
    {
        TRY(m_communicator.allReduceSum(numbers));
        return numbers.bytes();
    }
    QueuedSums* queuedSums() override { return m_communicator.queuedSums(); }

private:
    Communicator& m_communicator;
};

class ScatterGather : public Summation
{
public:
    explicit ScatterGather(Communicator& communicator)
        : m_communicator(communicator)
    {
    }
    Result<std::uint64_t> sum(Numbers numbers) override
    {
        TRY(m_communicator.reduceScatterSum(numbers));
        TRY(m_communicator.allGatherParts(numbers));
        const Part mine = partOf(numbers.count, m_communicator.rank(), m_communicator.worldSize());
        return numbers.bytes() + mine.count * bytesOf(numbers.type);
    }

private:
    Communicator& m_communicator;
};

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

Result<std::unique_ptr<Summation>> makeHierarchical(Communicator& communicator)
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

} // namespace

Result<std::unique_ptr<Summation>> makeSummation(Collective collective, Communicator& communicator)
{
    switch (collective) {
    case Collective::allreduce:
        return std::make_unique<AllReduce>(communicator);
    case Collective::hierarchical:
        return makeHierarchical(communicator);
    case Collective::reduceScatterAllgather:
        return std::make_unique<ScatterGather>(communicator);
    case Collective::none:
    case Collective::parameterServer:
        break;
    }
    return fail(ErrorCode::internal, fmt::format("“{}” is no sum.", nameOf(collective)));
}

} // namespace ringside
