// SPDX-License-Identifier: MIT
// Builds as the app sees them: through a relay that may go at any time.
#include "core/base/sha256.h"
#include "core/protocol/layout.h"
#include "core/remote/localhost.h"
#include "core/remote/relayclient.h"
#include "tests/builder/fakesite.h"
#include "tests/support/built.h"

#include <doctest/doctest.h>

using namespace ringside;
using std::chrono::milliseconds;
using test::FakeSite;

namespace {

constexpr milliseconds kLong{30'000};

/// A line to the site, and what came over it.
class Line
{
public:
    explicit Line(const FakeSite& site)
    {
        auto client = RelayClient::connect(m_host, relayCommand(test::builtProgram("ringside-agent"), site.root(), ""));
        REQUIRE_MESSAGE(client, (client ? "" : client.error().text()));
        m_client.emplace(std::move(*client));
    }

    void ask(const wire::Message& request) { REQUIRE(m_client->send(request)); }

    /// The next message that `is` what is waited for.
    std::optional<wire::Message> hear(const std::function<bool(const wire::Message&)>& is)
    {
        for (int i = 0; i < 600; ++i) {
            auto message = m_client->receive(milliseconds(100));
            if (!message)
                return std::nullopt;
            if (*message && is(**message))
                return *message;
        }
        return std::nullopt;
    }

    /// On the way `log` becomes what came of the build's log.
    std::optional<wire::Message> hearEnd()
    {
        return hear([this](const wire::Message& message) {
            if (const auto* progress = std::get_if<wire::BuildProgress>(&message))
                log += progress->log;
            return std::holds_alternative<wire::BuildReply>(message) ||
                   std::holds_alternative<wire::ErrorReply>(message);
        });
    }

    std::string log;

private:
    LocalHost m_host;
    std::optional<RelayClient> m_client;
};

wire::BuildRequest requestFor(const FakeSite& site)
{
    wire::BuildRequest request;
    request.requestId = 7;
    request.source = *sha256OfFile(site.options().source);
    request.torch = site.torch().string();
    request.limitSeconds = 60;
    return request;
}

void placeSource(const FakeSite& site, const wire::BuildRequest& request)
{
    REQUIRE(makePrivateFolder(layout::workersFolder(site.root())));
    fs::copy_file(site.options().source, layout::sourceFile(site.root(), request.source));
}

} // namespace

TEST_CASE("a relay builds while it answers other things, and reports how far it is")
{
    FakeSite site;
    site.holdBuilds();
    const auto request = requestFor(site);
    placeSource(site, request);
    Line line(site);
    line.ask(request);
    REQUIRE(line.hear([](const wire::Message& message) {
        const auto* progress = std::get_if<wire::BuildProgress>(&message);
        return progress && progress->phase == "compile" && progress->requestId == 7;
    }));
    line.ask(wire::Ping{42});
    CHECK(line.hear([](const wire::Message& message) { return std::holds_alternative<wire::Pong>(message); }));
    site.letBuildsEnd();
    const auto end = line.hearEnd();
    REQUIRE(end);
    const auto* built = std::get_if<wire::BuildReply>(&*end);
    REQUIRE(built);
    CHECK(built->requestId == 7);
    CHECK(fs::exists(built->worker));
    CHECK(built->features.find("format") != std::string::npos);
}

TEST_CASE("a build goes on when its relay has gone, and a new request joins it")
{
    FakeSite site;
    site.holdBuilds();
    const auto request = requestFor(site);
    placeSource(site, request);
    {
        Line first(site);
        first.ask(request);
        REQUIRE(first.hear([](const wire::Message& message) {
            const auto* progress = std::get_if<wire::BuildProgress>(&message);
            return progress && progress->text.find("[1/2]") != std::string::npos;
        }));
    }
    Line second(site);
    second.ask(request);
    CHECK(second.hear([](const wire::Message& message) {
        const auto* progress = std::get_if<wire::BuildProgress>(&message);
        return progress && progress->phase == "wait";
    }));
    site.letBuildsEnd();
    const auto end = second.hearEnd();
    REQUIRE(end);
    CHECK(std::holds_alternative<wire::BuildReply>(*end));
    CHECK(site.compilations() == 1);
}

TEST_CASE("the log of a build comes with its progress, to those who join it, too")
{
    FakeSite site;
    site.program("cmake", R"(case $1 in
--version) echo "cmake version 3.25.1" ;;
--build) i=0
    while [ $i -lt 20000 ]; do echo "warning $i"; i=$((i + 1)); done
    while [ -e "$RINGSIDE_FAKE/held" ]; do sleep 0.05; done
    echo "a.cpp:1: error: it is wrong"
    exit 1 ;;
esac)");
    site.holdBuilds();
    const auto request = requestFor(site);
    placeSource(site, request);
    Line first(site);
    first.ask(request);
    REQUIRE(first.hear([&](const wire::Message& message) {
        const auto* progress = std::get_if<wire::BuildProgress>(&message);
        first.log += progress ? progress->log : "";
        return progress && progress->phase == "compile";
    }));
    Line second(site);
    second.ask(request);
    REQUIRE(second.hear([&](const wire::Message& message) {
        const auto* progress = std::get_if<wire::BuildProgress>(&message);
        second.log += progress ? progress->log : "";
        return progress && progress->phase == "wait";
    }));
    site.letBuildsEnd();
    for (Line* line : {&first, &second}) {
        const auto end = line->hearEnd();
        REQUIRE(end);
        CHECK(std::get<wire::ErrorReply>(*end).error.message.find("it is wrong") != std::string::npos);
        CHECK(line->log.starts_with("$ "));
        CHECK(line->log.find("warning 19999\na.cpp:1: error: it is wrong\n") != std::string::npos);
    }
    CHECK(first.log == second.log);
}

TEST_CASE("a source that is not there is asked for, and one that is something else is refused")
{
    FakeSite site;
    auto request = requestFor(site);
    Line line(site);
    line.ask(request);
    auto end = line.hearEnd();
    REQUIRE(end);
    CHECK(std::get<wire::ErrorReply>(*end).error.code == ErrorCode::notFound);
    placeSource(site, request);
    REQUIRE(writeFileAtomically(layout::sourceFile(site.root(), request.source), "half of it"));
    line.ask(request);
    end = line.hearEnd();
    REQUIRE(end);
    CHECK(std::get<wire::ErrorReply>(*end).error.code == ErrorCode::notFound);
    CHECK(site.compilations() == 0);
}

TEST_CASE("a failed build is reported with its hint")
{
    FakeSite site;
    site.remove("g++");
    const auto request = requestFor(site);
    placeSource(site, request);
    Line line(site);
    line.ask(request);
    const auto end = line.hearEnd();
    REQUIRE(end);
    CHECK(std::get<wire::ErrorReply>(*end).error.hint.find("Load a module") != std::string::npos);
}

TEST_CASE("the inventory comes through the relay")
{
    FakeSite site;
    REQUIRE(site.build());
    Line line(site);
    line.ask(wire::InventoryRequest{9});
    const auto reply =
        line.hear([](const wire::Message& message) { return std::holds_alternative<wire::InventoryReply>(message); });
    REQUIRE(reply);
    const auto& items = std::get<wire::InventoryReply>(*reply).items;
    REQUIRE(items.size() == 1);
    CHECK(items[0].item.kind == wire::ItemKind::worker);
    CHECK_FALSE(items[0].inUse);
}
