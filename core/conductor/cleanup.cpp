// SPDX-License-Identifier: MIT
#include "core/conductor/cleanup.h"

#include "core/protocol/layout.h"
#include "core/protocol/plan.h"
#include "core/store/edits.h"
#include "core/store/queries.h"

#include <algorithm>

namespace ringside {

namespace {

/// Parts of the paths of its files, below the root of whichever site; none: campaigns name nothing of it. The last
/// agent takes the drivers of all systems along.
std::vector<std::string> pathsBelow(const wire::Item& item)
{
    const auto below = [](const fs::path& folder) { return "/" + (folder / "").string(); };
    switch (item.kind) {
    case wire::ItemKind::agent:
        return {below(layout::binFolder({}) / item.name), below(layout::driversFolder({}))};
    case wire::ItemKind::worker:
        return {below(layout::workersFolder({}) / item.name)};
    case wire::ItemKind::engine:
        return {below(layout::enginesFolder({}) / item.name)};
    default:
        return {};
    }
}

} // namespace

Reason Unfinished::whyKept(const wire::Item& item) const
{
    if (names.contains(item.name))
        return because(why::kNotEnded);
    const std::vector<std::string> paths = pathsBelow(item);
    const auto who = std::ranges::find_if(campaigns, [&](const Campaign& campaign) {
        return std::ranges::any_of(paths, [&](const auto& path) { return campaign.files.find(path) != path.npos; });
    });
    if (who == campaigns.end())
        return {};
    return because(why::kNeededBy, {{"campaign", who->id.str()}, {"experiment", who->experiment}});
}

Result<Unfinished> unfinishedAt(const store::Database& db, const std::set<std::string>& sites)
{
    Unfinished unfinished;
    TRY_ASSIGN(const std::vector<store::CampaignRow> rows, store::campaigns(db, true));
    for (const store::CampaignRow& row : rows) {
        unfinished.names.insert(row.id.str());
        TRY_ASSIGN(const std::vector<campaign::RunChange> runs, store::runsOfCampaign(db, row.id));
        for (const campaign::RunChange& run : runs)
            unfinished.names.insert(run.run.str());
        if (sites.contains(row.site))
            unfinished.campaigns.push_back({row.id, row.experiment, row.planJson + row.submission.script});
    }
    return unfinished;
}

namespace {

/// The names by whose folders it is to be known what is stored: those to be removed, and the runs of each campaign, for
/// a campaign stays while one of its runs holds more. A run may have gone on to a later campaign.
Result<std::set<std::string>> askedAbout(const store::Database& db, const wire::DeleteRequest& request)
{
    std::set<std::string> names;
    for (const RunId& run : request.runs)
        names.insert(run.str());
    for (const CampaignId& id : request.campaigns) {
        names.insert(id.str());
        TRY_ASSIGN(const auto row, store::campaignById(db, id));
        const auto plan = row ? planFromJson(row->planJson) : Result<CampaignPlan>();
        for (std::size_t i = 0; plan && i < plan->runs.size(); ++i)
            names.insert(plan->runs[i].id.str());
    }
    return names;
}

/// Files lie at campaigns/<id>/… and runs/<id>/….
std::string ownerOf(const std::string& path)
{
    const auto begin = path.find('/');
    return begin == std::string::npos ? "" : path.substr(begin + 1, path.find('/', begin + 1) - begin - 1);
}

} // namespace

Result<wire::DeleteRequest> deletionOf(store::Database& db, const std::set<std::string>& sites,
                                       const std::vector<wire::Item>& items)
{
    TRY(store::flushToDisk(db));
    wire::DeleteRequest request;
    request.store = db.id();
    TRY_ASSIGN(const Unfinished unfinished, unfinishedAt(db, sites));
    for (const wire::Item& item : items) {
        if (!unfinished.whyKept(item).empty())
            continue;
        if (const auto run = RunId::parse(item.name); item.kind == wire::ItemKind::run && run)
            request.runs.push_back(*run);
        else if (const auto id = CampaignId::parse(item.name); item.kind == wire::ItemKind::campaign && id)
            request.campaigns.push_back(*id);
        else
            request.items.push_back(item);
    }
    TRY_ASSIGN(const std::set<std::string> names, askedAbout(db, request));
    TRY_ASSIGN(const std::vector<store::StoredCursor> stored, store::cursors(db)); // a site may have had another name
    for (const store::StoredCursor& cursor : stored)
        if (names.contains(ownerOf(cursor.path)))
            request.stored.push_back({cursor.path, cursor.file, cursor.offset});
    return request;
}

void markKept(std::vector<wire::InstalledItem>& items, const StoreId& own, const Unfinished& unfinished)
{
    for (wire::InstalledItem& item : items)
        if (!item.inUse) {
            item.reason = unfinished.whyKept(item.item);
            item.inUse = !item.reason.empty();
        }
    for (wire::InstalledItem& item : items)
        if (!item.store.empty() && item.store != own) {
            item.inUse = true;
            item.reason = because(why::kOtherStore);
        }
}

} // namespace ringside
