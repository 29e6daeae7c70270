// SPDX-License-Identifier: MIT
// A model of a site: what agent/relay and agent/runner keep and do, one step at a time.
#pragma once

#include "core/campaign/campaign.h"
#include "core/protocol/plan.h"

#include <doctest/doctest.h>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace ringside::campaign {

using Random = std::mt19937_64;

inline JournalEvent eventOf(JournalKind kind, const RunId& run = {}, int attempt = 0)
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

/// Does the work of agent/runner and agent/relay, one step at a time.
class ModelSite
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
            if (campaign.runs && (!m_campaignLock || *m_campaignLock == id))
                return step(campaign, random);
    }

    void killRunner()
    {
        for (auto& [id, campaign] : campaigns)
            if (campaign.runs && m_campaignLock == id) {
                campaign.runs = false;
                m_campaignLock.reset();
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
        m_campaignLock = campaign.plan.campaign;
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
        m_campaignLock.reset();
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

    std::optional<CampaignId> m_campaignLock;
    std::int64_t m_stamp = 0;
};

} // namespace ringside::campaign
