// SPDX-License-Identifier: MIT
#include "tests/remote/ssh/person.h"
#include "tests/remote/ssh/signin.h"
#include "tests/remote/ssh/sshagent.h"

using namespace ringside;
using namespace ringside::test;

TEST_CASE("ssh-agent signs: named keys first, only those with IdentitiesOnly, and never too many")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    sshd.trust();
    const std::vector<std::string> keys = {"a1", "a2", "a3", "a4", "a5", "wanted"};
    for (const std::string& key : keys)
        makeKey(sshd, key);
    letIn(sshd, {"wanted"});
    const SshAgent agent(sshd, keys);
    {
        SshHost host(sshd.address(agent.line()));
        const auto refused = host.connect(nullptr); // the sixth is never reached
        REQUIRE_FALSE(refused);
        CHECK(refused.error().message.find("key a1 of the ssh-agent (refused)") != std::string::npos);
        CHECK(sshd.log().find("Too many authentication failures") == std::string::npos);
    }
    fs::remove(sshd.file("wanted")); // only its public half names it
    {
        std::string named = "\nIdentityFile " + sshd.file("wanted").string();
        for (const std::string& key : keys)
            named += "\nIdentityFile " + sshd.file(key).string();
        SshHost host(sshd.address(agent.line() + named));
        CHECK(howOf(host, nullptr) == "key wanted of the ssh-agent");
        CHECK(run(host, {"echo", "in"}).output == "in\n");
    }
    SshHost only(sshd.address(agent.line() + "\nIdentitiesOnly yes"));
    const auto refused = only.connect(nullptr);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("of the ssh-agent") == std::string::npos);
}

TEST_CASE("RSA keys in the agent work, and an agent that is frozen or gone does not stop key files")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    sshd.trust();
    makeKey(sshd, "rsa", "-t rsa -b 2048 -N ''");
    {
        letIn(sshd, {"rsa"});
        const SshAgent agent(sshd, {"rsa"});
        SshHost host(sshd.address(agent.line()));
        CHECK(howOf(host, nullptr) == "key rsa of the ssh-agent");
    }
    letIn(sshd, {"id_ed25519"});
    const SshAgent frozen(sshd, {"rsa"});
    frozen.freeze();
    SshHost host(sshd.address(frozen.line()));
    CHECK(howOf(host, nullptr) == "key " + sshd.file("id_ed25519").string());
    SshHost gone(sshd.address("IdentityAgent /nowhere/agent"));
    CHECK(howOf(gone, nullptr) == "key " + sshd.file("id_ed25519").string());
}

TEST_CASE("IdentityFile may name the public half of a key that the agent holds, and says so where it holds it not")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    sshd.trust();
    for (const char* key : {"other", "wanted"})
        makeKey(sshd, key);
    letIn(sshd, {"wanted"});
    const std::string named = "\nIdentitiesOnly yes\nIdentityFile " + sshd.file("wanted.pub").string();
    {
        const SshAgent agent(sshd, {"other", "wanted"});
        SshHost host(sshd.address(agent.line() + named));
        CHECK(howOf(host, nullptr) == "key wanted of the ssh-agent");
        CHECK(sshd.log().find("Failed publickey") == std::string::npos); // "other" was not offered
    }
    const SshAgent agent(sshd, {"other"});
    SshHost host(sshd.address(agent.line() + named));
    const auto refused = host.connect(nullptr);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("wanted.pub (a public key, and no ssh-agent holds its private one)") !=
          std::string::npos);
}

TEST_CASE("an encrypted key without its .pub is known in the agent, and its passphrase is not asked for")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    sshd.trust();
    const std::vector<std::string> keys = {"a1", "a2", "a3", "a4", "a5", "locked"};
    for (const std::string& key : keys)
        makeKey(sshd, key);
    letIn(sshd, {"locked"});
    const SshAgent agent(sshd, keys);
    shell(fmt::format("ssh-keygen -q -p -P '' -N 'open sesame' -f {} >/dev/null", sshd.file("locked").string()));
    fs::remove(sshd.file("locked.pub"));
    const std::string named = agent.line() + "\nIdentityFile " + sshd.file("locked").string();
    for (const char* only : {"no", "yes"}) {
        Person person;
        SshHost host(sshd.address(named + "\nIdentitiesOnly " + only));
        CHECK(howOf(host, &person) == "key locked of the ssh-agent");
        CHECK(person.rounds.empty());
    }
}

TEST_CASE("a certificate in a file lets in with the key that the agent holds")
{
    Sshd plain;
    REQUIRE_SSHD(plain);
    makeKey(plain, "ca");
    SshdOptions options;
    options.config = "TrustedUserCAKeys " + plain.file("ca.pub").string();
    Sshd sshd(options);
    REQUIRE_SSHD(sshd);
    sshd.trust();
    makeKey(sshd, "ed25519");
    makeKey(sshd, "rsa", "-t rsa -b 2048 -N ''");
    letIn(sshd, {});
    const SshAgent agent(sshd, {"ed25519", "rsa"}); // before there are certificates, which ssh-add would add
    for (const std::string key : {"ed25519", "rsa"}) {
        CAPTURE(key);
        shell(fmt::format("ssh-keygen -q -s {} -I test -n {} {}", plain.file("ca").string(), ownUser(),
                          sshd.file(key + ".pub").string()));
        fs::remove(sshd.file(key));
        for (const std::string& named : {key, key + ".pub"}) {
            SshHost host(sshd.address(agent.line() + "\nIdentityFile " + sshd.file(named).string()));
            CHECK(howOf(host, nullptr) == fmt::format("certificate of key {} of the ssh-agent", key));
            CHECK(run(host, {"echo", "in"}).output == "in\n");
        }
        fs::rename(sshd.file(key + "-cert.pub"), sshd.file(key + "-moved.pub"));
        SshHost host(sshd.address(agent.line() + "\nCertificateFile " + sshd.file(key + "-moved.pub").string()));
        CHECK(howOf(host, nullptr) == fmt::format("certificate of key {} of the ssh-agent", key));
    }
}
