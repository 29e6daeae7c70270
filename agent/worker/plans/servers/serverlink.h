// SPDX-License-Identifier: MIT
// A training rank's link to its servers. Protocol: serverprotocol.h.
#pragma once

#include "agent/worker/collectives/communicator.h"
#include "agent/worker/plans/compressions/gradientcodec.h"
#include "agent/worker/plans/servers/serverprotocol.h"
#include "agent/worker/plans/servers/shards.h"
#include "core/protocol/aggregationplan.h"

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace ringside {

/// One thread at a time. The destructor reports to the servers that this rank no longer needs them.
class ServerLink
{
public:
    /// `world` is of all processes, `ranks` of them train; `numbers` is by unit.
    ServerLink(const AggregationPlan& plan, Communicator& world, int ranks, std::span<const std::size_t> numbers);
    ~ServerLink();
    ServerLink(const ServerLink&) = delete;
    ServerLink& operator=(const ServerLink&) = delete;

    /// On rank 0, before the first push of any rank: hands over the weights. `weightsOf` is called once for each unit;
    /// what it returns may last until the next call.
    Result<void> start(const std::function<std::span<float>(std::uint32_t unit)>& weightsOf);

    /// A unit whose weights are on their way into the memory that its gradients were in.
    struct Pushed
    {
        std::uint64_t bytes = 0; ///< that this rank handed to the communicator
        std::vector<std::unique_ptr<Transfer>> weights;
        /// Does not wait, but moves what is on its way.
        Result<bool> isDone();
    };
    /// Waits until the gradients are away.
    Result<Pushed> push(std::uint32_t unit, std::span<float> gradients);

    /// Sends the votes to the others and adds those that they sent at the vote before, without waiting for any rank.
    Result<void> vote(std::span<float> votes);

private:
    using Votes = std::array<float, serverprotocol::kVotes>;

    int processOf(int server) const { return m_ranks + server; }
    Result<void> startServer(int server, const std::function<std::span<float>(std::uint32_t)>& weightsOf);
    Result<Pushed> pushShards(std::uint32_t unit, std::span<float> gradients);

    Communicator& m_world;
    const int m_ranks;
    const int m_servers;
    const std::vector<std::vector<Shard>> m_shards; ///< by unit
    std::unique_ptr<GradientCodec> m_codec;
    Votes m_others{};
    std::unique_ptr<Transfer> m_answer; ///< to the last vote
    bool m_isBroken = false;            ///< a server is lost: nothing more is sent to any
};

} // namespace ringside
