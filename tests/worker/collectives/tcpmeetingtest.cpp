// SPDX-License-Identifier: MIT
// Ranks that meet although some are late and foreign peers connect, too. Each is a thread here.
#include "agent/worker/collectives/tcpmeeting.h"
#include "core/base/networklinks.h"
#include "tests/support/runningtime.h"
#include "tests/support/temporaryfolder.h"

#include <array>
#include <doctest/doctest.h>
#include <future>
#include <map>

using namespace ringside;
using namespace std::chrono_literals;

namespace {

/// Tenths of the real ones, so that who is late for them is soon here.
constexpr MeetingLimits kShort{.all = 60s, .address = 300ms, .proof = 200ms};

struct RanksFixture
{
    test::TemporaryFolder folder;
    const fs::path file = folder.path() / "meeting";
    std::map<int, std::future<Result<TcpPeers>>> ranks;

    void start(int rank, int of, const MeetingLimits& limits = kShort)
    {
        ranks[rank] =
            std::async(std::launch::async, [place = TcpPlace{rank, of, file, {}, limits}] { return meet(place); });
    }
    /// By rank.
    std::vector<Result<TcpPeers>> outcomes()
    {
        std::vector<Result<TcpPeers>> all;
        for (auto& [number, rank] : ranks)
            all.push_back(rank.get());
        return all;
    }
    /// Returns where a rank listens, once it has said so.
    MeetingPoint pointOf(int rank) const
    {
        auto client = TcpStoreClient::connect(file, deadlineIn(10s));
        REQUIRE(client);
        const std::string told = client->get(fmt::format("rank-{}", rank), deadlineIn(10s)).value();
        return MeetingPoint::fromText(std::string_view(told).substr(told.find('\n') + 1)).value();
    }
};

/// A word over every connection, in both directions, with who says it to whom.
bool areConnected(std::vector<Result<TcpPeers>>& all)
{
    using Word = std::array<std::size_t, 2>;
    for (std::size_t from = 0; from < all.size(); ++from)
        for (std::size_t to = 0; to < all.size(); ++to) {
            const Word said{from, to};
            if (from != to && !all[from]->sockets[to].write(std::as_bytes(std::span(said)), deadlineIn(5s)))
                return false;
        }
    for (std::size_t to = 0; to < all.size(); ++to)
        for (std::size_t from = 0; from < all.size(); ++from) {
            Word heard{};
            if (from != to && (!all[to]->sockets[from].read(std::as_writable_bytes(std::span(heard)), deadlineIn(5s)) ||
                               heard != Word{from, to}))
                return false;
        }
    return true;
}

TcpSocket connected(std::uint16_t port)
{
    return std::move(TcpSocket::connect("127.0.0.1", port, deadlineIn(5s)).value());
}

void say(TcpSocket& socket, const std::string& text)
{
    static_cast<void>(socket.write(std::as_bytes(std::span(text)), deadlineIn(5s))); // it may be hung up on before
}

bool isHungUpOn(TcpSocket& socket)
{
    std::string heard(1, '\0');
    for (;;)
        if (const auto read = socket.read(std::as_writable_bytes(std::span(heard)), deadlineIn(5s)); !read)
            return read.error().code == ErrorCode::unavailable;
}

} // namespace

TEST_CASE_FIXTURE(RanksFixture, "who starts long after the others is waited for")
{
    const auto tries = static_cast<int>(ownAddresses().size());
    start(0, 4);
    start(1, 4);
    std::this_thread::sleep_for(kShort.proof * (tries + 1)); // longer than an earlier rank may be silent
    start(3, 4);
    std::this_thread::sleep_for(kShort.proof * (tries + 1));
    start(2, 4);
    auto met = outcomes();
    for (const auto& rank : met)
        REQUIRE(rank);
    CHECK(areConnected(met));
    for (const auto& rank : met)
        CHECK(rank->hosts == std::vector(4, hostName()));
}

TEST_CASE("who has met the others may end at once, although they still meet")
{
    for (int i = 0; i < 20; ++i) {
        const test::TemporaryFolder folder;
        std::vector<std::future<std::string>> ranks; // an error's text
        for (int rank = 0; rank < 4; ++rank)
            ranks.push_back(
                std::async(std::launch::async, [place = TcpPlace{rank, 4, folder.path() / "meeting", {}, kShort}] {
                    const auto met = meet(place);
                    return met ? std::string() : met.error().text();
                }));
        for (auto& rank : ranks)
            CHECK(rank.get() == "");
    }
}

TEST_CASE_FIXTURE(RanksFixture, "who does not come is named after a limit, and not those that wait for it")
{
    for (const int rank : {0, 2, 3})
        start(rank, 4, {.all = 2s, .address = 300ms, .proof = 500ms});
    for (const auto& rank : outcomes()) {
        REQUIRE_FALSE(rank);
        CHECK(rank.error().code == ErrorCode::timeout);
        CHECK(rank.error().message == "Rank 1 did not come within 2 s.");
    }
}

TEST_CASE_FIXTURE(RanksFixture, "ranks meet behind strangers that say nothing, anything, or have another secret")
{
    constexpr MeetingLimits patient{.all = 60s, .address = 3s, .proof = 30s}; // strangers are not gone before the end
    const test::RunningTime time;
    start(0, 3, patient);
    start(1, 3, patient);
    const Token other = Token::random().value();
    std::vector<TcpSocket> strangers;
    for (const int rank : {0, 1}) {
        const MeetingPoint point = pointOf(rank);
        for (int i = 0; i < 8; ++i)
            strangers.push_back(connected(point.port));
        strangers.push_back(connected(point.port));
        say(strangers.back(), "GET / HTTP/1.1\r\nHost: here\r\n\r\n" + std::string(4096, 'x'));
        strangers.push_back(connected(point.port));
        say(strangers.back(), "ringside-rank-2\n00000002" + std::string(128, 'a')); // as who knows all but the secret
        const auto joined = point.connect(other, {2, static_cast<std::uint32_t>(rank)}, deadlineIn(20s));
        REQUIRE_FALSE(joined);
        CHECK(joined.error().code == ErrorCode::permission);
    }
    start(2, 3, patient);
    auto met = outcomes();
    CHECK(time.elapsed() < 20s);
    for (const auto& rank : met)
        REQUIRE(rank);
    CHECK(areConnected(met));
    for (TcpSocket& stranger : strangers)
        CHECK(isHungUpOn(stranger));
}

TEST_CASE_FIXTURE(RanksFixture, "a rank with the secret, but none that is waited for, does not get in")
{
    start(0, 2);
    const MeetingPoint point = pointOf(0);
    const Token token = TcpStoreClient::connect(file, deadlineIn(5s))->token();
    for (const std::uint32_t from : {0u, 2u, Route::kNone}) // itself, one too many, none
        CHECK_FALSE(point.connect(token, {from, 0}, deadlineIn(300ms)));
    start(1, 2);
    auto met = outcomes();
    REQUIRE(met[0]);
    REQUIRE(met[1]);
    CHECK(areConnected(met));
}
