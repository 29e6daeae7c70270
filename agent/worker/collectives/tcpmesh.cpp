// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/tcpmesh.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>

namespace ringside {

namespace {

/// A peer may be long in an iteration, or pack or copy pictures while the others wait in a barrier: the runner allows
/// that two hours (agent/runner/limits.h, preparing). That it hangs, its runner notices much earlier.
constexpr std::chrono::hours kPatience{3};
constexpr int kLookMs = 1000;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 32; // of a message not asked for yet

tl::unexpected<Error> notAsLong(std::size_t expected, std::size_t came)
{
    return fail(ErrorCode::damaged, fmt::format("It sent {} bytes where {} were expected.", came, expected),
                "The ranks do not run the same program with the same plan.");
}

void fill(TcpMessage& message, const std::vector<std::byte>& bytes)
{
    message.done = true;
    if (bytes.size() == message.bytes.size())
        std::ranges::copy(bytes, message.bytes.begin());
    else
        message.came = bytes.size();
}

} // namespace

Result<std::unique_ptr<TcpMesh>> TcpMesh::join(const TcpPlace& place)
{
    TRY_ASSIGN(TcpPeers peers, meet(place));
    return std::unique_ptr<TcpMesh>(new TcpMesh(place.rank, std::move(peers)));
}

TcpMesh::TcpMesh(int rank, TcpPeers peers)
    : m_rank(rank)
    , m_store(std::move(peers.store))
    , m_peers(peers.sockets.size())
{
    for (std::size_t i = 0; i < m_peers.size(); ++i) {
        m_peers[i].socket = std::move(peers.sockets[i]);
        m_peers[i].host = std::move(peers.hosts[i]);
    }
}

int TcpMesh::localRank() const
{
    const auto here = m_peers.begin() + m_rank;
    return static_cast<int>(
        std::count_if(m_peers.begin(), here, [&](const Peer& peer) { return peer.host == here->host; }));
}

Error TcpMesh::named(const Error& error, int rank) const
{
    return {error.code,
            fmt::format("Rank {} on {}: {}", rank, m_peers[static_cast<std::size_t>(rank)].host, error.message),
            error.hint.empty() ? "It has probably ended; see its log." : error.hint};
}

TcpMesh::Message TcpMesh::startSend(int to, int tag, std::span<const std::byte> bytes)
{
    auto* begin = const_cast<std::byte*>(bytes.data()); // only read: see pushOut
    auto message = std::make_shared<TcpMessage>(TcpMessage{to, tag, {begin, bytes.size()}, 0, false});
    peerOf(to).leaving.push_back(message);
    m_sent.bytes += bytes.size();
    ++m_sent.messages;
    return message;
}

TcpMesh::Message TcpMesh::startReceive(int from, int tag, std::span<std::byte> bytes)
{
    auto message = std::make_shared<TcpMessage>(TcpMessage{from, tag, bytes, 0, false});
    Peer& peer = peerOf(from);
    const auto early =
        std::ranges::find_if(peer.early, [&](const Early& each) { return each.complete && each.head.tag == tag; });
    if (early == peer.early.end()) {
        peer.wanted.push_back(message);
        return message;
    }
    fill(*message, early->bytes);
    peer.early.erase(early);
    return message;
}

Result<void> TcpMesh::pushOut(Peer& peer)
{
    while (!peer.leaving.empty()) {
        TcpMessage& message = *peer.leaving.front();
        const Head head{message.tag, message.bytes.size()};
        const auto headBytes = std::as_bytes(std::span(&head, 1));
        const auto next = message.moved < sizeof head
                              ? headBytes.subspan(message.moved)
                              : std::span<const std::byte>(message.bytes).subspan(message.moved - sizeof head);
        if (!next.empty()) {
            TRY_ASSIGN(const std::size_t n, peer.socket.writeSome(next));
            if (n == 0)
                return {};
            message.moved += n;
        }
        message.done = message.moved == sizeof head + message.bytes.size();
        if (message.done)
            peer.leaving.pop_front();
    }
    return {};
}

/// One head or one body after the other, as far as they have come.
Result<void> TcpMesh::takeIn(Peer& peer)
{
    for (;;) {
        if (peer.headMoved < sizeof peer.head) {
            if (!listens(peer, m_probing))
                return {};
            TRY_ASSIGN(const bool taken, takeHead(peer));
            if (!taken)
                return {};
            TRY(begin(peer));
        }
        TRY_ASSIGN(const bool taken, takeBody(peer));
        if (!taken)
            return {};
    }
}

Result<bool> TcpMesh::takeHead(Peer& peer)
{
    const auto head = std::as_writable_bytes(std::span(&peer.head, 1));
    while (peer.headMoved < sizeof peer.head) {
        TRY_ASSIGN(const std::size_t n, peer.socket.readSome(head.subspan(peer.headMoved)));
        if (n == 0)
            return false;
        peer.headMoved += n;
    }
    return true;
}

/// Matches the first request under this tag; a message not asked for yet is stored until it is.
Result<void> TcpMesh::begin(Peer& peer)
{
    peer.moved = 0;
    const auto wanted =
        std::ranges::find_if(peer.wanted, [&](const Message& message) { return message->tag == peer.head.tag; });
    if (wanted == peer.wanted.end()) {
        if (peer.head.bytes > kMostBytes)
            return fail(ErrorCode::damaged, "It sent a message that is too long.");
        peer.early.push_back({peer.head, std::vector<std::byte>(peer.head.bytes), false});
        peer.coming.reset();
        return {};
    }
    peer.coming = *wanted;
    peer.wanted.erase(wanted);
    return peer.coming->bytes.size() == peer.head.bytes ? Result<void>()
                                                        : notAsLong(peer.coming->bytes.size(), peer.head.bytes);
}

Result<bool> TcpMesh::takeBody(Peer& peer)
{
    const std::span<std::byte> bytes = peer.coming ? peer.coming->bytes : std::span(peer.early.back().bytes);
    while (peer.moved < bytes.size()) {
        TRY_ASSIGN(const std::size_t n, peer.socket.readSome(bytes.subspan(peer.moved)));
        if (n == 0)
            return false;
        peer.moved += n;
    }
    if (peer.coming)
        peer.coming->done = true;
    else
        finishEarly(peer);
    peer.coming.reset();
    peer.headMoved = 0;
    return true;
}

/// It may have been asked for while it came.
void TcpMesh::finishEarly(Peer& peer)
{
    Early& early = peer.early.back();
    early.complete = true;
    const auto wanted =
        std::ranges::find_if(peer.wanted, [&](const Message& message) { return message->tag == early.head.tag; });
    if (wanted == peer.wanted.end())
        return;
    fill(**wanted, early.bytes);
    peer.wanted.erase(wanted);
    peer.early.pop_back();
}

/// Nothing is read from a rank from which nothing is expected: its sender waits, and no memory is filled.
bool TcpMesh::listens(const Peer& peer, bool probing)
{
    return !peer.wanted.empty() ||
           (probing && std::ranges::none_of(peer.early, [](const Early& early) { return early.head.tag >= 0; }));
}

Result<void> TcpMesh::moveAll(int waitMs)
{
    std::vector<pollfd> waits;
    std::vector<int> polled;
    for (int rank = 0; rank < ranks(); ++rank) {
        const Peer& peer = peerOf(rank);
        const bool takes = peer.headMoved > 0 || listens(peer, m_probing);
        const int events = (peer.leaving.empty() ? 0 : POLLOUT) | (takes ? POLLIN : 0);
        if (peer.socket.descriptor() < 0 || events == 0)
            continue;
        waits.push_back({peer.socket.descriptor(), static_cast<short>(events), 0});
        polled.push_back(rank);
    }
    if (::poll(waits.data(), waits.size(), waitMs) < 0 && errno != EINTR)
        return fail(ErrorCode::unavailable, fmt::format("Cannot wait for other ranks: {}.", std::strerror(errno)));
    for (std::size_t i = 0; i < waits.size(); ++i) {
        Peer& peer = peerOf(polled[i]);
        auto moved = waits[i].revents & POLLOUT ? pushOut(peer) : Result<void>();
        if (moved && waits[i].revents & (POLLIN | POLLHUP | POLLERR) && waits[i].events & POLLIN)
            moved = takeIn(peer);
        if (!moved)
            return tl::unexpected(named(moved.error(), polled[i]));
    }
    return {};
}

template <class Done> Result<void> TcpMesh::moveUntil(const Done& done)
{
    const Deadline deadline = deadlineIn(kPatience);
    while (!done()) {
        TRY(moveAll(kLookMs));
        if (std::chrono::steady_clock::now() >= deadline)
            return fail(ErrorCode::timeout,
                        fmt::format("Nothing came from another rank for {} hours.", kPatience.count()),
                        "See the logs of the others.");
    }
    return {};
}

Result<void> TcpMesh::advance()
{
    return moveAll(0);
}

Result<void> TcpMesh::await(const Message& message)
{
    TRY(moveUntil([&] { return message->done; }));
    if (message->came)
        return tl::unexpected(named(notAsLong(message->bytes.size(), *message->came).value(), message->peer));
    return {};
}

Result<Envelope> TcpMesh::awaitMessage(const std::vector<int>& from)
{
    std::optional<Envelope> found;
    const auto look = [&] {
        for (const int rank : from)
            for (const Early& early : peerOf(rank).early)
                if (!found && early.complete && early.head.tag >= 0)
                    found = Envelope{rank, static_cast<int>(early.head.tag), early.bytes.size()};
        return found.has_value();
    };
    m_probing = true;
    const auto moved = moveUntil(look);
    m_probing = false;
    TRY(moved);
    return *found;
}

} // namespace ringside
