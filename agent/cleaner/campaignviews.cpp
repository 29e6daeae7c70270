// SPDX-License-Identifier: MIT
#include "agent/cleaner/campaignviews.h"

#include "agent/runner/allocation.h"
#include "agent/runner/history.h"
#include "agent/runner/lease.h"
#include "agent/runner/planfile.h"
#include "core/base/files.h"
#include "core/base/regularfile.h"
#include "core/protocol/layout.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ringside::cleaner {

namespace {

constexpr std::uint64_t kMaxScriptBytes = 8u << 20;

Reason whyWaiting(const fs::path& campaign)
{
    if (isThere(layout::jobFile(campaign)))
        return because(why::kKeptWaits);
    const auto submitter = runner::submitterOf(campaign);
    return submitter && submitter->byHand ? because(why::kKeptByHand) : Reason();
}

/// A runner that may live, or a job that may start, needs all that the campaign has.
Reason whyBusy(const fs::path& campaign)
{
    const auto history = runner::readHistory(campaign);
    const auto owner = runner::latestOwner(campaign);
    if (!history || !owner)
        return because(why::kKeptUnread, {{"said", (history ? owner.error() : history.error()).message}});
    if (history->ended)
        return {};
    if (!*owner)
        return whyWaiting(campaign);
    const auto self = runner::thisOwner();
    const runner::Life life = self ? lifeOf(**owner, *self) : runner::Life::unknown;
    return life == runner::Life::dead ? Reason() : because(why::kKeptRuns);
}

CampaignView viewOf(const fs::path& campaign, const CampaignId& id)
{
    CampaignView view;
    view.id = id;
    view.busy = whyBusy(campaign);
    view.usedNs = std::max(modifiedNs(campaign), modifiedNs(layout::journalFile(campaign)));
    view.script = readRegularFile(layout::scriptFile(campaign), kMaxScriptBytes).value_or("");
    const auto plan = runner::readPlan(campaign);
    if (!plan)
        return view;
    view.isRead = true;
    view.store = plan->store;
    view.experiment = plan->experiment;
    view.worker = plan->worker;
    for (const auto& [name, engine] : plan->engines)
        view.engines += toJson(engine).dump();
    for (const auto& run : plan->runs)
        view.runs.insert(run.id);
    return view;
}

} // namespace

std::vector<CampaignView> campaignViews(const fs::path& root)
{
    std::vector<CampaignView> views;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(layout::campaignsFolder(root), ignored))
        if (const auto id = CampaignId::parse(entry.path().filename().string()))
            views.push_back(viewOf(entry.path(), *id));
    return views;
}

} // namespace ringside::cleaner
