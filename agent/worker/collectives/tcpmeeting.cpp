// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/tcpmeeting.h"

#include "core/base/networklinks.h"

#include <algorithm>
#include <climits>
#include <fmt/format.h>
#include <utility>

namespace ringside {

namespace {

constexpr std::chrono::milliseconds kAnswer{1'000}; // of the store, about what it has

struct Registered
{
    std::string host;
    std::string point;
};

std::string keyOf(int rank)
{
    return fmt::format("rank-{}", rank);
}

/// All of one length.
std::string paddedHost()
{
    std::string name = hostName();
    name.resize(HOST_NAME_MAX + 1);
    return name;
}

tl::unexpected<Error> missing(const std::vector<int>& ranks, const MeetingLimits& limits)
{
    return fail(ErrorCode::timeout,
                fmt::format("{} {} did not come within {:.0f} s.", ranks.size() > 1 ? "Ranks" : "Rank",
                            fmt::join(ranks, ", "), static_cast<double>(limits.all.count()) / 1e3),
                "See the logs of the other ranks, and whether all hosts reach each other.");
}

/// The connections of later ranks, accepted from the beginning on and side by side: neither a stranger that says
/// nothing nor an earlier rank that this one waits for delays them.
class Arrivals
{
public:
    Arrivals(const TcpPlace& place, const Token& token, TcpListener listener)
        : m_place(place)
        , m_token(token)
        , m_sockets(static_cast<std::size_t>(place.ranks))
        , m_acceptor(std::move(listener), [this](TcpSocket& socket, std::stop_token stop) { receive(socket, stop); })
    {
    }

    /// The sockets of all later ranks, by rank.
    Result<std::vector<TcpSocket>> await(Deadline deadline)
    {
        std::unique_lock lock(m_mutex);
        if (!m_changed.wait_until(lock, deadline, [&] { return absent().empty(); }))
            return missing(absent(), m_place.limits);
        return std::exchange(m_sockets, {});
    }

private:
    std::vector<int> absent() const
    {
        std::vector<int> ranks;
        for (int rank = m_place.rank + 1; rank < m_place.ranks; ++rank)
            if (m_sockets[static_cast<std::size_t>(rank)].descriptor() < 0)
                ranks.push_back(rank);
        return ranks;
    }

    Result<std::uint32_t> proven(TcpSocket& socket, const std::stop_token& stop) const
    {
        const std::stop_callback hangUp(stop, [&] { socket.hangUp(); });
        return m_token.proveAsAcceptor(socket, static_cast<std::uint32_t>(m_place.rank),
                                       deadlineIn(m_place.limits.proof));
    }

    /// Strangers are turned away and not counted. A rank that comes twice lost its first connection.
    void receive(TcpSocket& socket, const std::stop_token& stop)
    {
        const auto from = proven(socket, stop);
        const std::lock_guard lock(m_mutex);
        if (!from || *from <= static_cast<std::uint32_t>(m_place.rank) || *from >= m_sockets.size())
            return;
        if (!Token::welcome(socket))
            return;
        m_sockets[*from] = std::move(socket);
        m_changed.notify_all();
    }

    const TcpPlace& m_place;
    const Token& m_token;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::vector<TcpSocket> m_sockets; ///< empty once they are moved out
    TcpAcceptor m_acceptor;
};

class PendingPeer
{
public:
    PendingPeer(const TcpPlace& place, TcpStoreClient client, Deadline deadline)
        : m_place(place)
        , m_client(std::move(client))
        , m_deadline(deadline)
    {
    }
    /// Each rank connects to those before it; only then it asks for those behind it, which may be late.
    Result<TcpPeers> meet();

private:
    Result<void> connectToEarlier(TcpPeers& peers);
    Result<void> takeLater(TcpPeers& peers, Arrivals& arrivals);
    Result<std::vector<TcpSocket>> later(Arrivals& arrivals);
    Result<Registered> registered(int rank);
    Result<TcpSocket> connectTo(const Registered& other, int rank) const;

    const TcpPlace& m_place;
    TcpStoreClient m_client;
    Deadline m_deadline;
};

Result<Registered> PendingPeer::registered(int rank)
{
    auto told = m_client.get(keyOf(rank), m_deadline);
    if (!told && told.error().code == ErrorCode::timeout)
        return missing({rank}, m_place.limits);
    if (!told)
        return tl::unexpected(told.error());
    const std::size_t line = std::min(told->find('\n'), told->size());
    return Registered{told->substr(0, line), told->substr(std::min(line + 1, told->size()))};
}

Result<TcpSocket> PendingPeer::connectTo(const Registered& other, int rank) const
{
    TRY_ASSIGN(const MeetingPoint point, MeetingPoint::fromText(other.point));
    const Route route{static_cast<std::uint32_t>(m_place.rank), static_cast<std::uint32_t>(rank)};
    auto socket = point.connect(m_client.token(), route, m_deadline, m_place.limits);
    if (!socket)
        return fail(socket.error().code, fmt::format("Rank {} on {}: {}", rank, other.host, socket.error().message),
                    "See its log, and whether its host can be reached from here.");
    return socket;
}

/// Rank 0 last: it may end as soon as all others are with it, and its store, which they ask for the rest, with it.
Result<void> PendingPeer::connectToEarlier(TcpPeers& peers)
{
    const std::string host = paddedHost();
    for (int rank = m_place.rank - 1; rank >= 0; --rank) {
        const auto i = static_cast<std::size_t>(rank);
        TRY_ASSIGN(const Registered other, registered(rank));
        TRY_ASSIGN(peers.sockets[i], connectTo(other, rank));
        TRY(peers.sockets[i].write(std::as_bytes(std::span(host)), m_deadline));
        peers.hosts[i] = other.host;
    }
    return {};
}

/// Most of the ranks missing at the end may wait for one before them, which has not reached the store.
Result<std::vector<TcpSocket>> PendingPeer::later(Arrivals& arrivals)
{
    auto sockets = arrivals.await(m_deadline);
    for (int rank = m_place.rank + 1; !sockets && rank < m_place.ranks; ++rank)
        if (const auto told = m_client.get(keyOf(rank), deadlineIn(kAnswer)); !told)
            return told.error().code == ErrorCode::timeout ? missing({rank}, m_place.limits) : std::move(sockets);
    return sockets;
}

/// Their names come from themselves, since the store may have ended.
Result<void> PendingPeer::takeLater(TcpPeers& peers, Arrivals& arrivals)
{
    TRY_ASSIGN(std::vector<TcpSocket> sockets, later(arrivals));
    for (auto i = static_cast<std::size_t>(m_place.rank) + 1; i < sockets.size(); ++i) {
        std::string host = paddedHost();
        TRY(sockets[i].read(std::as_writable_bytes(std::span(host)), m_deadline));
        peers.sockets[i] = std::move(sockets[i]);
        peers.hosts[i] = host.c_str();
    }
    return {};
}

Result<TcpPeers> PendingPeer::meet()
{
    TRY_ASSIGN(TcpListener listener, TcpListener::open());
    const MeetingPoint here{ownAddresses(m_place.interface), listener.port()};
    Arrivals arrivals(m_place, m_client.token(), std::move(listener));
    TRY(m_client.set(keyOf(m_place.rank), hostName() + "\n" + here.text()));
    TcpPeers peers;
    peers.sockets.resize(static_cast<std::size_t>(m_place.ranks));
    peers.hosts.resize(peers.sockets.size(), hostName());
    TRY(connectToEarlier(peers));
    TRY(takeLater(peers, arrivals));
    return peers;
}

constexpr std::size_t kInvitationBytes = 64u << 10; // ranks broadcast one length

/// An empty one from a rank 0 that has no store: the others are not left waiting for it.
Result<std::string> invitationFrom(Communicator& known, const Result<std::unique_ptr<TcpStore>>& store)
{
    std::string invitation = store && *store ? (*store)->invitation() : std::string();
    invitation.resize(kInvitationBytes);
    TRY(known.broadcast(std::as_writable_bytes(std::span(invitation)), 0));
    return std::string(invitation.c_str());
}

/// Rank 0's, if this is rank 0.
Result<std::unique_ptr<TcpStore>> storeOf(const TcpPlace& place)
{
    if (place.rank != 0)
        return nullptr;
    return place.known ? TcpStore::serve(place.limits) : TcpStore::serve(place.meeting, place.limits);
}

} // namespace

Result<TcpPeers> meet(const TcpPlace& place)
{
    const Deadline deadline = deadlineIn(place.limits.all);
    auto served = storeOf(place);
    std::string invitation;
    if (place.known) {
        TRY_ASSIGN(invitation, invitationFrom(*place.known, served));
    }
    TRY_ASSIGN(std::unique_ptr<TcpStore> store, std::move(served));
    TRY_ASSIGN(TcpStoreClient client, place.known ? TcpStoreClient::follow(invitation, deadline, place.limits)
                                                  : TcpStoreClient::connect(place.meeting, deadline, place.limits));
    TRY_ASSIGN(TcpPeers peers, PendingPeer(place, std::move(client), deadline).meet());
    peers.store = std::move(store);
    return peers;
}

} // namespace ringside
