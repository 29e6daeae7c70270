// SPDX-License-Identifier: MIT
#include "tests/remote/ssh/commands.h"
#include "tests/remote/ssh/person.h"
#include "tests/remote/ssh/sshd.h"

#include <fstream>
#include <sstream>

using namespace ringside;
using namespace ringside::test;

namespace {

std::string contentOf(const fs::path& path)
{
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

void writeTo(const fs::path& path, const std::string& text)
{
    std::ofstream(path) << text;
}

/// "SHA256:…" as ssh-keygen prints it.
std::string fingerprintOf(const Sshd& sshd, const std::string& type = "ed25519")
{
    shell(fmt::format("ssh-keygen -l -f {}/host_{}.pub | cut -d' ' -f2 > {}", sshd.folder().string(), type,
                      sshd.file("fingerprint").string()));
    std::string text = contentOf(sshd.file("fingerprint"));
    text.pop_back();
    return text;
}

std::string nameOf(const Sshd& sshd)
{
    return fmt::format("[127.0.0.1]:{}", sshd.port());
}

/// Checks that no sign-in happened or was tried.
void checkNothingWasSent(const Sshd& sshd)
{
    CHECK(sshd.log().find("Accepted") == std::string::npos);
    CHECK(sshd.log().find("Failed") == std::string::npos);
    CHECK(sshd.log().find("Postponed") == std::string::npos);
}

} // namespace

TEST_CASE("an unknown host is asked about, and kept when it is trusted")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    Person person;
    SshHost host(sshd.address());

    const auto refused = host.connect(&person); // no file yet, the answer is no
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::cancelled);
    REQUIRE(person.hostKeys.size() == 1);
    CHECK(person.hostKeys[0].fingerprint == fingerprintOf(sshd));
    CHECK(person.hostKeys[0].keyType == "ssh-ed25519");
    CHECK(person.hostKeys[0].host == fmt::format("127.0.0.1, port {}", sshd.port()));
    CHECK(person.hostKeys[0].keptIn == sshd.knownHosts());
    CHECK_FALSE(fs::exists(sshd.knownHosts()));
    checkNothingWasSent(sshd);

    person.trusts = true;
    writeTo(sshd.knownHosts(),
            "elsewhere ssh-ed25519 AAAAC3Nza"); // unreadable, about another host, without its newline
    REQUIRE(textOf(host.connect(&person)) == "");
    CHECK(person.hostKeys.size() == 2);
    const std::string kept = contentOf(sshd.knownHosts());
    CHECK(kept == fmt::format("elsewhere ssh-ed25519 AAAAC3Nza\n{} {}\n", nameOf(sshd), sshd.hostKey()));

    SshHost again(sshd.address());
    REQUIRE(textOf(again.connect(&person)) == "");
    CHECK(person.hostKeys.size() == 2); // known now
}

TEST_CASE("without a person an unknown host is not connected to")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    SshHost host(sshd.address());
    const auto refused = host.connect(nullptr);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::needsUser);
    CHECK(refused.error().message.find(fingerprintOf(sshd)) != std::string::npos);
    checkNothingWasSent(sshd);
    const std::size_t connections = sshd.connections();
    CHECK(host.start({{"true"}}).error().code == ErrorCode::needsUser);
    CHECK(sshd.connections() == connections); // not even a connection
}

TEST_CASE("a key that no file remembers is asked about each time, and the reason is said")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    Person person;
    person.trusts = true;
    SshHost host(sshd.address("UserKnownHostsFile none"));
    for (const std::size_t asked : {1u, 2u}) {
        REQUIRE(textOf(host.connect(&person)) == "");
        REQUIRE(person.hostKeys.size() == asked);
        CHECK(person.hostKeys.back().keptIn.empty());
        host.disconnect();
    }
    const auto alone = host.connect(nullptr);
    REQUIRE_FALSE(alone);
    CHECK(alone.error().code == ErrorCode::needsUser);
    CHECK(alone.error().hint.find("UserKnownHostsFile none") != std::string::npos);
}

TEST_CASE("a changed key is a hard stop with both fingerprints, file, line and the command that removes it")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    writeTo(sshd.knownHosts(), fmt::format("# first\n\n{} {}\n", nameOf(sshd), sshd.hostKey()));
    const std::string before = fingerprintOf(sshd);
    sshd.changeHostKeys({"ed25519"});
    Person person;
    person.trusts = true;
    SshHost host(sshd.address());
    const auto refused = host.connect(&person);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::permission);
    CHECK(person.hostKeys.empty());
    REQUIRE(person.alarms.size() == 1);
    const HostKeyAlarm& alarm = person.alarms[0];
    CHECK(alarm.knownFingerprint == before);
    CHECK(alarm.offeredFingerprint == fingerprintOf(sshd));
    CHECK(alarm.file == sshd.knownHosts());
    CHECK(alarm.line == 3);
    CHECK_FALSE(alarm.revoked);
    for (const std::string& part : {before, fingerprintOf(sshd), sshd.knownHosts().string(), std::string("line 3")})
        CHECK(refused.error().text().find(part) != std::string::npos);
    checkNothingWasSent(sshd);

    shell(alarm.removeCommand + " 2>/dev/null >/dev/null"); // as a person would, after asking
    REQUIRE(textOf(host.connect(&person)) == "");
    CHECK(person.hostKeys.size() == 1);
}

TEST_CASE("a key of another type is refused, and does not arise by the order of what a host offers")
{
    SshdOptions options;
    options.hostKeys = {"ed25519", "ecdsa"};
    Sshd sshd(options);
    REQUIRE_SSHD(sshd);
    writeTo(sshd.knownHosts(), fmt::format("{} {}\n", nameOf(sshd), sshd.hostKey("ecdsa")));
    Person person;
    SshHost host(sshd.address());
    REQUIRE(textOf(host.connect(&person)) == ""); // ed25519 would have come first
    CHECK(person.hostKeys.empty());
    host.disconnect();
    for (const char* list : {"+ssh-rsa", "ssh-ed25519,ecdsa-sha2-nistp256"}) {
        SshHost configured(sshd.address(fmt::format("HostKeyAlgorithms {}", list)));
        CHECK(textOf(configured.connect(nullptr)) == "");
    }

    sshd.changeHostKeys({"ed25519"});
    const auto refused = host.connect(&person);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::permission);
    REQUIRE(person.alarms.size() == 1);
    CHECK(person.alarms[0].knownType == "ecdsa-sha2-nistp256");
    CHECK(person.alarms[0].offeredType == "ssh-ed25519");
}

TEST_CASE("hashed names, RSA keys and the system's file are known, a revoked key never is")
{
    SshdOptions options;
    options.hostKeys = {"rsa", "ed25519"};
    Sshd sshd(options);
    REQUIRE_SSHD(sshd);
    SUBCASE("hashed")
    {
        sshd.trust();
        shell(fmt::format("ssh-keygen -H -f {} 2>/dev/null >/dev/null", sshd.knownHosts().string()));
        CHECK(contentOf(sshd.knownHosts()).starts_with("|1|"));
        CHECK(textOf(SshHost(sshd.address()).connect(nullptr)) == "");
    }
    SUBCASE("rsa")
    {
        writeTo(sshd.knownHosts(), fmt::format("{} {}\n", nameOf(sshd), sshd.hostKey("rsa")));
        CHECK(textOf(SshHost(sshd.address()).connect(nullptr)) == "");
    }
    SUBCASE("system")
    {
        writeTo(sshd.file("system"), fmt::format("{} {}\n", nameOf(sshd), sshd.hostKey()));
        const std::string line = "GlobalKnownHostsFile " + sshd.file("system").string();
        CHECK(textOf(SshHost(sshd.address(line)).connect(nullptr)) == "");
    }
    SUBCASE("under an alias")
    {
        writeTo(sshd.knownHosts(), "cluster " + sshd.hostKey() + "\n");
        CHECK(textOf(SshHost(sshd.address("HostKeyAlias cluster")).connect(nullptr)) == "");
    }
    SUBCASE("revoked")
    {
        sshd.trust();
        std::ofstream(sshd.knownHosts(), std::ios::app)
            << "@revoked * " << sshd.hostKey("rsa") << "\n@revoked * " << sshd.hostKey("ed25519") << "\n";
        Person person;
        person.trusts = true;
        const auto refused = SshHost(sshd.address()).connect(&person);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().message.find("revoked") != std::string::npos);
        REQUIRE(person.alarms.size() == 1);
        CHECK(person.alarms[0].revoked);
        CHECK(person.alarms[0].removeCommand.empty());
    }
}

TEST_CASE("a known_hosts file that cannot be read stops the connection")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    fs::create_directories(sshd.knownHosts()); // a folder in its place
    Person person;
    person.trusts = true;
    CHECK_FALSE(SshHost(sshd.address()).connect(&person));
    checkNothingWasSent(sshd);
}

TEST_CASE("what is no SSH server, or none at all, is told apart")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    const auto errorOf = [&](const std::string& lines) {
        const auto failed = SshHost(sshd.address(lines)).connect(nullptr);
        REQUIRE_FALSE(failed);
        CHECK(failed.error().code == ErrorCode::unavailable);
        return failed.error().text();
    };
    CHECK(errorOf("HostName no-such-host.invalid").find("no-such-host.invalid has no address") != std::string::npos);
    CHECK(errorOf("MACs umac-64@openssh.com").find("knows none of “umac-64@openssh.com”") != std::string::npos);
    CHECK(errorOf("Port 1").find("refused") != std::string::npos);
}
