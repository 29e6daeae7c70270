// SPDX-License-Identifier: MIT
#include "tests/bench/support/delayproxy.h"

#include "core/base/clock.h"
#include "tests/support/loopback.h"

#include <deque>
#include <fcntl.h>
#include <list>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace ringside::bench {

namespace {

constexpr std::size_t kPieceBytes = 256u << 10;
constexpr std::size_t kMostOnTheWay = 64u << 20;

void prepare(int socket)
{
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::fcntl(socket, F_SETFL, O_NONBLOCK);
}

/// One direction of a connection.
struct Way
{
    struct Piece
    {
        std::int64_t dueNs;
        std::string bytes;
        std::size_t sent = 0;
    };

    int from, to;
    std::deque<Piece> pieces;
    std::size_t held = 0;
    bool ended = false;  ///< nothing more comes
    bool closed = false; ///< and `to` was closed for writing

    bool mayRead() const { return !ended && held < kMostOnTheWay; }
    bool isDue(std::int64_t nowNs) const { return !pieces.empty() && pieces.front().dueNs <= nowNs; }

    void read(std::int64_t dueNs)
    {
        static thread_local std::vector<char> buffer(kPieceBytes);
        const ssize_t n = ::recv(from, buffer.data(), buffer.size(), 0);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        ended = n <= 0;
        const auto size = static_cast<std::size_t>(std::max<ssize_t>(n, 0));
        held += size;
        pieces.push_back({dueNs, std::string(buffer.data(), size)}); // an empty one is the end
    }

    void write(std::int64_t nowNs)
    {
        while (isDue(nowNs)) {
            Piece& piece = pieces.front();
            const ssize_t n =
                ::send(to, piece.bytes.data() + piece.sent, piece.bytes.size() - piece.sent, MSG_NOSIGNAL);
            if (n < 0 && errno == EAGAIN)
                return;
            if (n < 0)
                ended = true;
            piece.sent += n > 0 ? static_cast<std::size_t>(n) : 0;
            if (n >= 0 && piece.sent < piece.bytes.size())
                continue;
            held -= piece.bytes.size();
            pieces.pop_front();
        }
        if (ended && pieces.empty() && !std::exchange(closed, true))
            ::shutdown(to, SHUT_WR);
    }
};

struct Line
{
    Descriptor client, server;
    std::int64_t openNs; ///< before that nothing leaves: a handshake's way there and back
    Way up{client.get(), server.get(), {}}, down{server.get(), client.get(), {}};

    bool isOver() const { return up.closed && down.closed; }
};

using Lines = std::list<Line>;

void open(Lines& lines, Descriptor client, int targetPort, std::int64_t openNs)
{
    Descriptor server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in address = test::loopback(targetPort);
    if (::connect(server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return;
    prepare(client.get());
    prepare(server.get());
    lines.push_back({std::move(client), std::move(server), openNs});
}

/// Until something can be read, written, or has arrived.
void wait(const Lines& lines, std::vector<pollfd> set)
{
    const std::int64_t nowNs = monotonicNs();
    std::int64_t dueNs = nowNs + 1'000'000'000;
    for (const Line& line : lines)
        for (const Way* way : {&line.up, &line.down}) {
            if (way->mayRead())
                set.push_back({way->from, POLLIN, 0});
            if (way->isDue(nowNs))
                set.push_back({way->to, POLLOUT, 0});
            else if (!way->pieces.empty())
                dueNs = std::min(dueNs, way->pieces.front().dueNs);
        }
    const timespec limit{(dueNs - nowNs) / 1'000'000'000, (dueNs - nowNs) % 1'000'000'000};
    ::ppoll(set.data(), set.size(), &limit, nullptr);
}

void move(Line& line, std::int64_t halfTripNs)
{
    for (Way* way : {&line.up, &line.down}) {
        if (way->mayRead())
            way->read(std::max(monotonicNs(), line.openNs) + halfTripNs);
        way->write(monotonicNs());
    }
}

std::int64_t nanoseconds(std::chrono::milliseconds time)
{
    return toNs(time);
}

} // namespace

DelayProxy::DelayProxy(int targetPort)
    : m_targetPort(targetPort)
    , m_listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0))
    , m_wake(::eventfd(0, EFD_CLOEXEC))
{
    sockaddr_in address = test::loopback(0);
    socklen_t size = sizeof address;
    if (::bind(m_listener.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::listen(m_listener.get(), 16) != 0 ||
        ::getsockname(m_listener.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
        throw std::runtime_error("no port for the delay proxy");
    m_port = ntohs(address.sin_port);
    m_thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

DelayProxy::~DelayProxy()
{
    m_thread.request_stop();
    ::eventfd_write(m_wake.get(), 1);
}

void DelayProxy::run(const std::stop_token& stop)
{
    Lines lines;
    while (!stop.stop_requested()) {
        wait(lines, {{m_listener.get(), POLLIN, 0}, {m_wake.get(), POLLIN, 0}});
        const std::int64_t tripNs = nanoseconds(m_roundTrip);
        if (Descriptor client(::accept4(m_listener.get(), nullptr, nullptr, SOCK_CLOEXEC)); client.get() >= 0)
            open(lines, std::move(client), m_targetPort, monotonicNs() + tripNs);
        for (Line& line : lines)
            move(line, tripNs / 2);
        lines.remove_if([](const Line& line) { return line.isOver(); });
    }
}

} // namespace ringside::bench
