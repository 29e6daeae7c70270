// SPDX-License-Identifier: MIT
// Messages between the ranks of an attempt over the connections of tcpmeeting.h: each has a tag, and several can be on
// their way at once.
#pragma once

#include "agent/worker/collectives/communicator.h"
#include "agent/worker/collectives/tcpmeeting.h"
#include "agent/worker/collectives/traffic.h"

#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <vector>

namespace ringside {

/// A message being sent or received: both ends know its length. Shared by the mesh and the waiting thread.
struct TcpMessage
{
    int peer = 0;
    int tag = 0;
    std::span<std::byte> bytes; ///< of the caller
    std::size_t moved = 0;      ///< of a leaving one with its head
    bool done = false;
    std::optional<std::size_t> came = {}; ///< its length, where that is another one
};

/// Used by one thread at a time. A loss is an error that names the rank and its host.
class TcpMesh
{
public:
    /// Collective; see meet().
    static Result<std::unique_ptr<TcpMesh>> join(const TcpPlace& place);

    int rank() const { return m_rank; }
    int ranks() const { return static_cast<int>(m_peers.size()); }
    /// Counts messages whose sending has begun; two additions a message.
    Traffic sent() const { return m_sent; }
    /// The number of ranks before this one on its host.
    int localRank() const;

    using Message = std::shared_ptr<TcpMessage>;
    Message startSend(int to, int tag, std::span<const std::byte> bytes);
    Message startReceive(int from, int tag, std::span<std::byte> bytes);
    /// Moves whatever can be moved, at once.
    Result<void> advance();
    Result<void> await(const Message& message);
    /// Waits until one of these ranks has sent something with a tag of 0 or more that is not being received yet.
    Result<Envelope> awaitMessage(const std::vector<int>& from);

private:
    struct Head
    {
        std::int64_t tag = 0;
        std::uint64_t bytes = 0;
    };
    /// A message that came before it was asked for.
    struct Early
    {
        Head head;
        std::vector<std::byte> bytes;
        bool complete = false;
    };
    struct Peer
    {
        TcpSocket socket;
        std::string host;
        std::deque<Message> leaving;
        std::list<Message> wanted; ///< in the order in which they were asked for
        std::list<Early> early;    ///< the last one may be incomplete
        Head head;                 ///< of the message that comes
        std::size_t headMoved = 0;
        Message coming; ///< into its place; else into the last early one
        std::size_t moved = 0;
    };

    TcpMesh(int rank, TcpPeers peers);
    Error named(const Error& error, int rank) const;
    Peer& peerOf(int rank) { return m_peers[static_cast<std::size_t>(rank)]; }

    template <class Done> Result<void> moveUntil(const Done& done);
    Result<void> moveAll(int waitMs);
    Result<void> pushOut(Peer& peer);
    Result<void> takeIn(Peer& peer);
    Result<bool> takeHead(Peer& peer);
    Result<bool> takeBody(Peer& peer);
    Result<void> begin(Peer& peer);
    static void finishEarly(Peer& peer);
    static bool listens(const Peer& peer, bool probing);

    const int m_rank;
    std::unique_ptr<TcpStore> m_store; ///< rank 0's; until the mesh ends
    std::vector<Peer> m_peers;         ///< by rank; this one's has no socket
    Traffic m_sent;
    bool m_probing = false;
};

} // namespace ringside
