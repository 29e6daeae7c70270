// SPDX-License-Identifier: MIT
#include "core/remote/ssh/transport.h"

#include "core/base/words.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <future>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <thread>

namespace ringside::ssh {

namespace {

/// A name may have an address that leads nowhere (IPv6 behind an old router) before one that does.
constexpr std::chrono::milliseconds kEarlierAddressLimit{4'000};

class TcpTransport : public Transport
{
public:
    explicit TcpTransport(Descriptor socket)
        : m_socket(std::move(socket))
    {
    }
    int fd() const override { return m_socket.get(); }

private:
    Descriptor m_socket;
};

struct FreeAddresses
{
    void operator()(addrinfo* addresses) const { ::freeaddrinfo(addresses); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

/// As long as the system's resolver allows.
Result<Addresses> lookUp(const std::string& host, int port, int family)
{
    addrinfo wanted{};
    wanted.ai_family = family;
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    if (const int problem = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found); problem != 0)
        return fail(ErrorCode::unavailable, Words::tr("{} has no address: {}.", host, ::gai_strerror(problem)),
                    Words::tr("Check the spelling and this computer's network; a VPN may be needed."));
    return Addresses(found);
}

/// The resolver knows no limit of ours: it is left to itself, in a thread of its own, when the deadline comes first.
Result<Addresses> lookUp(const HostSettings& settings, const Deadline& deadline)
{
    std::packaged_task<Result<Addresses>()> task(
        [host = settings.hostName, port = settings.port, family = settings.addressFamily] {
            return lookUp(host, port, family);
        });
    std::future<Result<Addresses>> answer = task.get_future();
    std::thread(std::move(task)).detach();
    while (answer.wait_for(kStopLook) != std::future_status::ready)
        TRY(deadline.check(Words::tr("Looking up {}", settings.hostName)));
    return answer.get();
}

Error refusal(const std::string& host, int port, int errnoValue)
{
    if (errnoValue == ECONNREFUSED)
        return {ErrorCode::unavailable, Words::tr("{} refused the connection to port {}.", host, port),
                Words::tr("Check the port, and whether an SSH server runs there.")};
    return {ErrorCode::unavailable,
            Words::tr("{} cannot be reached at port {}: {}.", host, port, std::strerror(errnoValue)),
            Words::tr("Check this computer's network; a VPN may be needed.")};
}

/// The error of connecting, 0 once it is connected.
Result<int> waitForConnection(int socket, const std::string& doing, const Deadline& deadline)
{
    for (;;) {
        TRY(deadline.check(doing));
        deadline.poll({{socket, POLLOUT, 0}});
        pollfd look{socket, POLLOUT, 0};
        if (::poll(&look, 1, 0) != 1)
            continue;
        int problem = 0;
        socklen_t size = sizeof problem;
        ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &problem, &size);
        return problem;
    }
}

Result<int> connectSocket(int socket, const addrinfo& address, const std::string& doing, const Deadline& deadline)
{
    if (::connect(socket, address.ai_addr, address.ai_addrlen) == 0)
        return 0;
    return errno == EINPROGRESS ? waitForConnection(socket, doing, deadline) : Result<int>(errno);
}

} // namespace

Result<std::unique_ptr<Transport>> connectTcp(const HostSettings& settings, const std::stop_token& stop)
{
    TRY_ASSIGN(const Addresses addresses, lookUp(settings, Deadline(settings.connectLimit, stop)));
    const std::string doing = Words::tr("Connecting to port {} of {}", settings.port, settings.hostName);
    int problem = EHOSTUNREACH;
    for (const addrinfo* address = addresses.get(); address; address = address->ai_next) {
        Descriptor socket(
            ::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, address->ai_protocol));
        if (socket.get() < 0) {
            problem = errno;
            continue;
        }
        const bool last = !address->ai_next;
        const auto limit = last ? settings.connectLimit : std::min(kEarlierAddressLimit, settings.connectLimit);
        auto connected = connectSocket(socket.get(), *address, doing, Deadline(limit, stop));
        if (!connected && (last || connected.error().code != ErrorCode::timeout))
            return tl::unexpected(std::move(connected).error());
        problem = connected.value_or(ETIMEDOUT);
        const int on = 1;
        ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (problem == 0)
            return std::make_unique<TcpTransport>(std::move(socket));
    }
    return tl::unexpected(refusal(settings.hostName, settings.port, problem));
}

} // namespace ringside::ssh
