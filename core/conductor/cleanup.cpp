// SPDX-License-Identifier: MIT
#include "core/conductor/cleanup.h"

#include "core/protocol/plan.h"
#include "core/store/edits.h"
#include "core/store/queries.h"

namespace ringside {

Result<std::set<std::string>> unfinishedNames(const store::Database& db)
{
    std::set<std::string> names;
    TRY_ASSIGN(const std::vector<store::CampaignRow> unfinished, store::campaigns(db, true));
    for (const store::CampaignRow& campaign : unfinished) {
        names.insert(campaign.id.str());
        TRY_ASSIGN(const std::vector<campaign::RunChange> runs, store::runsOfCampaign(db, campaign.id));
        for (const campaign::RunChange& run : runs)
            names.insert(run.run.str());
    }
    return names;
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

Result<wire::DeleteRequest> deletionOf(store::Database& db, const std::string& site,
                                       const std::vector<wire::Item>& items)
{
    TRY(store::flushToDisk(db));
    wire::DeleteRequest request;
    request.store = db.id();
    TRY_ASSIGN(const std::set<std::string> unfinished, unfinishedNames(db));
    for (const wire::Item& item : items) {
        if (unfinished.contains(item.name))
            continue;
        if (const auto run = RunId::parse(item.name); item.kind == wire::ItemKind::run && run)
            request.runs.push_back(*run);
        else if (const auto id = CampaignId::parse(item.name); item.kind == wire::ItemKind::campaign && id)
            request.campaigns.push_back(*id);
        else
            request.items.push_back(item);
    }
    TRY_ASSIGN(const std::set<std::string> names, askedAbout(db, request));
    TRY_ASSIGN(const std::vector<store::CampaignRow> all, store::campaigns(db));
    std::set<std::string> told; // several campaigns may have read the files of a run
    for (const store::CampaignRow& campaign : all) {
        if (campaign.site != site)
            continue;
        TRY_ASSIGN(const std::vector<store::StoredCursor> stored, store::cursors(db, campaign.id));
        for (const store::StoredCursor& cursor : stored)
            if (names.contains(ownerOf(cursor.path)) && told.insert(cursor.path).second)
                request.stored.push_back({cursor.path, cursor.file, cursor.offset});
    }
    return request;
}

void markKept(std::vector<wire::InstalledItem>& items, const StoreId& own, const std::set<std::string>& unfinished)
{
    for (wire::InstalledItem& item : items)
        if (!item.inUse && unfinished.contains(item.item.name)) {
            item.inUse = true;
            item.reason = because(why::kNotEnded);
        }
    for (wire::InstalledItem& item : items)
        if (!item.store.empty() && item.store != own) {
            item.inUse = true;
            item.reason = because(why::kOtherStore);
        }
}

} // namespace ringside
