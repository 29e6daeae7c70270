// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/tcpstore.h"
#include "agent/worker/collectives/communicator.h"
#include "core/base/environment.h"
#include "core/base/rankvariables.h"
#include "core/base/sha256.h"
#include "tests/support/temporaryfolder.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <future>
#include <netinet/in.h>
#include <poll.h>
#include <sys/stat.h>

using namespace ringside;
using namespace std::chrono_literals;

namespace {

struct StoreFixture
{
    test::TemporaryFolder folder;
    const fs::path file = folder.path() / "meeting";
    std::unique_ptr<TcpStore> store = std::move(TcpStore::serve(file).value());

    TcpStoreClient client() { return std::move(TcpStoreClient::connect(file, deadlineIn(5s)).value()); }
    MeetingPoint point() const
    {
        const std::string text = readFile(file).value();
        const std::size_t line = text.find('\n') + 1;
        return MeetingPoint::fromText(std::string_view(text).substr(line, text.find('\n', line) - line)).value();
    }
    std::size_t refusedSoon(std::size_t expected) const
    {
        for (int i = 0; i < 100 && store->refused() < expected; ++i)
            std::this_thread::sleep_for(100ms);
        return store->refused();
    }
};

/// One that listens at this address alone; 0 is a port of the system's choice.
class OtherListener
{
public:
    OtherListener(const char* address, std::uint16_t port)
        : m_socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_in at{};
        socklen_t length = sizeof at;
        at.sin_family = AF_INET;
        at.sin_port = htons(port);
        ::inet_pton(AF_INET, address, &at.sin_addr);
        REQUIRE(::bind(m_socket.descriptor(), reinterpret_cast<const sockaddr*>(&at), length) == 0);
        REQUIRE(::listen(m_socket.descriptor(), 8) == 0);
        REQUIRE(::getsockname(m_socket.descriptor(), reinterpret_cast<sockaddr*>(&at), &length) == 0);
        m_port = ntohs(at.sin_port);
    }
    std::uint16_t port() const { return m_port; }

    /// Accepts one connection as this rank; returns which rank it was. Fails if none comes.
    Result<std::uint32_t> letIn(const Token& token, std::uint32_t rank)
    {
        pollfd coming{m_socket.descriptor(), POLLIN, 0};
        if (::poll(&coming, 1, 10'000) != 1)
            return fail(ErrorCode::timeout, "Nobody came.");
        TcpSocket socket(::accept4(m_socket.descriptor(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        TRY_ASSIGN(const std::uint32_t from, token.proveAsAcceptor(socket, rank, deadlineIn(5s)));
        TRY(Token::welcome(socket));
        return from;
    }

private:
    TcpSocket m_socket;
    std::uint16_t m_port = 0;
};

} // namespace

TEST_CASE("a host is reached at the addresses of one interface, where one is named")
{
    const auto loopback = ownAddresses("lo");
    REQUIRE(!loopback.empty());
    CHECK(loopback.front() == "127.0.0.1");
    CHECK(ownAddresses().size() >= loopback.size());
    CHECK(ownAddresses("l").empty());
    CHECK(ownAddresses("none0").empty());
}

TEST_CASE("an interface is named to each library in its own words, and one that is not there to none")
{
    const char* variables[] = {
        "OMPI_MCA_btl_tcp_if_include", "UCX_NET_DEVICES", "FI_TCP_IFACE",       "FI_SOCKETS_IFACE", "FI_VERBS_IFACE",
        "NCCL_SOCKET_IFNAME",          "NCCL_IB_DISABLE", kTcpInterfaceVariable};
    CHECK_FALSE(useInterface("none0"));
    for (const char* variable : variables)
        CHECK_FALSE(environment(variable));
    REQUIRE(useInterface("lo"));
    std::vector<std::string> values;
    for (const char* variable : variables)
        values.emplace_back(environment(variable));
    CHECK(values ==
          std::vector<std::string>{"lo", "lo", "lo", "lo", "lo", "=lo", "1", "lo"}); // no adapter lies behind it
    for (const char* variable : variables)
        unsetenv(variable);
}

TEST_CASE("HMAC-SHA-256 gives what RFC 4231 says")
{
    CHECK(hmacSha256Of("Jefe", "what do ya want for nothing?") ==
          "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    CHECK(hmacSha256Of(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First") ==
          "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST_CASE_FIXTURE(StoreFixture, "what one sets another gets, also one that asked before")
{
    auto first = client(), second = client();
    auto asked = std::async(std::launch::async, [&] { return second.get("later", deadlineIn(20s)); });
    REQUIRE(first.set("now", std::string("a\0b", 3)));
    CHECK(first.get("now", deadlineIn(5s)) == std::string("a\0b", 3));
    REQUIRE(first.set("later", "here"));
    CHECK(asked.get() == "here");
}

TEST_CASE_FIXTURE(StoreFixture, "a wait for what is not set has a limit, and the store ends although a rank waits")
{
    auto waiting = client();
    const auto got = waiting.get("never", deadlineIn(200ms));
    REQUIRE_FALSE(got);
    CHECK(got.error().code == ErrorCode::timeout);
    store.reset();
}

TEST_CASE_FIXTURE(StoreFixture, "a stranger does not get in: with another secret, without one, or with nothing to say")
{
    const auto other = Token::random().value();
    const auto joined = point().connect(other, {}, deadlineIn(10s));
    REQUIRE_FALSE(joined);
    CHECK(joined.error().code == ErrorCode::permission);
    const std::size_t tried = point().addresses.size(); // each of them was

    auto silent = TcpSocket::connect("127.0.0.1", point().port, deadlineIn(5s)).value();
    auto chatty = TcpSocket::connect("127.0.0.1", point().port, deadlineIn(5s)).value();
    const std::string request = "GET / HTTP/1.1\r\nHost: here\r\n\r\n" + std::string(4096, 'x');
    static_cast<void>(chatty.write(std::as_bytes(std::span(request)), deadlineIn(5s))); // it may hang up before the end
    REQUIRE(client().set("still", "works")); // while the silent one is waited for
    CHECK(refusedSoon(tried + 2) == tried + 2);
}

TEST_CASE_FIXTURE(StoreFixture, "the secret is in a file of its user only, and never on the line")
{
    struct stat info;
    REQUIRE(::stat(file.c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0600);
    auto listener = TcpListener::open().value();
    const MeetingPoint impostor{{"127.0.0.1"}, listener.port()};
    auto connecting = std::async(std::launch::async,
                                 [&] { return impostor.connect(store->token(), {}, deadlineIn(2s)).has_value(); });
    auto socket = listener.accept(deadlineIn(5s)).value();
    std::string heard(88, '\0');
    REQUIRE(socket.read(std::as_writable_bytes(std::span(heard)), deadlineIn(2s)));
    CHECK(heard.find(store->token().text()) == heard.npos);
    const std::string lies(128, '0'); // random bytes, and a proof that is none
    REQUIRE(socket.write(std::as_bytes(std::span(lies)), deadlineIn(2s)));
    CHECK_FALSE(connecting.get());
    CHECK_FALSE(socket.read(std::as_writable_bytes(std::span(heard)), deadlineIn(1s))); // no proof is given to it
}

TEST_CASE("another rank at the same address and port is not taken for the one that is meant")
{
    const Token token = Token::random().value();
    OtherListener wrong("127.0.0.1", 0), right("127.0.0.2", wrong.port());
    auto asWrong = std::async(std::launch::async, [&] { return wrong.letIn(token, 7); });
    auto asRight = std::async(std::launch::async, [&] { return right.letIn(token, 3); });
    const MeetingPoint point{{"127.0.0.1", "127.0.0.2"}, wrong.port()};
    CHECK(point.connect(token, {5, 3}, deadlineIn(10s)));
    CHECK_FALSE(asWrong.get());
    CHECK(asRight.get() == 5u);

    auto alone = std::async(std::launch::async, [&] { return wrong.letIn(token, 7); });
    const auto refused = MeetingPoint{{"127.0.0.1"}, wrong.port()}.connect(token, {5, 3}, deadlineIn(10s));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::permission);
    CHECK_FALSE(alone.get());
}

TEST_CASE("without a file the wait for it ends, and a damaged one is reported")
{
    const test::TemporaryFolder folder;
    const auto absent = TcpStoreClient::connect(folder.path() / "none", deadlineIn(200ms));
    REQUIRE_FALSE(absent);
    CHECK(absent.error().code == ErrorCode::timeout);
    for (const std::string text : {"", "secret", "\n\n", "0123\n1 127.0.0.1\n"}) {
        REQUIRE(writeFileAtomically(folder.path() / "bad", text));
        CHECK(TcpStoreClient::connect(folder.path() / "bad", deadlineIn(200ms)).error().code == ErrorCode::damaged);
    }
    for (const std::string text : {"", "0 127.0.0.1", "70000 127.0.0.1", "80", "x 127.0.0.1", "-1 ::1"})
        CHECK_FALSE(MeetingPoint::fromText(text));
    CHECK(MeetingPoint::fromText("80 10.0.0.1 ::1")->addresses.size() == 2);
}
