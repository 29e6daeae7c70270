// SPDX-License-Identifier: MIT
// A model of the app: the real state machine and the real store, and what CampaignDriver does between them.
#pragma once

#include "core/campaign/campaign.h"
#include "core/campaign/missing.h"
#include "core/campaign/narrow.h"
#include "core/store/campaignstate.h"
#include "core/store/edits.h"
#include "core/store/ingest.h"
#include "tests/conductor/conductorfixture.h"
#include "tests/conductor/modelsite.h"
#include "tests/support/addcampaign.h"

#include <algorithm>

namespace ringside::campaign {

using test::must;

inline std::vector<store::RunRow> runsOf(const store::Database& db, const std::string& experiment)
{
    store::RunFilter filter;
    filter.experiment = experiment;
    return must(store::runs(db, filter));
}

/// Makes an id from the seed alone, so that maps are in the same order when a sequence is played again.
template <class Id> Id idOf(Random& random)
{
    return *Id::parse(fmt::format("{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}", random() & 0xffffffff, random() & 0xffff,
                                  random() & 0xfff, random() & 0xfff, random() & 0xffffffffffff));
}

/// Does the work of CampaignDriver, with the store at hand. Dies at any moment, and begins anew from the store.
class ModelApp
{
public:
    ModelApp(store::Database& db, store::Ingest& ingest, ModelSite& site, Random& random)
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
            watched.state = must(store::campaignState(m_db, row));
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
            watched.follows = watched.asks = watched.submits = watched.cancels = false;
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
        std::vector<KnownRun> stored;
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
        must(test::addCampaign(m_db, plan));
        Watched& watched = m_campaigns[plan.campaign];
        const auto row = *must(store::campaignById(m_db, plan.campaign));
        watched.plan = plan;
        watched.createdAt = row.createdAt;
        watched.state = must(store::campaignState(m_db, row));
        watched.state.connected = connected;
    }

    /// Lets about a second pass and receives the lines that the site sends, up to so many.
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
        bool submits = false, cancels = false, asks = false, follows = false;
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
        next->state = must(store::campaignState(m_db, *must(store::campaignById(m_db, id))));
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
        if (std::exchange(watched.cancels, false))
            take(watched, there == m_site.campaigns.end() ? Event(Refused{{ErrorCode::notFound, "", ""}, 1})
                                                          : Event(Answered{Control::Kind::cancel, true}));
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
        for (const store::StoredCursor& cursor : must(store::cursors(m_db, campaign)))
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
            if (const auto* run = std::get_if<SaveRun>(&action)) {
                arrivals.emplace_back(run->change);
                continue;
            }
            if (!arrivals.empty())
                must(m_ingest.drain(std::exchange(arrivals, {})));
            std::visit([&](const auto& each) { act(watched, each); }, action);
        }
    }

    void act(Watched& watched, const SaveStage& action)
    {
        must(store::setStage(m_db, watched.plan.campaign, action.stage, action.job));
    }
    void act(Watched& watched, const SaveHeld& action)
    {
        must(store::setHeld(m_db, watched.plan.campaign, action.held));
    }
    void act(Watched& watched, const SaveCancelled&) { must(store::setCancelled(m_db, watched.plan.campaign)); }
    void act(Watched& watched, const SaveRunCancelled& action)
    {
        must(store::setRunsCancelled(m_db, watched.plan.campaign, {action.run}));
    }
    void act(Watched& watched, const SaveContact& action)
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
        watched.cancels = watched.state.stage == Stage::submitting; // in place of the submission
        if (watched.cancels && there == m_site.campaigns.end())
            return;
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
    void act(Watched&, const SaveRun&) {}

    /// Checks that the store has all that was answered, for the next program.
    void requireKept() const
    {
        for (const auto& [id, watched] : m_campaigns) {
            const auto row = *must(store::campaignById(m_db, id));
            const State kept = must(store::campaignState(m_db, row));
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
    ModelSite& m_site;
    std::map<CampaignId, Watched> m_campaigns;
};

} // namespace ringside::campaign
