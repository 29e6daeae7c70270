// SPDX-License-Identifier: MIT
#include "tests/remote/ssh/commands.h"
#include "tests/remote/ssh/person.h"
#include "tests/remote/ssh/sshd.h"
#include "tests/support/runningtime.h"

#include <csignal>
#include <fstream>
#include <iterator>
#include <map>
#include <thread>

using namespace ringside;
using namespace ringside::test;
using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {

double secondsSince(std::int64_t beginNs)
{
    return static_cast<double>(monotonicNs() - beginNs) * 1e-9;
}

} // namespace

TEST_CASE("what goes in comes out, standard error apart, and the exit code is reported")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    sshd.trust();
    SshHost host(sshd.address());
    CHECK(host.name() == "alder");
    CHECK_FALSE(host.isConnected());
    REQUIRE(textOf(host.connect(nullptr)) == "");

    auto echo = host.start({{"cat"}});
    REQUIRE(echo);
    CHECK((*echo)->write("hello") == 5u);
    std::string heard;
    for (int i = 0; i < 200 && heard.size() < 5; ++i) {
        auto set = (*echo)->pollSet(false);
        ::poll(set.data(), set.size(), 100);
        heard += *(*echo)->read(100);
    }
    CHECK(heard == "hello");
    CHECK((*echo)->close(milliseconds(3'000)) == 0);

    const Outcome outcome = run(host, {"sh", "-c", "printf 'a b'; printf 'bad\\033[31m' >&2; exit 7"});
    CHECK(outcome.output == "a b");
    CHECK(outcome.errors == "bad?[31m");
    CHECK(outcome.exitCode == 7);
    CHECK(run(host, {"sh", "-c", "kill -TERM $$"}).exitCode == 128 + 15);
}

TEST_CASE("the quickest cipher is agreed on, or the one that the configuration wants")
{
    Sshd sshd({"LogLevel DEBUG1", {"ed25519"}, {}, {}});
    REQUIRE_SSHD(sshd);
    sshd.trust();
    const auto agreedCipher = [&](const std::string& config) {
        const std::size_t before = sshd.log().size();
        SshHost host(sshd.address(config));
        REQUIRE(textOf(host.connect(nullptr)) == "");
        const std::string mark = "kex: client->server cipher: ";
        REQUIRE(sshd.logs(mark, before));
        const std::string log = sshd.log();
        const std::size_t at = log.find(mark, before);
        return log.substr(at + mark.size(), log.find(' ', at + mark.size()) - at - mark.size());
    };
    std::ifstream processor("/proc/cpuinfo");
    const std::string flags(std::istreambuf_iterator<char>(processor), {});
    CHECK(agreedCipher("") ==
          (flags.find(" aes") != std::string::npos ? "aes128-gcm@openssh.com" : "chacha20-poly1305@openssh.com"));
    CHECK(agreedCipher("Ciphers aes256-ctr,aes128-gcm@openssh.com") == "aes256-ctr");
}

TEST_CASE("standard error is bounded, and does not stop a chatty command")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    sshd.trust();
    SshHost host(sshd.address());
    const Outcome outcome = run(host, {"sh", "-c", "head -c 5000000 /dev/zero >&2; echo end"});
    CHECK(outcome.output == "end\n");
    CHECK(outcome.errors.size() == kMaxErrorTextBytes);
}

TEST_CASE("twenty channels run at once, and one that is not read stops no other")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    sshd.trust();
    SshHost host(sshd.address());
    auto unread = host.start({{"sh", "-c", "head -c 20000000 /dev/zero"}});
    REQUIRE(unread);
    std::vector<std::unique_ptr<Channel>> channels;
    for (int i = 0; i < 20; ++i) {
        auto channel =
            host.start({{"sh", "-c", fmt::format("head -c 3000000 /dev/zero | tr '\\0' '{}'", char('a' + i))}});
        REQUIRE_MESSAGE(channel, textOf(channel));
        channels.push_back(std::move(*channel));
    }
    std::map<int, std::string> said;
    const RunningTime time;
    for (std::size_t open = 20; open > 0 && time.elapsed() < 60s;) {
        open = 0;
        for (std::size_t i = 0; i < channels.size(); ++i) {
            auto bytes = channels[i]->read(1 << 20);
            REQUIRE(bytes);
            said[static_cast<int>(i)] += *bytes;
            open += channels[i]->atEnd() ? 0 : 1;
        }
    }
    for (int i = 0; i < 20; ++i)
        CHECK(said[i] == std::string(3'000'000, static_cast<char>('a' + i)));
    CHECK(readAll(**unread).size() == 20'000'000);
}

TEST_CASE("what libssh holds is announced by the poll set")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    sshd.trust();
    SshHost host(sshd.address());
    auto channel = host.start({{"sh", "-c", "printf 123456; exec sleep 60"}});
    REQUIRE(channel);
    std::string said;
    for (int i = 0; i < 6; ++i) { // one byte at a time: the rest waits inside libssh
        for (std::string piece; piece.empty(); said += piece) {
            auto set = (*channel)->pollSet(false);
            REQUIRE(::poll(set.data(), set.size(), 5'000) > 0);
            piece = *(*channel)->read(1);
        }
    }
    CHECK(said == "123456");
    auto set = (*channel)->pollSet(false);
    CHECK(::poll(set.data(), set.size(), 200) == 0); // and then there is nothing
}

TEST_CASE("bytes that one channel reads for another wake the thread that polls both")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    sshd.trust();
    SshHost host(sshd.address());
    auto first = host.start({{"cat"}});
    auto second = host.start({{"cat"}});
    REQUIRE(first);
    REQUIRE(second);
    REQUIRE((*first)->write("x") == 1u);
    auto set = (*first)->pollSet(false);
    std::string heard;
    for (const RunningTime time; heard.empty() && time.elapsed() < 20s;) {
        std::this_thread::sleep_for(milliseconds(300));       // the echo lies in the socket …
        for (const pollfd& entry : (*second)->pollSet(false)) // … and no longer
            set.push_back(entry);
        REQUIRE(::poll(set.data(), set.size(), 5'000) > 0);
        heard = *(*first)->read(10);
        set = (*first)->pollSet(false);
    }
    CHECK(heard == "x");
    CHECK((*second)->read(10) == std::string());
    set = (*first)->pollSet(false);
    CHECK(::poll(set.data(), set.size(), 200) == 0);
}

TEST_CASE("a command that does not end is killed after its grace")
{
    SshdOptions options;
    options.shells = {"dash"}; // sshd signals no command of root
    Sshd sshd(options);
    REQUIRE_SSHD(sshd);
    sshd.trust();
    SshAddress address = sshd.address();
    address.target.user = "dash-user";
    SshHost host(address);
    auto channel = host.start({{"sh", "-c", "echo $$; trap '' TERM HUP; while :; do sleep 1; done"}});
    REQUIRE_MESSAGE(channel, textOf(channel));
    std::string pid;
    while (pid.empty())
        pid = *(*channel)->read(100);
    const RunningTime time;
    CHECK((*channel)->close(milliseconds(200)) == 128 + 9);
    CHECK(time.elapsed() < 3s);
    CHECK(host.isConnected());
    const auto isThere = [&] { return ::kill(static_cast<pid_t>(std::atol(pid.c_str())), 0) == 0; };
    while (isThere() && time.elapsed() < 10s)
        std::this_thread::sleep_for(milliseconds(20));
    CHECK_FALSE(isThere());
}

TEST_CASE("more goes in than the other side takes, and nothing is lost")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    sshd.trust();
    SshHost host(sshd.address());
    auto channel = host.start({{"sh", "-c", "sleep 0.5; cksum"}});
    REQUIRE(channel);
    const std::string bytes(30'000'000, 'x');
    std::string_view rest = bytes;
    for (const auto beginNs = monotonicNs(); !rest.empty() && secondsSince(beginNs) < 60;) {
        const auto taken = (*channel)->write(rest);
        REQUIRE_MESSAGE(taken, textOf(taken));
        rest.remove_prefix(*taken);
        auto set = (*channel)->pollSet(true);
        ::poll(set.data(), set.size(), 1'000);
        REQUIRE((*channel)->read(1 << 16));
    }
    CHECK(rest.empty());
}

TEST_CASE("writing to a server that is frozen does not block")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    sshd.trust();
    SshHost host(sshd.address());
    auto channel = host.start({{"cat"}});
    REQUIRE(channel);
    sshd.signalSessions(SIGSTOP);
    const std::string bytes(1 << 20, 'x');
    std::size_t total = 0;
    const RunningTime time;
    for (int i = 0; i < 100; ++i) {
        const auto taken = (*channel)->write(bytes);
        REQUIRE_MESSAGE(taken, textOf(taken));
        total += *taken;
    }
    CHECK(time.elapsed() < 2s);
    CHECK(total < 8 * bytes.size()); // nor is it all kept in memory
    sshd.signalSessions(SIGCONT);
}

TEST_CASE("writing to a command that has ended is an error")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    sshd.trust();
    SshHost host(sshd.address());
    auto channel = host.start({{"true"}});
    REQUIRE(channel);
    readAll(**channel);
    Result<std::size_t> written = 0;
    for (int i = 0; i < 20 && written; ++i) {
        std::this_thread::sleep_for(milliseconds(20));
        written = (*channel)->write("x");
    }
    CHECK_FALSE(written);
}

TEST_CASE("a cut connection is an error on every channel, and the host connects again without a person")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    sshd.trust();
    SshHost host(sshd.address());
    auto first = host.start({{"sleep", "60"}});
    auto second = host.start({{"cat"}});
    REQUIRE(first);
    REQUIRE(second);
    sshd.signalSessions(SIGKILL);
    for (auto* channel : {&*first, &*second}) {
        Result<std::string> bytes;
        for (const RunningTime time; bytes && time.elapsed() < 20s;) {
            bytes = (*channel)->read(100);
            std::this_thread::sleep_for(milliseconds(10));
        }
        REQUIRE_FALSE(bytes);
        CHECK(bytes.error().code == ErrorCode::unavailable);
        CHECK(bytes.error().message.find("127.0.0.1") != std::string::npos);
        CHECK_FALSE((*channel)->write("x"));
        CHECK((*channel)->close(milliseconds(1'000)) == 255);
    }
    CHECK_FALSE(host.isConnected());
    CHECK_FALSE(host.tick());
    CHECK(run(host, {"echo", "again"}).output == "again\n");
}

TEST_CASE("the end of a connection, from either side, closes its own files and no other of this process")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    sshd.trust();
    SshHost host(sshd.address());
    const std::ptrdiff_t before = openFiles();
    for (const bool isLost : {true, false, true}) {
        REQUIRE(textOf(host.connect(nullptr)) == "");
        if (isLost) {
            sshd.signalSessions(SIGKILL);
            for (const RunningTime time; host.tick() && time.elapsed() < 20s;)
                std::this_thread::sleep_for(milliseconds(10));
            CHECK_FALSE(host.isConnected());
        }
        const OwnFiles files; // one of them has the number of the socket that libssh closed
        host.disconnect();
        CHECK(files.areOpen());
    }
    CHECK(openFiles() == before);
}

TEST_CASE("a server that is frozen counts as gone after three keep-alives")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    sshd.trust();
    SshHost host(sshd.address("ServerAliveInterval 1"));
    auto channel = host.start({{"sleep", "100"}});
    REQUIRE(channel);
    const auto beginNs = monotonicNs();
    const RunningTime time;
    sshd.signalSessions(SIGSTOP);
    Result<void> alive;
    while (alive && time.elapsed() < 60s) {
        std::this_thread::sleep_for(milliseconds(50));
        alive = host.tick();
    }
    sshd.signalSessions(SIGCONT);
    REQUIRE_FALSE(alive);
    CHECK(alive.error().message.find("answered nothing for 3 s") != std::string::npos);
    CHECK(secondsSince(beginNs) > 2.9);
    CHECK(time.elapsed() < 30s);
    CHECK_FALSE((*channel)->read(10));
}

TEST_CASE("a connection can be cancelled, and nothing waits any longer for a host that answers no more")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    sshd.trust();
    SshHost host(sshd.address());
    std::stop_source stop;
    REQUIRE(host.connect(nullptr, stop.get_token()));
    sshd.signalSessions(SIGSTOP);
    const std::jthread leaving([&] {
        std::this_thread::sleep_for(milliseconds(300));
        stop.request_stop();
    });
    const auto beginNs = monotonicNs();
    const RunningTime time;
    const bool started = host.start({{"true"}}).has_value();
    const double took = secondsSince(beginNs);
    host.disconnect();
    const auto all = time.elapsed();
    sshd.signalSessions(SIGCONT);
    CHECK_FALSE(started);
    CHECK(took > 0.29);
    CHECK(all < 2s);
}

TEST_CASE("an idle connection is kept alive, and its keep-alives are answered")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    sshd.trust();
    SshHost host(sshd.address("ServerAliveInterval 2"));
    REQUIRE(host.connect(nullptr));
    const auto beginNs = monotonicNs();
    while (secondsSince(beginNs) < 9) {
        REQUIRE(textOf(host.tick()) == "");
        std::this_thread::sleep_for(milliseconds(100));
    }
    CHECK(run(host, {"echo", "there"}).output == "there\n");
}

TEST_CASE("a command line that no shell could carry is refused before anything is sent")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    sshd.trust();
    SshHost host(sshd.address());
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{}, {std::string("a\0b", 3)}, {"echo", std::string(200'000, 'x')}}) {
        const auto channel = host.start({words});
        REQUIRE_FALSE(channel);
        CHECK(channel.error().code == ErrorCode::usage);
    }
    CHECK_FALSE(host.isConnected());
}
