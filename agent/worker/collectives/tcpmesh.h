// SPDX-License-Identifier: MIT
// A connection between every two ranks of an attempt, made through the store and the secret of tcpstore.h.
#pragma once

#include "agent/worker/collectives/tcpstore.h"

#include <memory>
#include <vector>

namespace ringside {

/// What the launcher told this process about its place.
struct TcpPlace
{
    int rank = 0;
    int ranks = 1;
    fs::path meeting; ///< the file by which rank 0 is found
};

/// Used by one thread at a time. A loss is an error that names the rank and its host.
class TcpMesh
{
public:
    /// Collective. Every step has a limit.
    static Result<std::unique_ptr<TcpMesh>> join(const TcpPlace& place);

    int rank() const { return m_place.rank; }
    int ranks() const { return m_place.ranks; }
    /// Of the ranks before this one, how many are on its host.
    int localRank() const;

    /// Sends a message to one rank while one comes from another (or the same): none waits for the other. Both ends know
    /// the length; a different one is an error.
    Result<void> exchange(int to, std::span<const std::byte> out, int from, std::span<std::byte> in);
    Result<void> send(int to, std::span<const std::byte> out);
    Result<void> receive(int from, std::span<std::byte> in);

private:
    explicit TcpMesh(TcpPlace place)
        : m_place(std::move(place))
        , m_sockets(static_cast<std::size_t>(m_place.ranks))
        , m_hosts(static_cast<std::size_t>(m_place.ranks))
    {
    }
    Result<void> meet(Deadline deadline);
    Result<void> connectToEarlier(TcpStoreClient& client, Deadline deadline);
    Result<void> acceptLater(TcpListener& listener, const Token& token, Deadline deadline);
    Error named(const Error& error, int rank) const;
    Result<void> move(struct Stream& out, struct Stream& in);

    TcpPlace m_place;
    std::unique_ptr<TcpStore> m_store; ///< rank 0's; until the mesh ends
    std::vector<TcpSocket> m_sockets;  ///< by rank; none for this one
    std::vector<std::string> m_hosts;  ///< by rank
};

} // namespace ringside
