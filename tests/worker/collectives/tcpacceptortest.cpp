// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/tcpacceptor.h"
#include "tests/support/runningtime.h"

#include <ctime>
#include <doctest/doctest.h>
#include <optional>
#include <sys/resource.h>
#include <unistd.h>

using namespace ringside;
using namespace std::chrono_literals;

namespace {

/// While it lives this process can open one descriptor more.
class OneDescriptorLeft
{
public:
    OneDescriptorLeft()
    {
        ::getrlimit(RLIMIT_NOFILE, &m_before);
        const int next = ::dup(STDERR_FILENO);
        ::close(next);
        const rlimit less{static_cast<rlim_t>(next) + 1, m_before.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &less);
    }
    ~OneDescriptorLeft() { ::setrlimit(RLIMIT_NOFILE, &m_before); }

private:
    rlimit m_before{};
};

/// Returns the computing time of all threads of this process.
std::chrono::nanoseconds computed()
{
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

void echo(TcpSocket& socket, const std::stop_token& stop)
{
    const std::stop_callback hangUp(stop, [&] { socket.hangUp(); });
    std::byte one{};
    while (socket.read({&one, 1}, deadlineIn(60s)) && socket.write({&one, 1}, deadlineIn(5s))) {
    }
}

TcpSocket connected(std::uint16_t port)
{
    return std::move(TcpSocket::connect("127.0.0.1", port, deadlineIn(5s)).value());
}

bool isAnswered(TcpSocket& socket)
{
    std::byte one{7};
    return socket.write({&one, 1}, deadlineIn(5s)) && socket.read({&one, 1}, deadlineIn(5s)) && one == std::byte{7};
}

} // namespace

TEST_CASE("who says nothing holds up neither the others nor the end")
{
    TcpListener listener = TcpListener::open().value();
    const std::uint16_t port = listener.port();
    std::optional<TcpAcceptor> acceptor(std::in_place, std::move(listener), echo);
    TcpSocket silent = connected(port), talking = connected(port);
    CHECK(isAnswered(talking));
    const test::RunningTime time;
    acceptor.reset();
    CHECK(time.elapsed() < 5s);
    std::byte one{};
    const auto read = silent.read({&one, 1}, deadlineIn(5s));
    REQUIRE_FALSE(read);
    CHECK(read.error().code == ErrorCode::unavailable); // hung up on
    CHECK_FALSE(TcpSocket::connect("127.0.0.1", port, deadlineIn(1s)));
}

TEST_CASE("where descriptors are used up nothing spins, and who waits is served once there are some")
{
    TcpListener listener = TcpListener::open().value();
    const std::uint16_t port = listener.port();
    const TcpAcceptor acceptor(std::move(listener), echo);
    std::optional<OneDescriptorLeft> few(std::in_place);
    TcpSocket waiting = connected(port);
    CHECK_FALSE(TcpSocket::connect("127.0.0.1", port, deadlineIn(1s))); // so the acceptor has none either
    const auto before = computed();
    std::this_thread::sleep_for(500ms);
    CHECK(computed() - before < 50ms);
    few.reset();
    CHECK(isAnswered(waiting));
}
