// SPDX-License-Identifier: MIT
// A site learns what the store holds when things are to be removed there.
#include "core/conductor/cleanup.h"
#include "core/protocol/layout.h"
#include "tests/store/storefixture.h"
#include "tests/support/addcampaign.h"

using namespace ringside;
using namespace ringside::test;

namespace {

/// A campaign that has ended with both runs, whose files were read by it; a later one took the second run on.
struct EndedCampaign : StoreFixture
{
    EndedCampaign()
    {
        later.campaign = CampaignId::random();
        later.runs = {plan.runs[1]};
        must(test::addCampaign(db, later));
        auto ingest = must(store::Ingest::create(db));
        auto moved = samples(1, 1, 0, 3, 2000);
        moved.campaign = later.campaign;
        must(ingest.drain({samples(0, 0, 0, 3, 1000), samples(1, 0, 0, 3, 1500), moved, journalOf(plan.campaign),
                           journalOf(later.campaign)}));
        for (const CampaignId& id : {plan.campaign, later.campaign})
            must(store::setStage(db, id, campaign::Stage::ended, ""));
    }

    static std::string journal(const CampaignId& id)
    {
        return layout::journalFile(layout::campaignFolder({}, id)).string();
    }
    static store::JournalCursor journalOf(const CampaignId& id) { return {id, {journal(id), "inode", 700}}; }
    std::string spool(std::size_t run, int rank) const
    {
        return layout::spoolFile(layout::attemptFolder({}, plan.runs.at(run).id, 1), rank).string();
    }

    std::set<std::string> told(const std::vector<wire::Item>& items)
    {
        std::set<std::string> paths;
        for (const wire::Cursor& cursor : must(deletionOf(db, {"local"}, items)).stored)
            CHECK(paths.insert(cursor.path).second);
        return paths;
    }

    CampaignPlan later = plan;
};

} // namespace

TEST_CASE("a site learns what is stored of the things to be removed, and of nothing else")
{
    EndedCampaign site;
    using Paths = std::set<std::string>;
    CHECK(site.told({{wire::ItemKind::worker, "some-key"}}).empty());
    CHECK(site.told({{wire::ItemKind::run, site.plan.runs[0].id.str()}}) == Paths{site.spool(0, 0)});
    CHECK(site.told({{wire::ItemKind::run, site.plan.runs[1].id.str()}}) == Paths{site.spool(1, 0), site.spool(1, 1)});
}

TEST_CASE("what a site may remove is on disk here before the site learns that")
{
    EndedCampaign site;
    const auto flushes = [&] {
        return site.db.handle().execAndGet("SELECT count(*) FROM meta WHERE name = 'flushed'").getInt();
    };
    CHECK(flushes() == 0);
    (void)site.told({{wire::ItemKind::run, site.plan.runs[0].id.str()}});
    CHECK(flushes() == 1);
}

TEST_CASE("a campaign that is to be removed brings what is stored of its runs, whichever campaign read them")
{
    EndedCampaign site;
    using Paths = std::set<std::string>;
    CHECK(site.told({{wire::ItemKind::campaign, site.plan.campaign.str()}}) ==
          Paths{EndedCampaign::journal(site.plan.campaign), site.spool(0, 0), site.spool(1, 0), site.spool(1, 1)});
    CHECK(site.told({{wire::ItemKind::campaign, site.later.campaign.str()}}) ==
          Paths{EndedCampaign::journal(site.later.campaign), site.spool(1, 0), site.spool(1, 1)});
}

TEST_CASE("what has not ended here is listed as kept, and so is what belongs to another store")
{
    const StoreId own = StoreId::random(), other = StoreId::random();
    const auto kept = [&](const std::string& name, const StoreId& store, const Reason& told) {
        std::vector<wire::InstalledItem> items(1);
        items[0].item = {wire::ItemKind::run, name};
        items[0].store = store;
        items[0].inUse = !told.empty();
        items[0].reason = told;
        markKept(items, own, {.names = {"unfinished"}, .campaigns = {}});
        CHECK(items[0].inUse == !items[0].reason.empty());
        return items[0].reason;
    };
    CHECK(kept("finished", own, {}).empty());
    CHECK(kept("unfinished", own, {}) == because(why::kNotEnded));
    CHECK(kept("unfinished", own, because(why::kKeptRuns)) == because(why::kKeptRuns));
    CHECK(kept("finished", other, {}) == because(why::kOtherStore));
    CHECK(kept("unfinished", other, because(why::kKeptRuns)) == because(why::kOtherStore));
}

TEST_CASE("what is stored is known of a site that had another name, and of an experiment that was deleted")
{
    EndedCampaign site;
    using Paths = std::set<std::string>;
    const std::vector<wire::Item> run = {{wire::ItemKind::run, site.plan.runs[1].id.str()}};
    const std::vector<wire::Item> campaign = {{wire::ItemKind::campaign, site.later.campaign.str()}};
    const wire::DeleteRequest before = must(deletionOf(site.db, {"renamed"}, run));
    CHECK(before.stored.size() == 2);
    must(store::deleteExperiment(site.db, site.plan.experiment));
    CHECK(must(deletionOf(site.db, {"renamed"}, run)).stored == before.stored);
    CHECK(site.told(campaign) == Paths{EndedCampaign::journal(site.later.campaign)});
}

TEST_CASE("what a campaign needs that waits in the store stays at its site, and is listed as needed by it")
{
    StoreFixture waiting;
    CampaignPlan plan = waiting.plan;
    plan.campaign = CampaignId::random();
    plan.site = "cluster";
    plan.runs.resize(1);
    plan.runs[0].id = RunId::random();
    plan.runs[0].repeat = 7;
    plan.worker = "/scratch/me/ringside/workers/abc/ringside-worker";
    plan.engines["horovod"].command = {"/scratch/me/ringside/engines/horovod/bin/python"};
    must(test::addCampaign(waiting.db, plan,
                           {"slurm", "exec /scratch/me/ringside/bin/0.1.0/linux-x86_64-abc/ringside-agent run"}));
    const std::vector<wire::Item> needed = {{wire::ItemKind::worker, "abc"},
                                            {wire::ItemKind::engine, "horovod"},
                                            {wire::ItemKind::agent, "0.1.0/linux-x86_64-abc"}};
    const std::vector<wire::Item> free = {{wire::ItemKind::worker, "ab"},
                                          {wire::ItemKind::engine, "pytorch"},
                                          {wire::ItemKind::agent, "0.0.9/linux-x86_64-abc"}};
    std::vector<wire::Item> all = needed;
    all.insert(all.end(), free.begin(), free.end());
    CHECK(must(deletionOf(waiting.db, {"cluster"}, all)).items == free);
    CHECK(must(deletionOf(waiting.db, {"other"}, all)).items == all);
    CHECK(must(deletionOf(waiting.db, {"cluster", "other"}, all)).items == free); // which are on one root

    std::vector<wire::InstalledItem> listed(1);
    listed[0].item = needed[0];
    markKept(listed, waiting.db.id(), must(unfinishedAt(waiting.db, {"cluster"})));
    CHECK(listed[0].inUse);
    CHECK(listed[0].reason ==
          because(why::kNeededBy, {{"campaign", plan.campaign.str()}, {"experiment", plan.experiment}}));

    must(store::setStage(waiting.db, plan.campaign, campaign::Stage::ended, ""));
    CHECK(must(deletionOf(waiting.db, {"cluster"}, all)).items == all);

    plan.campaign = CampaignId::random();
    plan.runs[0].id = RunId::random();
    plan.runs[0].repeat = 8;
    plan.engines["horovod"].command = {"python3", "/scratch/me/ringside/drivers/0123456789ab/pytorch.py"};
    must(test::addCampaign(waiting.db, plan));
    CHECK(
        must(deletionOf(waiting.db, {"cluster"}, {free[2]})).items.empty()); // with the last agent its drivers would go
}
