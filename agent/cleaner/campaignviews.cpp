// SPDX-License-Identifier: MIT
#include "agent/cleaner/campaignviews.h"

#include "agent/runner/allocation.h"
#include "agent/runner/history.h"
#include "agent/runner/lease.h"
#include "agent/runner/planfile.h"
#include "core/base/clock.h"
#include "core/base/regularfile.h"
#include "core/protocol/layout.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

namespace ringside::cleaner {

namespace {

constexpr std::uint64_t kMaxScriptBytes = 8u << 20;
/// The store of a campaign that was not over so long ago is hardly going to go on with it.
constexpr std::chrono::nanoseconds kForgotten = std::chrono::days(30);

Reason whyWaiting(const fs::path& campaign)
{
    if (isThere(layout::jobFile(campaign)))
        return because(why::kKeptWaits);
    const auto submitter = runner::submitterOf(campaign);
    return submitter && submitter->byHand ? because(why::kKeptByHand) : Reason();
}

bool isOver(const fs::path& campaign)
{
    const auto history = runner::readHistory(campaign);
    return history && history->ended;
}

/// True of one whose runner is dead, or is yet to be started, which its store may do at any time.
bool isWantedByOther(const CampaignView& view, const fs::path& campaign, const StoreId& asker)
{
    const bool isForeign = !asker.empty() && !view.store.empty() && view.store != asker;
    return isForeign && wallNs() - view.usedNs < kForgotten.count() && !isOver(campaign);
}

CampaignView viewOf(const fs::path& campaign, const CampaignId& id, const StoreId& asker)
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
    if (view.busy.empty() && isWantedByOther(view, campaign, asker))
        view.busy = because(why::kNotEnded);
    return view;
}

} // namespace

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

std::vector<CampaignView> campaignViews(const fs::path& root, const StoreId& asker)
{
    std::vector<CampaignView> views;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(layout::campaignsFolder(root), ignored))
        if (const auto id = CampaignId::parse(entry.path().filename().string()))
            views.push_back(viewOf(entry.path(), *id, asker));
    return views;
}

} // namespace ringside::cleaner
