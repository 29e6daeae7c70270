// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/tcpsocket.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace ringside {

namespace {

constexpr int kBacklog = 1024; // ranks come all at once

tl::unexpected<Error> failed(const char* what, int reason)
{
    return fail(ErrorCode::unavailable, fmt::format("A connection between ranks {}: {}.", what, std::strerror(reason)));
}

/// Until the descriptor is ready for one of the events, or the deadline.
Result<void> waitFor(int descriptor, short events, Deadline deadline)
{
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        pollfd entry{descriptor, events, 0};
        const int ready = ::poll(&entry, 1, static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000)));
        if (ready > 0)
            return {};
        if (ready < 0 && errno != EINTR)
            return failed("cannot be waited for", errno);
        if (left.count() <= 0)
            return fail(ErrorCode::timeout, "A rank did not answer in time.", "See the logs of the other ranks.");
    }
}

void set(int descriptor, int level, int option, int value = 1)
{
    ::setsockopt(descriptor, level, option, &value, sizeof value); // none of them is needed to be right
}

/// A host that vanished says nothing. The system of one that lives answers, however long its process computes.
void detectLostHost(int descriptor)
{
    set(descriptor, SOL_SOCKET, SO_KEEPALIVE);
    set(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, 10); // s
    set(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, 5);
    set(descriptor, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

using AddressList = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

/// Parses numbers only: no name is looked up.
AddressList parsed(const std::string& address, std::uint16_t port)
{
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
    addrinfo* list = nullptr;
    if (::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &list) != 0)
        list = nullptr;
    return {list, &::freeaddrinfo};
}

std::uint16_t portOf(int descriptor)
{
    sockaddr_in6 bound{};
    socklen_t length = sizeof bound;
    ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &length);
    if (bound.sin6_family == AF_INET6)
        return ntohs(bound.sin6_port);
    return ntohs(reinterpret_cast<const sockaddr_in&>(bound).sin_port);
}

/// At both kinds of addresses where the host has both, else at those of version 4.
int listeningSocket()
{
    const int both = ::socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const int off = 0;
    sockaddr_in6 any6{};
    any6.sin6_family = AF_INET6;
    if (both >= 0 && ::setsockopt(both, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) == 0 &&
        ::bind(both, reinterpret_cast<const sockaddr*>(&any6), sizeof any6) == 0)
        return both;
    if (both >= 0)
        ::close(both);
    const int four = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    sockaddr_in any4{};
    any4.sin_family = AF_INET;
    if (four >= 0 && ::bind(four, reinterpret_cast<const sockaddr*>(&any4), sizeof any4) != 0) {
        ::close(four);
        return -1;
    }
    return four;
}

} // namespace

TcpSocket::TcpSocket(int descriptor)
    : m_descriptor(descriptor)
{
    set(descriptor, IPPROTO_TCP, TCP_NODELAY); // a vote is a few bytes that are waited for
    detectLostHost(descriptor);
}

TcpSocket::TcpSocket(TcpSocket&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1))
{
}

TcpSocket& TcpSocket::operator=(TcpSocket&& other) noexcept
{
    std::swap(m_descriptor, other.m_descriptor);
    return *this;
}

TcpSocket::~TcpSocket()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

Result<TcpSocket> TcpSocket::connect(const std::string& address, std::uint16_t port, Deadline deadline)
{
    const AddressList target = parsed(address, port);
    if (!target)
        return fail(ErrorCode::damaged, "A rank sent an invalid address.");
    const int descriptor = ::socket(target->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        return failed("cannot be made", errno);
    TcpSocket socket(descriptor);
    if (::connect(descriptor, target->ai_addr, target->ai_addrlen) != 0 && errno != EINPROGRESS)
        return failed("cannot be made", errno);
    TRY(waitFor(descriptor, POLLOUT, deadline));
    int reason = 0;
    socklen_t length = sizeof reason;
    ::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &reason, &length);
    if (reason != 0)
        return failed("cannot be made", reason);
    return socket;
}

Result<std::size_t> TcpSocket::writeSome(std::span<const std::byte> bytes)
{
    const ssize_t n = ::send(m_descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n >= 0)
        return static_cast<std::size_t>(n);
    if (errno == EAGAIN || errno == EINTR)
        return std::size_t{0};
    return failed("was lost", errno);
}

Result<std::size_t> TcpSocket::readSome(std::span<std::byte> bytes)
{
    const ssize_t n = ::recv(m_descriptor, bytes.data(), bytes.size(), 0);
    if (n > 0)
        return static_cast<std::size_t>(n);
    if (n == 0)
        return fail(ErrorCode::unavailable, "A connection between ranks was closed by the other one.");
    if (errno == EAGAIN || errno == EINTR)
        return std::size_t{0};
    return failed("was lost", errno);
}

Result<void> TcpSocket::write(std::span<const std::byte> bytes, Deadline deadline)
{
    while (!bytes.empty()) {
        TRY_ASSIGN(const std::size_t n, writeSome(bytes));
        bytes = bytes.subspan(n);
        if (n == 0)
            TRY(waitFor(m_descriptor, POLLOUT, deadline));
    }
    return {};
}

Result<void> TcpSocket::read(std::span<std::byte> bytes, Deadline deadline)
{
    while (!bytes.empty()) {
        TRY(waitFor(m_descriptor, POLLIN, deadline));
        TRY_ASSIGN(const std::size_t n, readSome(bytes));
        bytes = bytes.subspan(n);
    }
    return {};
}

void TcpSocket::hangUp()
{
    ::shutdown(m_descriptor, SHUT_RDWR);
}

Result<TcpListener> TcpListener::open()
{
    const int descriptor = listeningSocket();
    if (descriptor < 0)
        return failed("cannot be waited for", errno);
    TcpSocket socket(descriptor);
    if (::listen(descriptor, kBacklog) != 0)
        return failed("cannot be waited for", errno);
    return TcpListener(std::move(socket), portOf(descriptor));
}

Result<TcpSocket> TcpListener::accept(Deadline deadline)
{
    for (;;) {
        TRY(waitFor(m_socket.descriptor(), POLLIN, deadline));
        const int descriptor = ::accept4(m_socket.descriptor(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (descriptor >= 0)
            return TcpSocket(descriptor);
        if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
            return failed("cannot be accepted", errno);
    }
}

std::vector<std::string> ownAddresses(const std::string& interface)
{
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0)
        return {"127.0.0.1"};
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, &::freeifaddrs);
    std::vector<std::string> reachable, local;
    for (const ifaddrs* entry = list; entry; entry = entry->ifa_next) {
        const int family = entry->ifa_addr ? entry->ifa_addr->sa_family : AF_UNSPEC;
        if (!interface.empty() && interface != entry->ifa_name)
            continue;
        if (!(entry->ifa_flags & IFF_UP) || (family != AF_INET && family != AF_INET6))
            continue;
        const auto* six = reinterpret_cast<const sockaddr_in6*>(entry->ifa_addr);
        if (family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr))
            continue; // means something on one link only
        char text[NI_MAXHOST] = {};
        const socklen_t length = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
        if (::getnameinfo(entry->ifa_addr, length, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0)
            (entry->ifa_flags & IFF_LOOPBACK ? local : reachable).emplace_back(text);
    }
    reachable.insert(reachable.end(), local.begin(), local.end());
    return reachable;
}

} // namespace ringside
