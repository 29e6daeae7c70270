// SPDX-License-Identifier: MIT
// The addresses of a host that are tried, and for how long.
#include "core/base/descriptor.h"
#include "tests/remote/ssh/commands.h"
#include "tests/remote/ssh/ownhome.h"
#include "tests/remote/ssh/sshd.h"

#include <arpa/inet.h>
#include <fstream>
#include <sys/socket.h>

using namespace ringside;
using namespace ringside::test;

namespace {

/// A port that answers to no connection: those that wait to be accepted are as many as may.
class FullPort
{
public:
    FullPort(const char* address, int port)
    {
        sockaddr_in place{};
        place.sin_family = AF_INET;
        place.sin_port = htons(static_cast<std::uint16_t>(port));
        ::inet_pton(AF_INET, address, &place.sin_addr);
        const auto* const name = reinterpret_cast<const sockaddr*>(&place);
        REQUIRE(::bind(m_listening.get(), name, sizeof place) == 0);
        REQUIRE(::listen(m_listening.get(), 0) == 0);
        for (const Descriptor& waiting : m_waiting)
            ::connect(waiting.get(), name, sizeof place);
    }

private:
    static Descriptor makeSocket()
    {
        return Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    }
    Descriptor m_listening = makeSocket();
    Descriptor m_waiting[2] = {makeSocket(), makeSocket()};
};

} // namespace

TEST_CASE("an address that leads nowhere leaves the next one the whole of ConnectTimeout")
{
    SshdOptions options;
    options.config = "ListenAddress 127.0.0.9";
    Sshd sshd(options);
    REQUIRE_SSHD(sshd);
    const OwnHome home;
    REQUIRE_SSHD(home);
    const FullPort nowhere("127.0.0.2", sshd.port()); // of these two the resolver names it first
    home.writeHosts("127.0.0.2 two-ways.example.org\n127.0.0.9 two-ways.example.org\n");
    std::ofstream(sshd.knownHosts()) << fmt::format("[two-ways.example.org]:{} {}\n", sshd.port(), sshd.hostKey());
    SshHost host(sshd.address("HostName two-ways.example.org\nConnectTimeout 2"));
    const std::int64_t beganNs = monotonicNs();
    CHECK(textOf(host.connect(nullptr)) == "");
    CHECK(monotonicNs() - beganNs > 1'900'000'000);
}

TEST_CASE("only addresses of the configured family are tried")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    sshd.trust();
    const auto other = SshHost(sshd.address("AddressFamily inet6")).connect(nullptr);
    REQUIRE_FALSE(other);
    CHECK(other.error().message.find("127.0.0.1 has no address") != std::string::npos);
    CHECK(textOf(SshHost(sshd.address("AddressFamily inet")).connect(nullptr)) == "");
}
