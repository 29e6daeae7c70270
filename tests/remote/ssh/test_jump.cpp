// SPDX-License-Identifier: MIT
#include "tests/remote/ssh/commands.h"
#include "tests/remote/ssh/person.h"
#include "tests/remote/ssh/sshd.h"

#include <csignal>
#include <fstream>
#include <thread>

using namespace ringside;
using namespace ringside::test;
using std::chrono::milliseconds;

namespace {

/// "alder" behind "gate": both real, with known_hosts files of their own.
SshAddress throughGate(const Sshd& inner, const Sshd& gate, const std::string& gateLines = {})
{
    SshAddress address = inner.address("ProxyJump gate");
    std::ofstream config(inner.file("client/.ssh/config"), std::ios::app);
    config << "Host gate\n"
           << gateLines << "\nHostName 127.0.0.1\nPort " << gate.port() << "\nUser " << ownUser()
           << "\nIdentityAgent none\nIdentityFile " << gate.file("id_ed25519").string() << "\nUserKnownHostsFile "
           << gate.knownHosts().string() << "\nGlobalKnownHostsFile none\n";
    return address;
}

} // namespace

TEST_CASE("a host behind another is reached through it, and every hop is verified and signed in to")
{
    Sshd inner, gate;
    REQUIRE_SSHD(inner);
    REQUIRE_SSHD(gate);
    Person person;
    person.trusts = true;
    SshHost host(throughGate(inner, gate));
    std::vector<std::string> steps;
    const auto connected = host.connect(&person, {}, [&](const ssh::ConnectStep& step) {
        steps.push_back(fmt::format("{} {}", static_cast<int>(step.kind), step.host));
        CHECK(step.ok);
        CHECK(step.found != "");
    });
    REQUIRE(textOf(connected) == "");
    const std::string first = fmt::format("127.0.0.1, port {}", gate.port());
    const std::string second = fmt::format("127.0.0.1, port {}", inner.port());
    CHECK(steps == std::vector<std::string>{"0 " + first, "1 " + first, "2 " + first, "0 " + second, "1 " + second,
                                            "2 " + second});
    REQUIRE(person.hostKeys.size() == 2);
    CHECK(person.hostKeys[0].host == first);
    CHECK(person.hostKeys[1].host == second);
    CHECK(gate.logs("Accepted publickey"));
    CHECK(inner.logs("Accepted publickey"));
    CHECK(run(host, {"sh", "-c", "cat; exit 3"}).exitCode == 3);

    auto big = host.start({{"sh", "-c", "head -c 20000000 /dev/zero; cksum"}});
    REQUIRE(big);
    auto other = host.start({{"echo", "beside"}});
    REQUIRE(other);
    CHECK(readAll(**other) == "beside\n");
    std::string_view sent = "12345";
    CHECK((*big)->write(sent) == sent.size());
    (*big)->endInput();
    const std::string all = readAll(**big);
    CHECK(all.size() > 20'000'000);
    CHECK(all.substr(20'000'000).find(" 5") != std::string::npos);
}

TEST_CASE("much goes in through a jump host as well")
{
    Sshd inner, gate;
    REQUIRE_SSHD(inner);
    REQUIRE_SSHD(gate);
    inner.trust();
    gate.trust();
    SshHost host(throughGate(inner, gate));
    auto channel = host.start({{"wc", "-c"}});
    REQUIRE(channel);
    const std::string bytes(12'000'000, 'x');
    std::string_view rest = bytes;
    while (!rest.empty()) {
        const auto taken = (*channel)->write(rest);
        REQUIRE_MESSAGE(taken, textOf(taken));
        rest.remove_prefix(*taken);
        auto set = (*channel)->pollSet(true);
        REQUIRE(::poll(set.data(), set.size(), 10'000) > 0);
    }
    (*channel)->endInput();
    CHECK(readAll(**channel).find("12000000") != std::string::npos);
}

TEST_CASE("a jump host with an unknown or a changed key is not passed")
{
    Sshd inner, gate;
    REQUIRE_SSHD(inner);
    REQUIRE_SSHD(gate);
    inner.trust();
    SshHost host(throughGate(inner, gate));
    CHECK(host.connect(nullptr).error().code == ErrorCode::needsUser);
    const std::size_t connections = inner.connections();
    Person person;
    CHECK(host.connect(&person).error().code == ErrorCode::cancelled);
    CHECK(person.hostKeys.size() == 1);
    gate.trust();
    gate.changeHostKeys({"ed25519"});
    CHECK(host.connect(&person).error().code == ErrorCode::permission);
    CHECK(person.alarms.size() == 1);
    CHECK(gate.log().find("Accepted") == std::string::npos);
    CHECK(inner.connections() == connections);
}

TEST_CASE("a jump host that forbids forwarding, or knows no such host, says so")
{
    SshdOptions options;
    options.config = "AllowTcpForwarding no";
    Sshd inner, gate(options), open;
    REQUIRE_SSHD(inner);
    REQUIRE_SSHD(gate);
    inner.trust();
    gate.trust();
    open.trust();
    const auto forbidden = SshHost(throughGate(inner, gate)).connect(nullptr);
    REQUIRE_FALSE(forbidden);
    CAPTURE(forbidden.error().text());
    CHECK(forbidden.error().hint.find("forbids forwarding") != std::string::npos);
    inner.clientConfig();
    SshAddress nowhere = throughGate(inner, open);
    nowhere.target.port = 1;
    const auto refused = SshHost(nowhere).connect(nullptr);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("port 1 of 127.0.0.1") != std::string::npos);
}

TEST_CASE("the end of a jump host is an error on the channels behind it, and a frozen one counts as gone")
{
    Sshd inner, gate;
    REQUIRE_SSHD(inner);
    REQUIRE_SSHD(gate);
    inner.trust();
    gate.trust();
    SshHost host(throughGate(inner, gate, "ServerAliveInterval 2"));
    const auto failsWithin = [&](double seconds) {
        auto channel = host.start({{"sleep", "100"}});
        REQUIRE_MESSAGE(channel, textOf(channel));
        return [channel = std::move(*channel), seconds]() {
            const auto beginNs = monotonicNs();
            Result<std::string> bytes;
            while (bytes && static_cast<double>(monotonicNs() - beginNs) * 1e-9 < seconds) {
                bytes = channel->read(10);
                std::this_thread::sleep_for(milliseconds(20));
            }
            return bytes ? std::string() : bytes.error().message;
        };
    };
    {
        const auto check = failsWithin(5);
        gate.signalSessions(SIGKILL);
        CHECK(check().find("was lost") != std::string::npos);
        CHECK_FALSE(host.isConnected());
    }
    {
        const OwnFiles files; // some of them have the numbers of what libssh closed, at both hops
        host.disconnect();
        CHECK(files.areOpen());
    }
    const auto check = failsWithin(40);
    gate.signalSessions(SIGSTOP);
    const std::string said = check();
    gate.signalSessions(SIGCONT);
    CHECK(said.find(fmt::format("port {}", gate.port())) != std::string::npos); // the hop that is to blame
}
