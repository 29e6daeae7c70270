// SPDX-License-Identifier: MIT
#include "tests/remote/ssh/person.h"
#include "tests/remote/ssh/signin.h"
#include "tests/remote/ssh/sshagent.h"
#include "tests/support/built.h"

#include <sys/stat.h>

using namespace ringside;
using namespace ringside::test;

namespace {

std::size_t countOf(const std::string& text, const std::string& part)
{
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

const std::string kAskTwice = "auth required " + testProgram("pam_asktwice.so");

} // namespace

TEST_CASE("a key file lets in, keys that are not known are offered once each, and the greeting is shown")
{
    SshdOptions options;
    options.config = "Banner " + sourceFolder().string() + "/LICENSE";
    Sshd sshd(options);
    REQUIRE_SSHD(sshd);
    sshd.trust();
    makeKey(sshd, "other");
    SshHost host(sshd.address("IdentityFile " + sshd.file("other").string()));
    CHECK(howOf(host, nullptr) == "key " + sshd.file("id_ed25519").string());
    CHECK(host.isConnected());
    host.disconnect();
    Person person;
    CHECK(howOf(host, &person) == "key " + sshd.file("id_ed25519").string());
    REQUIRE(person.notices.size() == 1);
    CHECK(person.notices[0].starts_with(readFile(sourceFolder() / "LICENSE")->substr(0, 100)));
    CHECK(person.notices[0].size() < 2'010);
    CHECK(run(host, {"id", "-un"}).output == ownUser() + "\n");
}

TEST_CASE("refused keys are named, never more than a server takes, and not offered again by themselves")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    sshd.trust();
    std::string lines;
    for (const char* name : {"k1", "k2", "k3", "k4", "k5", "k6", "k7"}) {
        makeKey(sshd, name);
        lines += "IdentityFile " + sshd.file(name).string() + "\n";
    }
    SshHost host(sshd.address(lines));
    const auto refused = host.connect(nullptr);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::permission);
    CHECK(countOf(refused.error().message, "(refused)") == 4);
    CHECK(refused.error().message.find("further keys were not offered") != std::string::npos);
    CHECK(sshd.log().find("Too many authentication failures") == std::string::npos);
    const std::size_t connections = sshd.connections();
    CHECK(host.start({{"true"}}).error().code == ErrorCode::permission);
    CHECK(host.connect(nullptr).error().code == ErrorCode::permission);
    CHECK(sshd.connections() == connections);
}

TEST_CASE("what is no key file is not waited for, whatever the configuration names: key, public key or certificate")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    sshd.trust();
    makeKey(sshd, "other");
    std::string lines;
    for (const char* name : {"key", "other-cert.pub", "certificate", "public.pub"})
        REQUIRE(::mkfifo(sshd.file(name).c_str(), 0600) == 0);
    for (const char* name : {"key", "public", "other"})
        lines += "IdentityFile " + sshd.file(name).string() + "\n";
    SshHost host(sshd.address(lines + "CertificateFile " + sshd.file("certificate").string()));
    CHECK(howOf(host, nullptr) == "key " + sshd.file("id_ed25519").string());
}

TEST_CASE("a server that hangs up early says what to do")
{
    SshdOptions options;
    options.config = "MaxAuthTries 1";
    Sshd sshd(options);
    REQUIRE_SSHD(sshd);
    sshd.trust();
    makeKey(sshd, "other");
    makeKey(sshd, "another");
    SshHost host(sshd.address("IdentityFile " + sshd.file("other").string() + "\nIdentityFile " +
                              sshd.file("another").string()));
    const auto refused = host.connect(nullptr);
    REQUIRE_FALSE(refused);
    CAPTURE(refused.error().text());
    CHECK(refused.error().code == ErrorCode::permission);
    CHECK(refused.error().text().find("IdentityFile") != std::string::npos);
}

TEST_CASE("an encrypted key asks for its passphrase, once, and only if the server would take it")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    sshd.trust();
    makeKey(sshd, "locked", "-t ed25519 -N 'open sesame'");
    const std::string line = "IdentityFile " + sshd.file("locked").string();
    Person person;
    {
        SshHost host(sshd.address(line)); // "locked" is no use here: no question is asked about it
        CHECK(howOf(host, &person) == "key " + sshd.file("id_ed25519").string());
        CHECK(person.rounds.empty());
    }
    letIn(sshd, {"locked"});
    SshHost host(sshd.address(line));
    const auto alone = host.connect(nullptr);
    REQUIRE_FALSE(alone);
    CHECK(alone.error().code == ErrorCode::needsUser);

    person.answers = {{"wrong"}};
    const auto wrong = host.connect(&person);
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().code == ErrorCode::permission);
    CHECK(person.rounds.size() == 1);
    CHECK(person.rounds[0].kind == PromptRound::Kind::passphrase);
    CHECK(person.rounds[0].subject == sshd.file("locked").string());
    CHECK(person.rounds[0].account.ends_with(fmt::format("@[127.0.0.1]:{}", sshd.port())));
    CHECK_FALSE(person.rounds[0].prompts[0].echo);

    CHECK(host.connect(&person).error().code == ErrorCode::cancelled); // closes the dialog
    person.answers = {{"open sesame"}};
    CHECK(howOf(host, &person) == "key " + sshd.file("locked").string());

    fs::remove(sshd.file("locked.pub")); // its public half is in the clear beside the encrypted one
    person.answers = {{"open sesame"}};
    SshHost again(sshd.address(line));
    CHECK(howOf(again, &person) == "key " + sshd.file("locked").string());
}

TEST_CASE("RSA, ECDSA and old PEM keys work")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    sshd.trust();
    makeKey(sshd, "rsa", "-t rsa -b 2048 -N ''");
    makeKey(sshd, "ecdsa", "-t ecdsa -N ''");
    makeKey(sshd, "pem", "-t rsa -b 2048 -m PEM -N 'pass word'");
    letIn(sshd, {"rsa", "ecdsa", "pem"});
    for (const std::string name : {"rsa", "ecdsa", "pem"}) {
        Person person;
        person.answers = {{"pass word"}};
        SshHost host(sshd.address("IdentityFile " + sshd.file(name).string()));
        CHECK(howOf(host, &person) == "key " + sshd.file(name).string());
        CHECK(person.rounds.size() == (name == "pem" ? 1 : 0));
    }
}

TEST_CASE("a certificate lets in, beside the key or named by CertificateFile")
{
    Sshd plain;
    REQUIRE_SSHD(plain);
    SshdOptions options;
    options.config = "TrustedUserCAKeys " + plain.file("ca.pub").string();
    makeKey(plain, "ca");
    Sshd sshd(options);
    REQUIRE_SSHD(sshd);
    sshd.trust();
    makeKey(sshd, "certified");
    makeKey(sshd, "unrelated");
    shell(fmt::format("ssh-keygen -q -s {} -I test -n {} {} {}", plain.file("ca").string(), ownUser(),
                      sshd.file("certified.pub").string(), sshd.file("unrelated.pub").string()));
    letIn(sshd, {});
    const std::string key = "IdentityFile " + sshd.file("certified").string();
    {
        SshHost host(sshd.address(key));
        CHECK(howOf(host, nullptr) == "certificate of " + sshd.file("certified").string());
    }
    fs::rename(sshd.file("certified-cert.pub"), sshd.file("moved.pub"));
    {
        SshHost host(sshd.address(key));
        CHECK_FALSE(host.connect(nullptr));
    }
    SshHost host(sshd.address(key + "\nCertificateFile " + sshd.file("unrelated-cert.pub").string() +
                              "\nCertificateFile " + sshd.file("moved.pub").string()));
    CHECK(howOf(host, nullptr) == "certificate of " + sshd.file("certified").string());
}

TEST_CASE("a server that asks twice: its text is shown plainly, echo is honoured, answers are given once")
{
    SshdOptions options;
    options.pamLine = kAskTwice + " password=correct=horse code=424242";
    options.config = "PubkeyAuthentication no";
    Sshd sshd(options);
    REQUIRE_SSHD(sshd);
    sshd.trust();
    Person person;
    SshHost host(sshd.address());

    const auto alone = host.connect(nullptr);
    REQUIRE_FALSE(alone);
    CHECK(alone.error().code == ErrorCode::needsUser);
    CHECK(sshd.log().find("keyboard-interactive") == std::string::npos);

    person.answers = {{"correct=horse"}, {"424242"}};
    CHECK(howOf(host, &person) == "answers to the server's questions");
    REQUIRE(person.rounds.size() == 2);
    CHECK(person.rounds[0].kind == PromptRound::Kind::challenge);
    CHECK(person.rounds[0].subject == fmt::format("{}@[127.0.0.1]:{}", ownUser(), sshd.port()));
    CHECK(person.rounds[0].prompts[0].text.find("Password: ") != std::string::npos);
    CHECK_FALSE(person.rounds[0].prompts[0].echo);
    CHECK(person.rounds[1].prompts[0].text.find("One-time code: ") != std::string::npos);
    CHECK(person.rounds[1].prompts[0].echo);
    CHECK(person.rounds[1].round > person.rounds[0].round);
    std::string all;
    for (const auto& round : person.rounds)
        all += round.instruction + round.prompts[0].text;
    CHECK(all.find("Alder cluster ?[31m<b>authorised</b> users only") != std::string::npos);
    CHECK(run(host, {"echo", "in"}).output == "in\n");
    host.disconnect();

    person.rounds.clear();
    person.answers = {{"correct=horse"}, {"1"}, {"correct=horse"}, {"424242"}};
    const auto wrong = host.connect(&person);
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().code == ErrorCode::permission);
    CHECK(wrong.error().message.find("“Password”, “One-time code”") != std::string::npos);
    CHECK(wrong.error().message.find("does not say which one was wrong") != std::string::npos);
    CHECK(person.answers.size() == 2); // what was left is not used
    const std::size_t connections = sshd.connections();
    CHECK(host.start({{"true"}}).error().code == ErrorCode::permission);
    CHECK(sshd.connections() == connections);
}

TEST_CASE("a refusal after a single question names it")
{
    SshdOptions options;
    options.pamLine = kAskTwice + " password=secret";
    options.config = "PubkeyAuthentication no";
    Sshd sshd(options);
    REQUIRE_SSHD(sshd);
    sshd.trust();
    Person person;
    person.answers = {{"wrong"}};
    SshHost host(sshd.address());
    const auto wrong = host.connect(&person);
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().message.find("Refused: the answer to “Password”.") != std::string::npos);
}

TEST_CASE("a push: what the server says is shown, and an empty prompt is answered like any other")
{
    SshdOptions options;
    options.pamLine = kAskTwice + " say=Confirm_on_your_telephone press=1";
    options.config = "PubkeyAuthentication no";
    Sshd sshd(options);
    REQUIRE_SSHD(sshd);
    sshd.trust();
    Person person;
    person.answers = {{""}};
    SshHost host(sshd.address());
    CHECK(howOf(host, &person) == "answers to the server's questions");
    REQUIRE(person.rounds.size() == 1);
    REQUIRE(person.rounds[0].prompts.size() == 1);
    const std::string shown = person.rounds[0].instruction + person.rounds[0].prompts[0].text;
    CHECK(shown.find("Confirm_on_your_telephone") != std::string::npos);
    CHECK(person.answers.empty());

    // Without any prompt no question is asked, and the sign-in does not count as one that needed no proof.
    SshdOptions silent;
    silent.pamLine = kAskTwice + " say=Confirm_on_your_telephone";
    silent.config = "PubkeyAuthentication no";
    Sshd pushing(silent);
    REQUIRE_SSHD(pushing);
    pushing.trust();
    Person nobody;
    SshHost other(pushing.address());
    CHECK(howOf(other, &nobody) == "a check of the server's own");
    CHECK(nobody.rounds.empty());
}

TEST_CASE("a key and then a code: partial success leads on")
{
    SshdOptions options;
    options.pamLine = kAskTwice + " code=424242";
    options.config = "AuthenticationMethods publickey,keyboard-interactive";
    Sshd sshd(options);
    REQUIRE_SSHD(sshd);
    sshd.trust();
    Person person;
    person.answers = {{"424242"}};
    SshHost host(sshd.address());
    CHECK(howOf(host, &person) ==
          "key " + sshd.file("id_ed25519").string() + ", then answers to the server's questions");
    SshHost again(sshd.address());
    CHECK(again.connect(nullptr).error().code == ErrorCode::needsUser);

    makeKey(sshd, "other");
    const SshAgent agent(sshd, {"other", "id_ed25519"});
    person.answers = {{"424242"}};
    SshHost byAgent(sshd.address(agent.line()));
    CHECK(howOf(byAgent, &person).find("of the ssh-agent, then answers") != std::string::npos);
}

TEST_CASE("PreferredAuthentications says what is tried, and in which order")
{
    SshdOptions options;
    options.pamLine = kAskTwice + " password=secret";
    options.config = "PasswordAuthentication yes\nMaxAuthTries 3";
    Sshd sshd(options);
    REQUIRE_SSHD(sshd);
    sshd.trust();
    const auto howWith = [&](const char* methods) {
        Person person;
        person.answers = {{"secret"}};
        SshHost host(sshd.address(fmt::format("PreferredAuthentications {}", methods)));
        return howOf(host, &person);
    };
    CHECK(howWith("keyboard-interactive") == "answers to the server's questions");
    CHECK(howWith("gssapi-with-mic,password,publickey") == "password");
    CHECK(howWith("hostbased").find("no way to sign in that Ringside knows: hostbased") != std::string::npos);
}

TEST_CASE("two keys, where a server wants two")
{
    SshdOptions options;
    options.config = "AuthenticationMethods publickey,publickey";
    Sshd sshd(options);
    REQUIRE_SSHD(sshd);
    sshd.trust();
    makeKey(sshd, "second");
    letIn(sshd, {"id_ed25519", "second"});
    SshHost host(sshd.address("IdentityFile " + sshd.file("second").string()));
    CHECK(howOf(host, nullptr) ==
          fmt::format("key {}, then key {}", sshd.file("second").string(), sshd.file("id_ed25519").string()));
}

TEST_CASE("a password is asked for last, and tried once")
{
    SshdOptions options;
    options.pamLine = kAskTwice + " password=secret";
    options.config = "PubkeyAuthentication no\nKbdInteractiveAuthentication no\nPasswordAuthentication yes";
    Sshd sshd(options);
    REQUIRE_SSHD(sshd);
    sshd.trust();
    Person person;
    SshHost host(sshd.address());
    CHECK(host.connect(nullptr).error().code == ErrorCode::needsUser);
    person.answers = {{"wrong"}, {"secret"}};
    CHECK(host.connect(&person).error().code == ErrorCode::permission);
    CHECK(person.rounds.size() == 1);
    CHECK(person.rounds[0].kind == PromptRound::Kind::password);
    CHECK(howOf(host, &person) == "password");
    // At most: sshd loses the line if the connection ends before its two processes have passed it on.
    CHECK(countOf(sshd.log(), "Failed password") <= 1);
}

TEST_CASE("a kept password that holds no more is tried once, and then a person is asked once")
{
    SshdOptions options;
    options.pamLine = kAskTwice + " password=secret";
    options.config = "PubkeyAuthentication no\nKbdInteractiveAuthentication no\nPasswordAuthentication yes";
    Sshd sshd(options);
    REQUIRE_SSHD(sshd);
    sshd.trust();
    SshHost host(sshd.address());
    Person person;
    person.hasKept = true;
    person.answers = {{"stale"}, {"secret"}};
    CHECK(howOf(host, &person) == "password");
    CHECK(person.rounds.size() == 2);
    CHECK(person.judgements == std::vector<bool>{false, true});

    Person other;
    other.hasKept = true;
    other.answers = {{"stale"}, {"wrong"}, {"secret"}};
    SshHost again(sshd.address());
    CHECK(again.connect(&other).error().code == ErrorCode::permission);
    CHECK(other.rounds.size() == 2);
    CHECK(other.judgements == std::vector<bool>{false, false});
}

TEST_CASE("a kept passphrase that opens the key no more is asked for again, of a person")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    sshd.trust();
    makeKey(sshd, "locked", "-t ed25519 -N 'open sesame'");
    letIn(sshd, {"locked"});
    SshHost host(sshd.address("IdentityFile " + sshd.file("locked").string()));
    Person person;
    person.hasKept = true;
    person.answers = {{"stale"}, {"open sesame"}};
    CHECK(howOf(host, &person) == "key " + sshd.file("locked").string());
    CHECK(person.judgements == std::vector<bool>{false, true});
}

TEST_CASE("a sign-in can be stopped, and a dialog that is closed ends it")
{
    SshdOptions options;
    options.pamLine = kAskTwice + " password=secret";
    options.config = "PubkeyAuthentication no";
    Sshd sshd(options);
    REQUIRE_SSHD(sshd);
    sshd.trust();
    Person person;
    SshHost host(sshd.address());
    CHECK(host.connect(&person).error().code == ErrorCode::cancelled);
    std::stop_source stop;
    stop.request_stop();
    const auto beginNs = monotonicNs();
    CHECK(host.connect(&person, stop.get_token()).error().code == ErrorCode::cancelled);
    CHECK(monotonicNs() - beginNs < 2'000'000'000);
}
