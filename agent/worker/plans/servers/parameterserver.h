// SPDX-License-Identifier: MIT
// A server rank: holds shards of the weights and owns their update.
//
// Synchronous: once every rank that trains has pushed its gradients of a shard, their sum makes one step, and all get
// the weights. Asynchronous: each push makes a step by itself, and its rank gets the weights (Dean et al., "Large Scale
// Distributed Deep Networks", NIPS 2012, Downpour SGD). Protocol: serverprotocol.h.
#pragma once

#include "agent/worker/collectives/communicator.h"
#include "agent/worker/models/sgd.h"
#include "agent/worker/plans/compressions/gradientcodec.h"
#include "agent/worker/plans/servers/serverprotocol.h"
#include "core/protocol/aggregationplan.h"

#include <ATen/core/Tensor.h>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ringside {

/// Counts of a server's work.
struct ServerReport
{
    std::size_t shards = 0;
    std::uint64_t numbers = 0;
    std::uint64_t pushes = 0;
    std::uint64_t updates = 0; ///< of all shards together
    /// Updates of a shard by others between the moment when its weights were sent to a rank and the push of gradients
    /// that the rank made of them; 0 with synchronous updates.
    std::uint64_t staleness = 0; ///< summed over pushes
    std::uint64_t mostStale = 0;
};

class ParameterServer
{
public:
    /// `ranks` of the world train; stores the reference.
    ParameterServer(const AggregationPlan& plan, const OptimizerSettings& optimizer, Communicator& world, int ranks);

    /// From the first weights until every rank that trains has left. Blocking; fails if one is lost, or its messages
    /// are none of this protocol.
    Result<ServerReport> serve();

private:
    struct Shard
    {
        explicit Shard(at::Tensor initial, const OptimizerSettings& optimizer, int ranks);

        at::Tensor weights; ///< its gradient is the sum so far
        std::span<float> sum;
        Sgd sgd;
        int pushes = 0; ///< in the sum
        std::uint64_t updates = 0;
        std::vector<std::uint64_t> sentAt;                 ///< by rank: updates when it was sent the weights
        std::vector<std::unique_ptr<Transfer>> onTheirWay; ///< weights to ranks
    };
    using Votes = std::array<float, serverprotocol::kVotes>;

    Result<void> start();
    Result<void> handle(const Envelope& message);
    Result<void> answerVote(int rank);
    Result<void> takePush(const Envelope& message);
    Result<void> receiveInto(Shard& shard, const Envelope& message);
    Result<void> update(Shard& shard);
    Result<void> sendWeights(Shard& shard, int rank, int tag);
    Shard* find(int tag);

    Communicator& m_world;
    const OptimizerSettings m_optimizer;
    const int m_ranks;
    const bool m_isAsynchronous;
    std::unique_ptr<GradientCodec> m_codec;
    std::vector<std::unique_ptr<Shard>> m_shards; ///< by unit; null for what other servers hold
    std::vector<std::byte> m_message;
    Votes m_votes{};
    int m_present;
    ServerReport m_report;
};

} // namespace ringside
