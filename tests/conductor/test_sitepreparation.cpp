// SPDX-License-Identifier: MIT
// A relay that answers pings, and never what it is asked: each question has its limit and ends in a sentence.
#include "core/conductor/quietsink.h"
#include "core/conductor/siteinventory.h"
#include "core/conductor/sitepreparation.h"
#include "core/wire/frames.h"
#include "tests/support/built.h"
#include "tests/support/runningtime.h"
#include "tests/support/temporaryfolder.h"

#include <algorithm>
#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::test;
using namespace std::chrono_literals;

namespace {

/// The site "alder", whose relay says nothing, or only what it is.
struct MuteSite
{
    explicit MuteSite(std::vector<std::string> options, PreparationLimits limits)
        : access(CommandLine{relayWith(std::move(options))})
        , link("alder", access, sink)
        , remote(book, "alder", {}, nullptr, [](const SiteStep&) {})
        , preparation(
              link, &remote, [this](const SiteStep& step) { steps.push_back(step); }, limits)
    {
        Site site;
        site.name = "alder";
        site.host = "127.0.0.1";
        site.port = 1;
        site.worker = "/there/ringside-worker";
        REQUIRE(book.save(site));
        CHECK_FALSE(remote.dial(Presence::unattended, {})); // reads how the site is described
        REQUIRE(link.connect(Presence::unattended, {}));
    }

    static std::vector<std::string> relayWith(std::vector<std::string> options)
    {
        options.insert(options.begin(), testProgram("muterelay"));
        return options;
    }

    /// Does the work of the site's thread until the answer has come.
    template <class Value>
    Error answerOf(const std::optional<Result<Value>>& answer, SiteInventory* inventory = nullptr)
    {
        for (const RunningTime time; !answer && time.elapsed() < 60s;) {
            const auto message = link.receive(20ms);
            REQUIRE(message);
            if (*message)
                preparation.handle(**message);
            preparation.tick();
            if (inventory)
                inventory->tick();
        }
        REQUIRE(answer);
        REQUIRE_FALSE(*answer);
        return answer->error();
    }

    Error testOf(SitePreparation::Scope scope)
    {
        std::optional<Result<ReadySite>> answer;
        preparation.start([&](Result<ReadySite> ready) { answer = std::move(ready); }, scope);
        return answerOf(answer);
    }

    const SiteStep* stepOf(SiteStep::Kind kind, SiteStep::State state) const
    {
        const auto found =
            std::ranges::find_if(steps, [&](const SiteStep& step) { return step.kind == kind && step.state == state; });
        return found == steps.end() ? nullptr : &*found;
    }

    TemporaryFolder folder;
    SiteBook book{folder / "sites"};
    QuietSink sink;
    LocalAccess access;
    SiteLink link;
    RemoteAccess remote;
    std::vector<SiteStep> steps;
    SitePreparation preparation;
};

} // namespace

TEST_CASE("a build is awaited for longer than it may take")
{
    CHECK(PreparationLimits{}.worker > std::chrono::seconds(wire::BuildRequest{}.limitSeconds));
}

TEST_CASE("a site that answers but does not say what it is fails its test, by name and with what to do")
{
    MuteSite site({}, {.site = 1s});
    const Error error = site.testOf(SitePreparation::Scope::loginNode);
    CHECK(error.code == ErrorCode::timeout);
    CHECK(error.message == "alder answers, but has not reported within 1 s what it is.");
    CHECK(error.hint.find("test again") != std::string::npos);
    CHECK_FALSE(site.preparation.isUnderWay());
    const SiteStep* step = site.stepOf(SiteStep::Kind::scheduler, SiteStep::State::failed);
    REQUIRE(step);
    CHECK(step->text == error.message);
    CHECK(site.testOf(SitePreparation::Scope::launch).message == error.message); // it is asked anew
}

TEST_CASE("a compute node that never answers says that it is waited for, and is not waited for for ever")
{
    MuteSite site({"--probed"}, {.node = 1s, .installed = 1s});
    const Error error = site.testOf(SitePreparation::Scope::computeNode);
    const SiteStep* waits = site.stepOf(SiteStep::Kind::node, SiteStep::State::running);
    REQUIRE(waits);
    CHECK(waits->text.starts_with("waits in the queue for a node"));
    const SiteStep* failed = site.stepOf(SiteStep::Kind::node, SiteStep::State::failed);
    REQUIRE(failed);
    CHECK(failed->text == "No compute node answered within 1 s.");
    CHECK(site.steps.back().kind == SiteStep::Kind::worker); // the rest was looked at all the same
    CHECK_FALSE(error.message.empty());
}

TEST_CASE("a list of what lies on a site is not waited for for ever")
{
    MuteSite site({}, {});
    SiteInventory inventory(site.link, 1s);
    std::optional<Result<std::vector<wire::InstalledItem>>> answer;
    inventory.list([&](Result<std::vector<wire::InstalledItem>> items) { answer = std::move(items); });
    CHECK(site.answerOf(answer, &inventory).code == ErrorCode::timeout);
    CHECK_FALSE(inventory.isUnderWay());
}

TEST_CASE("a removal that is too large to be sent says so at once, and the line stays good")
{
    MuteSite site({}, {});
    SiteInventory inventory(site.link);
    wire::DeleteRequest request;
    request.items = {{wire::ItemKind::worker, std::string(wire::kMaxFrameBytes, 'x')}};
    std::optional<Result<wire::DeleteReply>> answer;
    inventory.remove(std::move(request), [&](Result<wire::DeleteReply> reply) { answer = std::move(reply); });
    REQUIRE(answer);
    REQUIRE_FALSE(*answer);
    CHECK(answer->error().code == ErrorCode::usage);
    CHECK_FALSE(inventory.isUnderWay());
    CHECK(site.link.isConnected());
}

TEST_CASE("a large request may take longer than the limit for bytes that are not taken")
{
    MuteSite site({"--slow"}, {});
    wire::SubmitRequest request;
    request.campaign = CampaignId::random();
    request.plan = std::string(20'000'000, 'x'); // 12 s
    REQUIRE(site.link.send(request));
    REQUIRE(site.link.send(wire::Ping{7}));
    std::optional<wire::Message> answer;
    for (const RunningTime time; !answer && time.elapsed() < 60s;) {
        auto message = site.link.receive(20ms);
        REQUIRE(message);
        answer = std::move(*message);
    }
    CHECK(answer == wire::Message(wire::Pong{7}));
}
