// SPDX-License-Identifier: MIT
// The built-in reader, which stands in where there is no ssh to ask; test_askssh.cpp compares it with ssh.
#include "core/remote/ssh/config.h"
#include "core/remote/ssh/route.h"
#include "tests/support/temporaryfolder.h"

#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <unistd.h>

using namespace ringside;
using namespace ringside::ssh;

namespace {

/// A home with a ~/.ssh.
class Home
{
public:
    Home()
    {
        ::unsetenv("SSH_AUTH_SOCK");
        fs::create_directories(m_folder / ".ssh/conf.d");
        places.home = m_folder.path();
        places.localUser = "kim";
        places.systemConfig = m_folder / "etc/ssh_config";
        places.systemKnownHosts = m_folder / "etc/known_hosts";
        fs::create_directories(m_folder / "etc");
    }

    fs::path write(const std::string& name, const std::string& text)
    {
        std::ofstream(m_folder / name) << text;
        return m_folder / name;
    }

    Config config() const
    {
        auto read = Config::read(places);
        REQUIRE_MESSAGE(read, (read ? std::string() : read.error().text()));
        return *read;
    }
    HostSettings of(const std::string& host) const
    {
        auto settings = config().settingsFor({host, "", 0});
        REQUIRE_MESSAGE(settings, (settings ? std::string() : settings.error().text()));
        return *settings;
    }
    Result<std::vector<HostSettings>> routeTo(const std::string& host) const
    {
        const Config read = config();
        return routeBy([&](const Target& target) { return read.settingsFor(target); }, {host, "", 0});
    }
    Error errorOf(const std::string& host) const
    {
        const auto settings = routeTo(host);
        REQUIRE_FALSE(settings);
        return settings.error();
    }
    fs::path ssh(const std::string& name) const { return m_folder / ".ssh" / name; }

    ConfigPlaces places;

private:
    test::TemporaryFolder m_folder;
};

} // namespace

TEST_CASE("targets are read as people write them")
{
    CHECK(parseTarget("alder") == Target{"alder", "", 0});
    CHECK(parseTarget("kim@alder.example.org:2222") == Target{"alder.example.org", "kim", 2222});
    CHECK(parseTarget("ssh://kim@alder:22") == Target{"alder", "kim", 22});
    CHECK(parseTarget("[2001:db8::1]:2222") == Target{"2001:db8::1", "", 2222});
    CHECK(parseTarget("2001:db8::1") == Target{"2001:db8::1", "", 0});
    CHECK(parseTarget("kim@EXAMPLE.ORG@alder")->user == "kim@EXAMPLE.ORG");
    CHECK(parseTarget("TREES\\kim@alder")->user == "TREES\\kim");
    CHECK(parseTargets("a,b@c:3")->size() == 2);
}

TEST_CASE("names that a shell, an option or a file could take for something else are refused")
{
    const std::vector<std::string> words = {"",
                                            "-oProxyCommand=id",
                                            "a b",
                                            "$(id)",
                                            "`id`",
                                            "a;b",
                                            "a|b",
                                            "a\nb",
                                            "alder'",
                                            "a\"b",
                                            "../x",
                                            "a/b",
                                            "alder:0",
                                            "alder:99999",
                                            "alder:x",
                                            "[::1",
                                            "a%00b",
                                            "ünïcode",
                                            "-l@alder",
                                            "a b@alder",
                                            "$HOME@alder",
                                            "@alder",
                                            "kim@",
                                            "kim\\@alder",
                                            std::string(300, 'a')};
    for (const std::string& word : words) {
        CAPTURE(word);
        const auto target = parseTarget(word);
        CHECK_FALSE(target);
        if (!target)
            CHECK(target.error().code == ErrorCode::usage);
    }
    Home home;
    home.write(".ssh/config", "Host a\nHostName x;reboot\nHost b\nUser $(id)\nHost c\nProxyJump -oX=y\n");
    CHECK(home.errorOf("a").message.find("config, line 2") != std::string::npos);
    CHECK(home.errorOf("b").code == ErrorCode::usage);
    CHECK(home.errorOf("c").message.find("config, line 6") != std::string::npos);
}

TEST_CASE("without a configuration the usual holds")
{
    Home home;
    const HostSettings alder = home.of("Alder");
    CHECK(alder.alias == "Alder");
    CHECK(alder.hostName == "alder");
    CHECK(alder.knownAs == "alder");
    CHECK(alder.user == "kim");
    CHECK(alder.port == 22);
    CHECK(alder.knownHosts.front() == home.ssh("known_hosts"));
    CHECK(alder.identityFiles.front() == home.ssh("id_rsa"));
    CHECK(alder.jumps.empty());
    CHECK(alder.agentSocket.empty());
    CHECK(alder.account() == "kim@alder");
}

TEST_CASE("a key may be named by the host that the connection goes through")
{
    Home home;
    home.write(".ssh/config", "Host inner\n  ProxyJump kim@outer,gate:2222\nHost *\n  IdentityFile ~/.ssh/by-%j\n");
    CHECK(home.of("inner").identityFiles == std::vector<fs::path>{home.ssh("by-gate")});
    CHECK(home.of("alder").identityFiles == std::vector<fs::path>{home.ssh("by-")});
}

TEST_CASE("the first value holds, keys add up, and patterns and quotes are read")
{
    Home home;
    home.write(".ssh/config", R"(# a comment
Host alder al*-?
    HostName = %h.example.org
    Port 2222   # the door at the back
    user "sam"
    IdentityFile ~/.ssh/one
    IdentityFile "%d/.ssh/two %r %p"
    CertificateFile /etc/cert-%u.pub
    UserKnownHostsFile ~/.ssh/kh1 ~/.ssh/kh2
    IdentitiesOnly yes
    ServerAliveInterval 90
    ConnectTimeout 3
    PasswordAuthentication no
    Ciphers aes256-gcm@openssh.com
Host * !alder
    User other
    Port 99
Host *
    IdentityFile ~/.ssh/all
    User late
)");
    home.write("etc/ssh_config", "Host *\n  User system\n  KbdInteractiveAuthentication no\n");
    const HostSettings alder = home.of("alder");
    CHECK(alder.hostName == "alder.example.org");
    CHECK(alder.port == 2222);
    CHECK(alder.user == "sam");
    CHECK(alder.knownAs == "[alder.example.org]:2222");
    CHECK(alder.place() == "alder.example.org, port 2222");
    CHECK(alder.account() == "sam@[alder.example.org]:2222");
    CHECK(alder.identityFiles == std::vector<fs::path>{home.ssh("one"), home.ssh("two sam 2222"), home.ssh("all")});
    CHECK(alder.certificateFiles == std::vector<fs::path>{"/etc/cert-kim.pub"});
    CHECK(alder.knownHosts == std::vector<fs::path>{home.ssh("kh1"), home.ssh("kh2")});
    CHECK(alder.identitiesOnly);
    CHECK(alder.keepAlive == std::chrono::seconds(60)); // clamped
    CHECK(alder.connectLimit == std::chrono::seconds(3));
    CHECK(alder.methods == std::vector{SignInMethod::publicKey}); // the system turns questions off
    CHECK(alder.algorithms.at("ciphers") == "aes256-gcm@openssh.com");
    CHECK(home.of("alto-1").hostName == "alto-1.example.org");
    CHECK(home.of("birch").user == "other");
    CHECK(home.of("birch").port == 99);
}

TEST_CASE("Include brings files in where it stands, Match asks about host and user")
{
    Home home;
    home.write(".ssh/config", R"(Include conf.d/*.conf none/*
Host beech
    Include ~/.ssh/inner
    HostName beech.example.org
Match originalhost oak
    HostName oak.example.org
Match host *.example.org user kim
    Port 2022
Match host *.example.org !user kim
    Port 2023
Match exec "touch %d/executed"
    Port 1
Match !exec "touch %d/executed"
    Port 1
Match final host plain2
    Port 9
Match localuser kim
    Compression yes
Match all
    IdentityFile ~/.ssh/last
)");
    home.write(".ssh/conf.d/a.conf", "Host elm\n  User elmer\n");
    home.write(".ssh/conf.d/b.conf", "Host elm\n  User nobody\n  Port 7\n");
    home.write(".ssh/inner", "User inner\nHost other\n  User wrong\nHost bee*\n Port 8\n");
    CHECK(home.of("elm").user == "elmer");
    CHECK(home.of("elm").port == 7);
    CHECK(home.of("beech").user == "inner");
    CHECK(home.of("beech").port == 8);
    CHECK(home.of("beech").hostName == "beech.example.org"); // after the included file, the block goes on
    CHECK(home.of("other").user == "kim");                   // a Host in a file for another host says nothing
    CHECK(home.of("oak").port == 2022);
    const auto sam = home.config().settingsFor({"oak", "sam", 0});
    REQUIRE(sam);
    CHECK(sam->port == 2023);
    CHECK(home.of("oak").identityFiles == std::vector<fs::path>{home.ssh("last")});
    CHECK(home.of("plain2").port == 9);
    const HostSettings plain = home.of("plain");
    CHECK(plain.port == 22);
    REQUIRE(plain.notes.size() == 2);
    CHECK(plain.notes[0].find("Match exec") != std::string::npos);
    CHECK_FALSE(fs::exists(home.places.home / "executed"));
}

TEST_CASE("files that include each other end, and one that others may write is refused")
{
    Home home;
    home.write(".ssh/config", "Include config\n");
    CHECK(Config::read(home.places).error().code == ErrorCode::usage);
    home.write(".ssh/config", "Host a\n");
    fs::permissions(home.ssh("config"), fs::perms::others_write, fs::perm_options::add);
    const auto refused = Config::read(home.places);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::permission);
    CHECK(refused.error().hint.find("chmod") != std::string::npos);
    CHECK(Config::read(home.places, home.ssh("config")).error().code == ErrorCode::permission);
    CHECK(Config::read(home.places, home.ssh("none")).error().code == ErrorCode::notFound);
}

TEST_CASE("a site's own configuration stands alone")
{
    Home home;
    home.write(".ssh/config", "Host *\n Port 1\n");
    const auto config = Config::read(home.places, home.write("own", "Host alder\n Port 2\n"));
    REQUIRE(config);
    CHECK(config->settingsFor({"alder", "", 0})->port == 2);
    CHECK(config->settingsFor({"birch", "", 0})->port == 22);
    CHECK(config->settingsFor({"birch", "", 44})->port == 44);
}

TEST_CASE("the way through jump hosts, nearest first, each with its own settings")
{
    Home home;
    home.write(".ssh/config", R"(Host inner
    HostName 10.0.0.7
    ProxyJump sam@gate:2200,middle
Host gate
    HostName gate.example.org
    ProxyJump outer
    User wrong
Host middle
    ProxyJump ignored
    User mid
Host direct
    ProxyJump none
Host old
    ProxyCommand ssh -q -W %h:%p gate
Host *
    ProxyJump gate
Host circle
)");
    const auto names = [&](const std::string& host) {
        const auto route = home.routeTo(host);
        REQUIRE_MESSAGE(route, (route ? std::string() : route.error().text()));
        std::string text;
        for (const auto& hop : *route)
            text += fmt::format("{}@{}:{} ", hop.user, hop.hostName, hop.port);
        return text;
    };
    home.write("direct", "");
    CHECK(home.errorOf("inner").message.find("too many hosts") != std::string::npos); // outer jumps through gate again
    home.write(".ssh/config", R"(Host inner
    HostName 10.0.0.7
    ProxyJump sam@gate:2200,middle
Host gate
    HostName gate.example.org
    ProxyJump outer
    User wrong
Host middle
    ProxyJump ignored
    User mid
Host old
    ProxyCommand ssh -q -W %h:%p gate
Host netcat
    ProxyCommand nc %h %p
Host both
    ProxyCommand none
    ProxyJump gate
)");
    CHECK(names("inner") == "kim@outer:22 sam@gate.example.org:2200 mid@middle:22 kim@10.0.0.7:22 ");
    CHECK(names("old") == "kim@outer:22 wrong@gate.example.org:22 kim@old:22 ");
    CHECK(names("both") == "kim@both:22 "); // what was said first holds
    const Error refused = home.errorOf("netcat");
    CHECK(refused.code == ErrorCode::unavailable);
    CHECK(refused.message.find("config, line 14") != std::string::npos);
    CHECK(refused.hint.find("ProxyJump") != std::string::npos);
}

TEST_CASE("hosts of a configuration are listed with user, port and jump")
{
    Home home;
    home.write(".ssh/config", R"(Include conf.d/*
Host alder beech *.example.org !oak
    User sam
Host alder
    HostName alder.example.org
    Port 2222
    ProxyJump kim@gate
Host broken
    Port many
)");
    home.write(".ssh/conf.d/more", "Host elm\n");
    const auto hosts = home.config().hosts();
    REQUIRE(hosts.size() == 3);
    CHECK(hosts[0].alias == "elm");
    CHECK(hosts[1].alias == "alder");
    CHECK(hosts[1].hostName == "alder.example.org");
    CHECK(hosts[1].user == "sam");
    CHECK(hosts[1].port == 2222);
    CHECK(written(hosts[1].jumps) == "kim@gate");
    CHECK(hosts[2].alias == "beech");
    CHECK(written(hosts[2].jumps).empty());
}

TEST_CASE("what Ringside does otherwise is noted, with the line")
{
    Home home;
    home.write(".ssh/config", "Host a\nControlMaster auto\nStrictHostKeyChecking no\n");
    const auto notes = home.of("a").notes;
    REQUIRE(notes.size() == 2);
    CHECK(notes[0].find("config, line 2") != std::string::npos);
    CHECK(notes[1].find("config, line 3") != std::string::npos);
}
