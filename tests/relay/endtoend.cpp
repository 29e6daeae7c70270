// SPDX-License-Identifier: MIT
// App side and site side over real pipes: RelayClient on LocalHost, ringside-agent relay, its runner, testworker.
#include "core/base/clock.h"
#include "core/remote/localhost.h"
#include "core/remote/relayclient.h"
#include "tests/runner/campaignfixture.h"

#include <csignal>
#include <doctest/doctest.h>
#include <map>
#include <random>
#include <thread>

using namespace ringside;
using namespace ringside::test;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kLong{30'000};

/// A site of its own and the app's side of a conversation with it: what arrives is kept as the store would.
class Site
{
public:
    Site() { ::setenv("RINGSIDE_TEST_TIME_SCALE", "0.1", 1); }
    ~Site()
    {
        for (const auto& campaign : m_submitted) // so that no runner outlives its test
            (void)writeFileAtomically(layout::cancelFile(layout::campaignFolder(root(), campaign)), "");
        for (const auto& campaign : m_submitted)
            eventually(kLong, [&] { return processesWith(campaign.str()).empty(); });
    }

    const fs::path& root() const { return m_folder.path(); }

    void connect()
    {
        auto client = RelayClient::connect(m_host, relayCommand(agentPath(), root(), testworkerPath()));
        REQUIRE_MESSAGE(client, (client ? "" : client.error().text()));
        m_client.emplace(std::move(*client));
    }
    void disconnect() { m_client.reset(); }
    RelayClient& client() { return *m_client; }

    template <class Reply, class Request> Result<Reply> ask(Request request)
    {
        request.requestId = ++m_lastId;
        REQUIRE(m_client->send(request));
        std::optional<Result<Reply>> answer;
        pump(kLong, [&](const wire::Message& message) {
            if (wire::requestIdOf(message) != m_lastId)
                return false;
            if (const auto* error = std::get_if<wire::ErrorReply>(&message))
                answer = tl::unexpected(error->error);
            else
                answer = std::get<Reply>(message);
            return true;
        });
        REQUIRE(answer);
        return *answer;
    }

    CampaignPlan makePlan(std::vector<RunSpec> runs)
    {
        CampaignPlan plan;
        plan.campaign = CampaignId::random();
        plan.store = StoreId::random();
        plan.experiment = "test";
        plan.site = "local";
        plan.worker = testworkerPath().string();
        plan.dataFolder = layout::dataFolder(root()).string();
        plan.runs = std::move(runs);
        m_submitted.push_back(plan.campaign);
        return plan;
    }

    Result<wire::SubmitReply> submit(const CampaignPlan& plan)
    {
        return ask<wire::SubmitReply>(wire::SubmitRequest{0, plan.campaign, "#!/bin/sh\n", planToJson(plan)});
    }

    wire::CampaignStatus status(const CampaignPlan& plan)
    {
        return ask<wire::StatusReply>(wire::StatusRequest{0, {plan.campaign}})->campaigns.at(0);
    }

    void follow(const CampaignPlan& plan)
    {
        REQUIRE(m_client->send(wire::FollowRequest{++m_lastId, plan.campaign, cursors()}));
    }

    /// Keeps chunks as they come until `until` says true or the limit is over. False after the limit or a broken pipe.
    bool pump(milliseconds limit, const std::function<bool(const wire::Message&)>& until)
    {
        const std::int64_t endNs = monotonicNs() + std::chrono::nanoseconds(limit).count();
        while (monotonicNs() < endNs) {
            auto message = m_client->receive(milliseconds(50));
            if (!message)
                return false;
            if (!*message)
                continue;
            if (const auto* chunk = std::get_if<wire::FileChunk>(&**message))
                keep(*chunk);
            if (until(**message))
                return true;
        }
        return false;
    }

    /// As `pump`, until the journal that arrived says that the campaign is over.
    bool pumpToEnd()
    {
        return pump(kLong, [this](const wire::Message&) { return m_over; });
    }

    const std::map<std::string, std::string>& files() const { return m_files; }
    std::vector<std::string> endedTooEarly; ///< attempts whose end came before all of their spools

private:
    void keep(const wire::FileChunk& chunk)
    {
        CHECK(chunk.offset == m_files[chunk.path].size()); // nothing lost, nothing doubled
        m_files[chunk.path] += chunk.bytes;
        m_ids[chunk.path] = chunk.fileId;
        if (chunk.kind == wire::FileKind::journal)
            readJournal(chunk.bytes);
    }

    void readJournal(const std::string& bytes)
    {
        const auto read = m_journal.feed(bytes, [&](const JournalEvent& event) {
            m_over = m_over || event.kind == JournalKind::runnerEnded;
            if (event.kind == JournalKind::attemptEnded && event.attempt > 0)
                checkComplete(layout::attemptFolder(root(), *event.run, event.attempt));
        });
        CHECK(read);
    }

    void checkComplete(const fs::path& attempt)
    {
        for (const auto& entry : fs::directory_iterator(attempt)) {
            const std::string path = entry.path().lexically_relative(root()).string();
            if (entry.path().extension() == ".spool" && m_files[path].size() != entry.file_size())
                endedTooEarly.push_back(path);
        }
    }

    std::vector<wire::Cursor> cursors() const
    {
        std::vector<wire::Cursor> result;
        for (const auto& [path, bytes] : m_files)
            if (const auto id = m_ids.find(path); id != m_ids.end())
                result.push_back({path, id->second, bytes.size()});
        return result;
    }

    TemporaryFolder m_folder;
    LocalHost m_host;
    std::optional<RelayClient> m_client;
    std::uint32_t m_lastId = 0;
    std::vector<CampaignId> m_submitted;
    std::map<std::string, std::string> m_files;
    std::map<std::string, std::string> m_ids;
    JournalReader m_journal;
    bool m_over = false;
};

} // namespace

TEST_CASE("a campaign is submitted, followed to its end, and everything arrives byte by byte")
{
    Site site;
    site.connect();
    const auto plan = site.makePlan({makeRun(1, 20), makeRun(2, 20)});
    const auto reply = site.submit(plan);
    REQUIRE(reply);
    CHECK_FALSE(reply->alreadyThere);
    CHECK_FALSE(reply->job.empty());
    site.follow(plan);
    REQUIRE(site.pumpToEnd());
    CHECK(site.endedTooEarly.empty());
    int spools = 0;
    int logs = 0;
    int facts = 0;
    for (const auto& [path, bytes] : site.files()) {
        CAPTURE(path);
        CHECK(bytes == readFile(site.root() / path).value_or("unreadable"));
        spools += path.ends_with(".spool") ? 1 : 0;
        logs += path.ends_with(".log") ? 1 : 0;
        facts += path.ends_with("facts.json") ? 1 : 0;
    }
    CHECK(spools == 3);
    CHECK(facts == 2);
    CHECK(logs >= 3);
    CHECK(site.status(plan).state == wire::CampaignState::ended);
}

TEST_CASE("submitting again starts nothing, returns the same job, and refuses another plan")
{
    Site site;
    site.connect();
    auto plan = site.makePlan({makeRun(1, 200)});
    const auto first = site.submit(plan);
    const auto again = site.submit(plan);
    REQUIRE(first);
    REQUIRE(again);
    CHECK(again->alreadyThere);
    CHECK(again->job == first->job);
    const fs::path job = layout::jobFile(layout::campaignFolder(site.root(), plan.campaign));
    CHECK(eventually(kLong, [&] { return readFile(job).value_or("") == first->job + "\n"; }));
    plan.experiment = "other";
    CHECK(site.submit(plan).error().code == ErrorCode::exists);
}

TEST_CASE("a campaign goes on while nobody is connected, and is picked up by a new connection")
{
    Site site;
    site.connect();
    const auto plan = site.makePlan({makeRun(1, 50), makeRun(2, 50)});
    REQUIRE(site.submit(plan));
    site.disconnect();
    site.connect();
    CHECK(site.status(plan).state == wire::CampaignState::running);
    site.follow(plan);
    CHECK(site.pumpToEnd());
    CHECK(site.endedTooEarly.empty());
}

TEST_CASE("submitting after the runner was killed starts a successor that finishes the work")
{
    Site site;
    site.connect();
    const auto plan = site.makePlan({makeRun(1, 60)});
    const auto first = site.submit(plan);
    REQUIRE(first);
    const pid_t runner = std::atoi(first->job.c_str() + first->job.find(':') + 1);
    ::kill(runner, SIGKILL);
    REQUIRE(eventually(kLong, [&] { return site.status(plan).state == wire::CampaignState::lost; }));
    const auto second = site.submit(plan);
    REQUIRE(second);
    CHECK(second->job != first->job);
    site.follow(plan);
    CHECK(site.pumpToEnd());
}

TEST_CASE("a relay that is killed again and again loses and doubles nothing")
{
    std::mt19937 random(7);
    Site site;
    site.connect();
    const auto plan = site.makePlan({makeRun(2, 150), makeRun(1, 150)});
    REQUIRE(site.submit(plan));
    for (int kill = 0; kill < 8; ++kill) {
        site.follow(plan);
        site.pump(milliseconds(random() % 300), [](const wire::Message&) { return false; });
        for (const pid_t pid : processesWith("relay"))
            if (const auto words = readFile(fmt::format("/proc/{}/cmdline", pid));
                words && words->find(site.root()) != std::string::npos)
                ::kill(pid, SIGKILL);
        site.disconnect();
        site.connect();
    }
    site.follow(plan);
    REQUIRE(site.pumpToEnd());
    CHECK(site.endedTooEarly.empty());
    for (const auto& [path, bytes] : site.files()) {
        CAPTURE(path);
        CHECK(bytes == readFile(site.root() / path).value_or("unreadable"));
    }
}

TEST_CASE("cancel and hold reach the runner")
{
    Site site;
    site.connect();
    const auto plan = site.makePlan({makeRun(1, 100'000), makeRun(1, 2)});
    REQUIRE(site.submit(plan));
    REQUIRE(site.ask<wire::ControlReply>(wire::ControlRequest{0, plan.campaign, wire::ControlAction::hold, {}}));
    REQUIRE(site.ask<wire::ControlReply>(
        wire::ControlRequest{0, plan.campaign, wire::ControlAction::cancelRun, plan.runs[0].id}));
    CHECK(eventually(kLong, [&] { return site.status(plan).reason == "Held on request."; }));
    REQUIRE(site.ask<wire::ControlReply>(wire::ControlRequest{0, plan.campaign, wire::ControlAction::resume, {}}));
    site.follow(plan);
    CHECK(site.pumpToEnd());
    CHECK(site.status(plan).state == wire::CampaignState::ended);
}

TEST_CASE("a running campaign is not deleted, a finished one is")
{
    Site site;
    site.connect();
    const auto plan = site.makePlan({makeRun(1, 100'000)});
    REQUIRE(site.submit(plan));
    const wire::DeleteRequest request{0, {plan.runs[0].id}, {plan.campaign}};
    CHECK(site.ask<wire::DeleteReply>(request).error().code == ErrorCode::busy);
    REQUIRE(site.ask<wire::ControlReply>(wire::ControlRequest{0, plan.campaign, wire::ControlAction::cancel, {}}));
    REQUIRE(eventually(kLong, [&] { return processesWith(plan.campaign.str()).empty(); }));
    const auto reply = site.ask<wire::DeleteReply>(request);
    REQUIRE(reply);
    CHECK(reply->freedBytes > 0);
    CHECK_FALSE(fs::exists(layout::campaignFolder(site.root(), plan.campaign)));
    CHECK_FALSE(fs::exists(layout::runFolder(site.root(), plan.runs[0].id)));
    CHECK_FALSE(site.status(plan).known);
}

TEST_CASE("a probe tells what the machine is and what the worker can")
{
    Site site;
    site.connect();
    const auto reply = site.ask<wire::ProbeReply>(wire::ProbeRequest{});
    REQUIRE(reply);
    CHECK(reply->values.at("root_writable") == "true");
    CHECK(std::stoull(reply->values.at("memory_bytes")) > 100'000'000);
    CHECK(std::stoi(reply->values.at("cores")) >= 1);
    CHECK(std::stoull(reply->values.at("free_bytes")) > 0);
    CHECK(reply->values.at("worker_features").find("models") != std::string::npos);
}

TEST_CASE("requests about what is not there are answered, and the relay goes on")
{
    Site site;
    site.connect();
    const auto nowhere = CampaignId::random();
    CHECK(
        site.ask<wire::ControlReply>(wire::ControlRequest{0, nowhere, wire::ControlAction::cancel, {}}).error().code ==
        ErrorCode::notFound);
    CHECK(site.ask<wire::ControlReply>(wire::FollowRequest{0, nowhere, {}}).error().code == ErrorCode::notFound);
    CHECK(site.ask<wire::SubmitReply>(wire::SubmitRequest{0, nowhere, "", "{\"format\": 1"}).error().code ==
          ErrorCode::damaged);
    REQUIRE(site.client().send(wire::Ping{42}));
    CHECK(site.pump(kLong, [](const wire::Message& message) { return std::get_if<wire::Pong>(&message) != nullptr; }));
}

TEST_CASE("another thread wakes a client that waits")
{
    Site site;
    site.connect();
    std::thread other([&] {
        std::this_thread::sleep_for(milliseconds(50));
        site.client().wake();
    });
    const auto begin = std::chrono::steady_clock::now();
    const auto message = site.client().receive(kLong);
    other.join();
    REQUIRE(message);
    CHECK_FALSE(*message);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
}

TEST_CASE("an idle relay uses next to no time and little memory, and ends with its input")
{
    Site site;
    site.connect();
    const auto relays = processesWith(site.root());
    REQUIRE(relays.size() == 1);
    const fs::path proc = fmt::format("/proc/{}", relays[0]);
    const auto ticks = [&] {
        const auto stat = readFile(proc / "stat").value_or(") ");
        std::istringstream fields(stat.substr(stat.rfind(')') + 2));
        std::string skipped;
        for (int field = 3; field < 14; ++field)
            fields >> skipped;
        long user = 0;
        long system = 0;
        fields >> user >> system;
        return user + system;
    };
    const long before = ticks();
    CHECK_FALSE(site.pump(milliseconds(2'000), [](const wire::Message&) { return false; }));
    CHECK(ticks() - before <= 1); // a tick is 10 ms
    const auto status = readFile(proc / "status").value_or("");
#ifndef __SANITIZE_ADDRESS__
    CHECK(std::atol(status.c_str() + status.find("VmRSS:") + 6) < 20'000); // kB
#endif
    site.disconnect();
    CHECK(processesWith(site.root()).empty());
}
