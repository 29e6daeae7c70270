// SPDX-License-Identifier: MIT
#include "agent/worker/plans/servers/serverlink.h"

#include <algorithm>

namespace ringside {

using namespace serverprotocol;

ServerLink::ServerLink(const AggregationPlan& plan, Communicator& world, int ranks,
                       std::span<const std::size_t> numbers)
    : m_world(world)
    , m_ranks(ranks)
    , m_servers(plan.serverRanks())
    , m_shards(shardsOf(numbers, plan.serverRanks()))
    , m_codec(makeCodec(plan))
{
}

ServerLink::~ServerLink()
{
    if (m_isBroken || (m_answer && !m_answer->await()))
        return;
    for (int server = 0; server < m_servers; ++server)
        static_cast<void>(m_world.send({}, processOf(server), kLeave)); // one that is lost needs no word
}

Result<void> ServerLink::start(const std::function<std::span<float>(std::uint32_t)>& weightsOf)
{
    for (int server = 0; server < m_servers; ++server)
        TRY(startServer(server, weightsOf));
    return {};
}

Result<void> ServerLink::startServer(int server, const std::function<std::span<float>(std::uint32_t)>& weightsOf)
{
    std::vector<ShardHead> heads;
    std::vector<Shard> shards;
    for (std::uint32_t unit = 0; unit < m_shards.size(); ++unit)
        for (const Shard& shard : m_shards[unit])
            if (shard.server == server) {
                heads.push_back({unit, 0, shard.count});
                shards.push_back(shard);
            }
    const std::uint64_t count = heads.size();
    TRY(m_world.send(std::as_bytes(std::span(&count, 1)), processOf(server), kStart));
    TRY(m_world.send(std::as_bytes(std::span(heads)), processOf(server), kStart));
    for (std::size_t i = 0; i < heads.size(); ++i) {
        const auto weights = weightsOf(heads[i].unit).subspan(shards[i].first, shards[i].count);
        TRY(m_world.send(std::as_bytes(weights), processOf(server), kStart));
    }
    return {};
}

Result<ServerLink::Pushed> ServerLink::push(std::uint32_t unit, std::span<float> gradients)
{
    auto pushed = pushShards(unit, gradients);
    m_isBroken = m_isBroken || !pushed;
    return pushed;
}

/// The weights of a shard are asked for as soon as its own gradients are away. A server with asynchronous updates waits
/// until a rank has received weights that were sent to it (ParameterServer::update), so if all of a unit's gradients
/// had to be away first, two servers could wait for two ranks of which each still pushes to the other server. As it is,
/// no server waits for ever, by induction over the servers, in whose order every rank goes through a unit's shards: a
/// rank that has not asked server s for weights that are on their way is still pushing to a server below s, which
/// receives the push sooner or later; and below server 0 there is none.
Result<ServerLink::Pushed> ServerLink::pushShards(std::uint32_t unit, std::span<float> gradients)
{
    Pushed pushed;
    std::vector<std::unique_ptr<Transfer>> sent;
    for (const Shard& shard : m_shards[unit]) {
        const auto name = unit * static_cast<std::uint32_t>(m_servers) + static_cast<std::uint32_t>(shard.server);
        const auto message = m_codec->encode(name, gradients.subspan(shard.first, shard.count));
        TRY_ASSIGN(sent.emplace_back(), m_world.startSend(message, processOf(shard.server), tagOf(unit)));
        pushed.bytes += message.size();
    }
    for (std::size_t i = 0; i < sent.size(); ++i) {
        const Shard& shard = m_shards[unit][i];
        const auto weights = std::as_writable_bytes(gradients.subspan(shard.first, shard.count));
        TRY(sent[i]->await());
        TRY_ASSIGN(pushed.weights.emplace_back(), m_world.startReceive(weights, processOf(shard.server), tagOf(unit)));
    }
    return pushed;
}

Result<bool> ServerLink::Pushed::isDone()
{
    while (!weights.empty()) {
        TRY_ASSIGN(const bool isHere, weights.back()->isDone());
        if (!isHere)
            return false;
        weights.pop_back();
    }
    return true;
}

Result<void> ServerLink::vote(std::span<float> votes)
{
    Votes others{};
    if (m_answer) {
        TRY(m_answer->await());
        others = m_others;
    }
    TRY(m_world.send(std::as_bytes(votes), processOf(0), kVote));
    TRY_ASSIGN(m_answer, m_world.startReceive(std::as_writable_bytes(std::span(m_others)), processOf(0), kVote));
    for (std::size_t i = 0; i < votes.size(); ++i)
        votes[i] += others[i];
    return {};
}

} // namespace ringside
