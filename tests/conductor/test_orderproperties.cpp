// SPDX-License-Identifier: MIT
// Orders in any sequence, with restarts, lost contact, dead runners and clean-ups between them, over the state machine
// and the store. The site is a model of relay and runner: it keeps what it was told and what it did.
//   RINGSIDE_ORDER_SEED       the only sequence to play
//   RINGSIDE_ORDER_SEQUENCES  how many (10,000 if not said)
#include "core/base/environment.h"
#include "core/campaign/campaign.h"
#include "core/campaign/missing.h"
#include "core/campaign/narrow.h"
#include "core/conductor/translate.h"
#include "core/store/database.h"
#include "core/store/edits.h"
#include "core/store/ingest.h"
#include "core/store/queries.h"
#include "tests/support/temporaryfolder.h"

#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <random>
#include <set>
#include <unistd.h>

using namespace ringside;
using namespace ringside::campaign;
using namespace ringside::test;

namespace {

using Random = std::mt19937_64;

template <class T> T must(Result<T> result)
{
    if (!result)
        FAIL(result.error().text());
    if constexpr (!std::is_void_v<T>)
        return std::move(*result);
}

std::vector<store::RunRow> runsOf(const store::Database& db, const std::string& experiment)
{
    store::RunFilter filter;
    filter.experiment = experiment;
    return must(store::runs(db, filter));
}

/// Of the seed alone, so that maps are in the same order when a sequence is played again.
template <class Id> Id idOf(Random& random)
{
    return *Id::parse(fmt::format("{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}", random() & 0xffffffff, random() & 0xffff,
                                  random() & 0xfff, random() & 0xfff, random() & 0xffffffffffff));
}

JournalEvent eventOf(JournalKind kind, const RunId& run = {}, int attempt = 0)
{
    JournalEvent event;
    event.kind = kind;
    event.attempt = attempt;
    if (!run.empty())
        event.run = run;
    return event;
}

/// A campaign's folder on the site, and its runner.
struct SiteCampaign
{
    CampaignPlan plan;
    bool hold = false, cancel = false, runs = false;
    std::set<RunId> cancelled;
    std::vector<JournalEvent> journal;
    std::set<RunId> finished;
    std::map<RunId, int> lost;
    std::optional<std::pair<RunId, int>> open; ///< the attempt that runs
    bool held = false;

    bool isOver() const { return !journal.empty() && journal.back().kind == JournalKind::runnerEnded; }
    bool isCancelled(const RunId& run) const { return cancel || cancelled.contains(run); }
};

/// What agent/runner and agent/relay do, one step at a time.
class Site
{
public:
    std::map<CampaignId, SiteCampaign> campaigns;
    std::map<RunId, std::set<int>> folders;                ///< attempts that are not cleaned up
    std::map<RunId, std::vector<int>> done;                ///< attempts that were done, ever
    std::map<std::pair<RunId, int>, std::int64_t> samples; ///< of every attempt, ever: the stamp of its only one

    void submit(const CampaignPlan& plan)
    {
        SiteCampaign& campaign = campaigns[plan.campaign];
        if (campaign.plan.campaign.empty())
            campaign.plan = plan;
        REQUIRE(campaign.plan.runs.size() == plan.runs.size()); // an immutable plan
        if (!campaign.runs && !campaign.isOver())
            start(campaign);
    }

    void step(Random& random)
    {
        for (auto& [id, campaign] : campaigns)
            if (campaign.runs && (!m_turn || *m_turn == id))
                return step(campaign, random);
    }

    void killRunner()
    {
        for (auto& [id, campaign] : campaigns)
            if (campaign.runs && m_turn == id) {
                campaign.runs = false;
                m_turn.reset();
                return;
            }
    }

private:
    void start(SiteCampaign& campaign)
    {
        campaign.runs = true;
        campaign.held = false;
        campaign.journal.push_back(eventOf(JournalKind::runnerStarted));
        if (const auto left = std::exchange(campaign.open, {})) {
            const bool again = ++campaign.lost[left->first] < 3;
            end(campaign, left->first, left->second, again ? RunState::requeued : RunState::failed, Cause::runnerLost);
        }
    }

    void step(SiteCampaign& campaign, Random& random)
    {
        m_turn = campaign.plan.campaign;
        if (campaign.open)
            return goOn(campaign, random);
        for (const RunSpec& run : campaign.plan.runs) {
            if (campaign.finished.contains(run.id))
                continue;
            if (campaign.isCancelled(run.id))
                return end(campaign, run.id, 0, RunState::cancelled, Cause::cancelled);
            if (campaign.hold)
                return hold(campaign, true);
            hold(campaign, false);
            return begin(campaign, run);
        }
        campaign.journal.push_back(eventOf(JournalKind::runnerEnded));
        campaign.runs = false;
        m_turn.reset();
    }

    static void hold(SiteCampaign& campaign, bool held)
    {
        if (std::exchange(campaign.held, held) != held)
            campaign.journal.push_back(eventOf(held ? JournalKind::held : JournalKind::continued));
    }

    void begin(SiteCampaign& campaign, const RunSpec& run)
    {
        REQUIRE_MESSAGE(done[run.id].empty(), "a run that was done begins again");
        int number = run.attempts + 1;
        while (folders[run.id].contains(number))
            ++number;
        REQUIRE_MESSAGE(!samples.contains({run.id, number}), "an attempt's number is given twice");
        folders[run.id].insert(number);
        samples[{run.id, number}] = ++m_stamp;
        campaign.open = {run.id, number};
        campaign.journal.push_back(eventOf(JournalKind::attemptStarted, run.id, number));
    }

    void goOn(SiteCampaign& campaign, Random& random)
    {
        const auto [run, number] = *campaign.open;
        if (campaign.isCancelled(run)) {
            end(campaign, run, number, RunState::cancelled, Cause::cancelled);
        } else if (const auto dice = random() % 8; dice < 3) {
            done[run].push_back(number);
            end(campaign, run, number, RunState::done, Cause::none);
        } else if (dice < 5) {
            end(campaign, run, number, RunState::failed, dice == 3 ? Cause::data : Cause::lostRank);
        }
    }

    void end(SiteCampaign& campaign, const RunId& run, int number, RunState state, Cause cause)
    {
        campaign.open.reset();
        if (state != RunState::requeued)
            campaign.finished.insert(run);
        JournalEvent event = eventOf(JournalKind::attemptEnded, run, number);
        event.state = state;
        event.cause = cause;
        campaign.journal.push_back(event);
    }

    std::optional<CampaignId> m_turn;
    std::int64_t m_stamp = 0;
};

/// What CampaignDriver does, with the store at hand. Dies at any moment, and begins anew from the store.
class App
{
public:
    App(store::Database& db, store::Ingest& ingest, Site& site, Random& random)
        : m_db(db)
        , m_ingest(ingest)
        , m_random(random)
        , m_site(site)
    {
        load();
    }

    bool connected = false;

    void load()
    {
        m_campaigns.clear();
        connected = false;
        for (const store::CampaignRow& row : must(store::campaigns(m_db, true))) {
            Watched& watched = m_campaigns[row.id];
            watched.plan = must(planFromJson(row.planJson));
            watched.createdAt = row.createdAt;
            watched.state =
                stateOf(row, must(store::runsOfCampaign(m_db, row.id)), must(store::cancelledRuns(m_db, row.id)));
        }
    }

    void connect()
    {
        connected = true;
        for (auto& [id, watched] : m_campaigns)
            take(watched, Connected{});
    }
    void disconnect()
    {
        connected = false;
        for (auto& [id, watched] : m_campaigns) {
            watched.follows = watched.asks = watched.submits = false;
            take(watched, Disconnected{1});
        }
    }

    void order(const Event& event)
    {
        for (auto& [id, watched] : m_campaigns)
            take(watched, event);
        requireKept();
    }

    void launch(const std::string& experiment, bool retryFailed)
    {
        std::vector<WantedRun> wanted;
        std::vector<StoredRun> stored;
        for (const store::RunRow& row : runsOf(m_db, experiment)) {
            wanted.push_back({row.configurationKey, row.repeat});
            stored.push_back({row.id, row.configurationKey, row.repeat, row.state, row.cause, row.inCampaign});
        }
        CampaignPlan plan;
        for (const MissingRun& missing : missingRuns(wanted, stored, retryFailed))
            plan.runs.push_back(spec(*missing.known, wanted[missing.wanted].repeat));
        add(experiment, std::move(plan));
    }
    static RunSpec spec(const RunId& id, int repeat)
    {
        RunSpec run;
        run.id = id;
        run.configurationKey = "key";
        run.repeat = repeat;
        return run;
    }
    void add(const std::string& experiment, CampaignPlan plan)
    {
        if (plan.runs.empty())
            return;
        plan.campaign = idOf<CampaignId>(m_random);
        plan.store = m_db.id();
        plan.experiment = experiment;
        plan.site = "local";
        must(store::addCampaign(m_db, plan));
        Watched& watched = m_campaigns[plan.campaign];
        const auto row = *must(store::campaignById(m_db, plan.campaign));
        watched.plan = plan;
        watched.createdAt = row.createdAt;
        watched.state = stateOf(row, must(store::runsOfCampaign(m_db, plan.campaign)));
        watched.state.connected = connected;
    }

    /// A second or so goes by: what the site has to say is heard, up to so many lines.
    void tick(int lines)
    {
        choose();
        for (auto& [id, watched] : m_campaigns) {
            if (connected)
                hear(watched, lines);
            take(watched, Ticked{});
        }
        std::erase_if(m_campaigns, [](const auto& each) { return each.second.state.stage == Stage::ended; });
    }

    bool isIdle() const { return m_campaigns.empty(); }

private:
    struct Watched
    {
        State state;
        CampaignPlan plan;
        std::int64_t createdAt = 0;
        bool submits = false, asks = false, follows = false;
    };

    void choose()
    {
        Watched* next = nullptr;
        for (auto& [id, watched] : m_campaigns) {
            if (isHandedOver(watched.state.stage))
                return;
            if (watched.state.stage == Stage::waiting && !watched.state.held &&
                (!next || watched.createdAt < next->createdAt))
                next = &watched;
        }
        if (!next)
            return;
        const CampaignId id = next->plan.campaign;
        next->state = stateOf(*must(store::campaignById(m_db, id)), must(store::runsOfCampaign(m_db, id)),
                              must(store::cancelledRuns(m_db, id)));
        next->state.connected = connected;
        if (narrow(next->plan, next->state))
            must(store::replacePlan(m_db, next->plan));
        take(*next, Chosen{});
    }

    void hear(Watched& watched, int lines)
    {
        if (std::exchange(watched.submits, false)) {
            m_site.submit(watched.plan);
            take(watched, Accepted{"job"});
        }
        const auto there = m_site.campaigns.find(watched.plan.campaign);
        if (std::exchange(watched.asks, false))
            take(watched, reportOf(there == m_site.campaigns.end() ? nullptr : &there->second));
        if (watched.follows && watched.state.isGone)
            take(watched, CaughtUp{false, 1}); // nothing is left to be read
        if (!watched.follows || there == m_site.campaigns.end())
            return;
        const SiteCampaign& campaign = there->second;
        std::size_t read = cursorOf(watched.plan.campaign);
        while (read < campaign.journal.size() && lines-- > 0) {
            const JournalEvent event = campaign.journal[read++]; // what it brings about may add further lines
            hear(watched, event, read);
        }
        if (read == campaign.journal.size())
            take(watched, CaughtUp{campaign.runs, 1});
    }

    static Reported reportOf(const SiteCampaign* campaign)
    {
        using Standing = Reported::Standing;
        return Reported{!campaign            ? Standing::unknown
                        : campaign->isOver() ? Standing::ended
                        : campaign->runs     ? Standing::alive
                                             : Standing::lost,
                        1};
    }

    /// The samples of an attempt are read before its end is.
    void hear(Watched& watched, const JournalEvent& event, std::size_t offset)
    {
        std::vector<store::Arrival> arrivals;
        take(watched, Journalled{event}, arrivals);
        if (event.kind == JournalKind::attemptStarted)
            arrivals.emplace_back(samplesOf(watched, *event.run, event.attempt));
        arrivals.emplace_back(store::JournalCursor{watched.plan.campaign, {"journal", "j", offset}});
        must(m_ingest.drain(arrivals));
    }

    store::SpoolArrival samplesOf(const Watched& watched, const RunId& run, int attempt) const
    {
        store::SpoolArrival arrival;
        arrival.campaign = watched.plan.campaign;
        arrival.run = run;
        arrival.attempt = attempt;
        arrival.header = SpoolHeader{FileId::random(), run, static_cast<std::uint32_t>(attempt), 0, 1, "here", 1, 0};
        Sample sample;
        sample.startNs = m_site.samples.at({run, attempt});
        sample.items = 1;
        arrival.records.emplace_back(sample);
        arrival.cursor = {fmt::format("runs/{}/attempt-{}/rank-0.spool", run.str(), attempt), "s", 1};
        return arrival;
    }

    std::size_t cursorOf(const CampaignId& campaign) const
    {
        for (const store::Cursor& cursor : must(store::cursors(m_db, campaign)))
            if (cursor.file == "j")
                return cursor.offset;
        return 0;
    }

    void take(Watched& watched, const Event& event)
    {
        std::vector<store::Arrival> arrivals;
        take(watched, event, arrivals);
        if (!arrivals.empty())
            must(m_ingest.drain(arrivals));
    }

    void take(Watched& watched, const Event& event, std::vector<store::Arrival>& arrivals)
    {
        for (const Action& action : step(watched.state, event)) {
            if (const auto* run = std::get_if<KeepRun>(&action)) {
                arrivals.emplace_back(run->change);
                continue;
            }
            if (!arrivals.empty())
                must(m_ingest.drain(std::exchange(arrivals, {})));
            std::visit([&](const auto& each) { act(watched, each); }, action);
        }
    }

    void act(Watched& watched, const KeepStage& action)
    {
        must(store::setStage(m_db, watched.plan.campaign, action.stage, action.job));
    }
    void act(Watched& watched, const KeepHeld& action)
    {
        must(store::setHeld(m_db, watched.plan.campaign, action.held));
    }
    void act(Watched& watched, const KeepCancelled&) { must(store::setCancelled(m_db, watched.plan.campaign)); }
    void act(Watched& watched, const KeepRunCancelled& action)
    {
        must(store::setRunCancelled(m_db, watched.plan.campaign, action.run));
    }
    void act(Watched& watched, const KeepContact& action)
    {
        must(store::setContact(m_db, watched.plan.campaign, action.lostAt, action.note));
    }
    void act(Watched& watched, const Submit&) { watched.submits = true; }
    void act(Watched& watched, const AskStatus&) { watched.asks = true; }
    void act(Watched& watched, const Follow&) { watched.follows = true; }
    void act(Watched& watched, const Control& action)
    {
        const auto there = m_site.campaigns.find(watched.plan.campaign);
        REQUIRE(connected);
        REQUIRE(there != m_site.campaigns.end());
        if (action.kind == Control::Kind::cancelRun)
            there->second.cancelled.insert(action.run);
        else if (action.kind == Control::Kind::cancel)
            there->second.cancel = true;
        else
            there->second.hold = action.kind == Control::Kind::hold;
        if (action.kind == Control::Kind::cancel)
            m_site.submit(there->second.plan); // without a runner one begins, to record the end
    }
    void act(Watched&, const KeepRun&) {}

    /// What was answered is known to whatever program comes next.
    void requireKept() const
    {
        for (const auto& [id, watched] : m_campaigns) {
            const auto row = *must(store::campaignById(m_db, id));
            const State kept =
                stateOf(row, must(store::runsOfCampaign(m_db, id)), must(store::cancelledRuns(m_db, id)));
            REQUIRE(kept.stage == watched.state.stage);
            REQUIRE(kept.held == watched.state.held);
            REQUIRE(kept.cancelled == watched.state.cancelled);
            for (const auto& [run, progress] : watched.state.runs)
                if (const auto known = kept.runs.find(run); known != kept.runs.end())
                    REQUIRE(known->second.cancelAsked == progress.cancelAsked);
        }
    }

    store::Database& m_db;
    store::Ingest& m_ingest;
    Random& m_random;
    Site& m_site;
    std::map<CampaignId, Watched> m_campaigns;
};

/// One experiment from its launch to its end.
class Sequence
{
public:
    Sequence(store::Database& db, store::Ingest& ingest, std::uint64_t seed)
        : m_db(db)
        , m_random(seed)
        , m_name(fmt::format("sequence-{}", seed))
        , m_app(db, ingest, m_site, m_random)
    {
        store::ExperimentEdit edit{m_name, "", "local", 1, "format = 1\n", {{"key", {}, {}}}};
        must(store::saveExperiment(db, edit));
        CampaignPlan plan;
        const int repeats = 1 + static_cast<int>(m_random() % 4);
        for (int repeat = 1; repeat <= repeats; ++repeat)
            plan.runs.push_back(App::spec(m_runs.emplace_back(idOf<RunId>(m_random)), repeat));
        m_app.add(m_name, std::move(plan));
    }

    void play()
    {
        for (int turn = 0; turn < 14; ++turn) {
            disturb();
            m_app.tick(1 + static_cast<int>(m_random() % 4));
            m_site.step(m_random);
            requireReasons();
        }
        finish();
        requireTruth();
        must(store::deleteExperiment(m_db, m_name));
    }

private:
    void disturb()
    {
        switch (m_random() % 16) {
        case 0:
            return m_app.order(HoldAsked{});
        case 1:
            return m_app.order(ProceedAsked{});
        case 2:
            return m_app.order(CancelRunAsked{m_runs[m_random() % m_runs.size()], 1});
        case 3:
            return m_app.order(CancelWaitingAsked{1});
        case 4:
            return m_random() % 2 ? m_app.order(CancelAsked{1}) : m_app.launch(m_name, true);
        case 5:
        case 6:
            return m_app.launch(m_name, m_random() % 2 == 0);
        case 7:
            return clean();
        case 8:
            return m_app.load(); // another program with the same store
        case 9:
            return m_app.disconnect();
        case 10:
            return m_site.killRunner();
        default:
            if (!m_app.connected)
                m_app.connect();
        }
    }

    /// As “site clean”: what campaigns have left that have ended, and of which all is stored.
    void clean()
    {
        std::set<RunId> inUse;
        std::set<CampaignId> open;
        for (const store::CampaignRow& row : must(store::campaigns(m_db, true))) {
            open.insert(row.id);
            for (const RunSpec& run : must(planFromJson(row.planJson)).runs)
                inUse.insert(run.id);
        }
        std::erase_if(m_site.folders, [&](const auto& each) { return !inUse.contains(each.first); });
        std::erase_if(m_site.campaigns, [&](const auto& each) { return !open.contains(each.first); });
    }

    /// Whatever does not run says why.
    void requireReasons()
    {
        for (const store::RunRow& row : runsOf(m_db, m_name))
            if (row.state == RunState::queued || row.state == RunState::requeued ||
                (row.state == RunState::unknown && row.attempt == 0))
                REQUIRE_MESSAGE(!row.reason.value_or("").empty(), nameOf(row.state));
    }

    /// With contact, and nothing held, all of it comes to its end.
    void finish()
    {
        for (int turn = 0; turn < 200 && !m_app.isIdle(); ++turn) {
            if (!m_app.connected)
                m_app.connect();
            if (turn == 5)
                m_app.order(ProceedAsked{});
            m_app.tick(100);
            m_site.step(m_random);
        }
        REQUIRE_MESSAGE(m_app.isIdle(), "a campaign is stuck");
        for (const auto& [id, campaign] : m_site.campaigns)
            REQUIRE_MESSAGE(!campaign.runs, "a runner is stuck");
    }

    void requireTruth()
    {
        for (const store::RunRow& row : runsOf(m_db, m_name)) {
            REQUIRE(isFinal(row.state));
            const std::vector<int>& done = m_site.done[row.id];
            REQUIRE(done.size() <= 1);
            REQUIRE((row.state == RunState::done) == !done.empty());
            if (!done.empty())
                REQUIRE(row.attempt == done.front());
        }
        for (const auto& [attempt, stamp] : m_site.samples) {
            const auto stored = must(store::samples(m_db, attempt.first, attempt.second));
            REQUIRE_MESSAGE(stored.size() == 1, "samples are lost");
            REQUIRE(stored.front().sample.startNs == stamp);
        }
    }

    store::Database& m_db;
    Random m_random;
    std::string m_name;
    std::vector<RunId> m_runs;
    Site m_site;
    App m_app;
};

std::uint64_t numberFrom(const char* variable, std::uint64_t otherwise)
{
    const char* value = environment(variable);
    return value ? std::strtoull(value, nullptr, 10) : otherwise;
}

/// In memory where there is some: thousands of commits that are flushed to a disk take minutes.
fs::path quickFolder(const TemporaryFolder& folder)
{
    const fs::path memory = fs::path("/dev/shm") / folder.path().filename();
    std::error_code problem;
    return fs::create_directory(memory, problem) ? memory : folder.path();
}

} // namespace

TEST_CASE("whatever is asked for in whatever order: no run is stuck, lost or begun twice, and what waits says for what")
{
    const TemporaryFolder folder;
    const fs::path place = quickFolder(folder);
    {
        store::Database db = must(store::Database::openForWriting(place / "lab.db"));
        store::Ingest ingest = must(store::Ingest::create(db));
        const std::uint64_t first = numberFrom("RINGSIDE_ORDER_SEED", 1);
        const std::uint64_t count =
            environment("RINGSIDE_ORDER_SEED") ? 1 : numberFrom("RINGSIDE_ORDER_SEQUENCES", 10'000);
        for (std::uint64_t seed = first; seed < first + count; ++seed) {
            INFO("replay with RINGSIDE_ORDER_SEED=", seed);
            Sequence(db, ingest, seed).play();
        }
    }
    fs::remove_all(place);
}
