// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/tcpmesh.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <poll.h>
#include <unistd.h>

namespace ringside {

namespace {

/// Ranks start together, but a busy file server may show a file late.
constexpr std::chrono::seconds kMeetingLimit{120};
/// Who connects and then says nothing is a stranger.
constexpr std::chrono::seconds kProofLimit{5};
/// A peer may be long in an iteration, or read its first batch from a slow disk. That it hangs, its runner notices
/// much earlier.
constexpr std::chrono::minutes kPatience{30};

std::string hostName()
{
    char name[HOST_NAME_MAX + 1] = {};
    ::gethostname(name, sizeof name - 1);
    return name;
}

std::string keyOf(int rank)
{
    return fmt::format("rank-{}", rank);
}

} // namespace

/// A message on its way, its length before it.
struct Stream
{
    int rank = -1; ///< at the other end
    TcpSocket* socket = nullptr;
    std::span<std::byte> bytes;
    std::uint64_t length = 0; ///< of the message; as it came, for one that is received
    std::size_t moved = 0;    ///< of the length's bytes and the message's
    bool out = false;

    bool done() const { return !socket || moved == sizeof length + bytes.size(); }
    short events() const { return out ? POLLOUT : POLLIN; }

    std::span<std::byte> next()
    {
        if (moved < sizeof length)
            return std::as_writable_bytes(std::span(&length, 1)).subspan(moved);
        return bytes.subspan(moved - sizeof length);
    }

    Result<void> move()
    {
        while (!done()) {
            TRY_ASSIGN(const std::size_t n, out ? socket->writeSome(next()) : socket->readSome(next()));
            if (n == 0)
                return {};
            moved += n;
            if (!out && moved == sizeof length && length != bytes.size())
                return fail(ErrorCode::damaged,
                            fmt::format("It sent {} bytes where {} were expected.", length, bytes.size()),
                            "The ranks do not run the same program with the same plan.");
        }
        return {};
    }
};

Result<std::unique_ptr<TcpMesh>> TcpMesh::join(const TcpPlace& place)
{
    std::unique_ptr<TcpMesh> mesh(new TcpMesh(place));
    TRY(mesh->meet(deadlineIn(kMeetingLimit)));
    return mesh;
}

Result<void> TcpMesh::meet(Deadline deadline)
{
    if (m_place.rank == 0) {
        TRY_ASSIGN(m_store, TcpStore::serve(m_place.meeting));
    }
    TRY_ASSIGN(TcpStoreClient client, TcpStoreClient::connect(m_place.meeting, deadline));
    TRY_ASSIGN(TcpListener listener, TcpListener::open());
    const MeetingPoint here{ownAddresses(), listener.port()};
    TRY(client.set(keyOf(m_place.rank), hostName() + "\n" + here.text()));
    TRY(connectToEarlier(client, deadline));
    return acceptLater(listener, client.token(), deadline);
}

/// Each rank connects to those before it and says which it is.
Result<void> TcpMesh::connectToEarlier(TcpStoreClient& client, Deadline deadline)
{
    const auto mine = static_cast<std::uint32_t>(m_place.rank);
    for (int rank = 0; rank < m_place.ranks; ++rank) {
        TRY_ASSIGN(const std::string told, client.get(keyOf(rank), deadline));
        const std::size_t line = std::min(told.find('\n'), told.size());
        m_hosts[static_cast<std::size_t>(rank)] = told.substr(0, line);
        if (rank >= m_place.rank)
            continue;
        TRY_ASSIGN(const MeetingPoint point,
                   MeetingPoint::fromText(std::string_view(told).substr(std::min(line + 1, told.size()))));
        auto socket = point.connect(client.token(), deadline);
        if (!socket)
            return tl::unexpected(named(socket.error(), rank));
        TRY(socket->write(std::as_bytes(std::span(&mine, 1)), deadline));
        m_sockets[static_cast<std::size_t>(rank)] = std::move(*socket);
    }
    return {};
}

/// Strangers are turned away and not counted.
Result<void> TcpMesh::acceptLater(TcpListener& listener, const Token& token, Deadline deadline)
{
    for (int missing = m_place.ranks - m_place.rank - 1; missing > 0;) {
        TRY_ASSIGN(TcpSocket socket, listener.accept(deadline));
        std::uint32_t rank = 0;
        const Deadline soon = std::min(deadline, deadlineIn(kProofLimit));
        if (!token.proveAsAcceptor(socket, soon) || !socket.read(std::as_writable_bytes(std::span(&rank, 1)), soon))
            continue;
        if (rank <= static_cast<std::uint32_t>(m_place.rank) || rank >= m_sockets.size() ||
            m_sockets[rank].descriptor() >= 0)
            return fail(ErrorCode::damaged, fmt::format("Rank {} was there twice, or should not be.", rank));
        m_sockets[rank] = std::move(socket);
        --missing;
    }
    return {};
}

int TcpMesh::localRank() const
{
    const auto here = m_hosts.begin() + m_place.rank;
    return static_cast<int>(std::count(m_hosts.begin(), here, *here));
}

Error TcpMesh::named(const Error& error, int rank) const
{
    return {error.code, fmt::format("Rank {} on {}: {}", rank, m_hosts[static_cast<std::size_t>(rank)], error.message),
            error.hint.empty() ? "It has probably ended; see its log." : error.hint};
}

Result<void> TcpMesh::move(Stream& out, Stream& in)
{
    const Deadline deadline = deadlineIn(kPatience);
    while (!out.done() || !in.done()) {
        for (Stream* stream : {&out, &in})
            if (const auto moved = stream->done() ? Result<void>() : stream->move(); !moved)
                return tl::unexpected(named(moved.error(), stream->rank));
        std::vector<pollfd> waits;
        for (const Stream* stream : {&out, &in})
            if (!stream->done())
                waits.push_back({stream->socket->descriptor(), stream->events(), 0});
        if (waits.empty())
            break;
        if (::poll(waits.data(), waits.size(), 1000) < 0 && errno != EINTR)
            return fail(ErrorCode::unavailable, fmt::format("Cannot wait for other ranks: {}.", std::strerror(errno)));
        if (std::chrono::steady_clock::now() >= deadline)
            return fail(ErrorCode::timeout,
                        fmt::format("Nothing came from rank {} for {} minutes.", in.done() ? out.rank : in.rank,
                                    kPatience.count()),
                        "See its log.");
    }
    return {};
}

Result<void> TcpMesh::exchange(int to, std::span<const std::byte> out, int from, std::span<std::byte> in)
{
    auto* bytes = const_cast<std::byte*>(out.data()); // only read: see Stream::move
    Stream sent{to, &m_sockets[static_cast<std::size_t>(to)], {bytes, out.size()}, out.size(), 0, true};
    Stream received{from, &m_sockets[static_cast<std::size_t>(from)], in, 0, 0, false};
    return move(sent, received);
}

Result<void> TcpMesh::send(int to, std::span<const std::byte> out)
{
    auto* bytes = const_cast<std::byte*>(out.data());
    Stream sent{to, &m_sockets[static_cast<std::size_t>(to)], {bytes, out.size()}, out.size(), 0, true};
    Stream nothing;
    return move(sent, nothing);
}

Result<void> TcpMesh::receive(int from, std::span<std::byte> in)
{
    Stream nothing;
    Stream received{from, &m_sockets[static_cast<std::size_t>(from)], in, 0, 0, false};
    return move(nothing, received);
}

} // namespace ringside
