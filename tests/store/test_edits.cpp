// SPDX-License-Identifier: MIT
#include "core/store/overview.h"
#include "tests/store/storefixture.h"
#include "tests/support/addcampaign.h"

using namespace ringside;
using namespace ringside::test;

TEST_CASE("runs are numbered and carry every setting")
{
    StoreFixture store;
    const auto rows = must(store::runs(store.db));
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].number == 1);
    CHECK(rows[1].number == 2);
    CHECK(store.plan.runs[1].number == 2);
    CHECK(rows[1].settings == store.plan.runs[1].settings);
    CHECK(rows[1].state == RunState::queued);
    CHECK(rows[1].inMatrix);
    CHECK(rows[1].inCampaign);
    CHECK(rows[1].reason == because(why::kHandover)); // no other campaign keeps it waiting
    CHECK(must(store::runByNumber(store.db, 2))->id == rows[1].id);
    CHECK(!must(store::runByNumber(store.db, 3)));
    const auto known = must(store::runsById(store.db, {rows[1].id, RunId::random(), rows[0].id}));
    REQUIRE(known.size() == 2); // by number, and none that is not there
    CHECK(known[0].id == rows[0].id);
    CHECK(known[1].id == rows[1].id);
    CHECK(planFromJson(must(store::campaignById(store.db, store.plan.campaign))->planJson) == store.plan);
}

TEST_CASE("a revision is kept per change; runs of cells that are gone stay and are not in the matrix")
{
    StoreFixture store;
    store::ExperimentEdit edit{"first-light", "", "local", 3, "format = 1\n", {}};
    edit.cells.push_back({"key-1", store.plan.runs[0].settings, {}});
    must(store::saveExperiment(store.db, edit));
    CHECK(store.count("revisions") == 1); // the same text
    edit.toml = "format = 1\n# shorter\n";
    must(store::saveExperiment(store.db, edit));
    CHECK(store.count("revisions") == 2);
    CHECK(must(store::experimentText(store.db, "first-light")) == edit.toml);
    CHECK(store.row(0).inMatrix);
    CHECK(!store.row(1).inMatrix);
    store::RunFilter filter;
    filter.onlyInMatrix = true;
    CHECK(must(store::runs(store.db, filter)).size() == 1);
    const auto row = must(store::experimentByName(store.db, "first-light"));
    CHECK(row->configurations == 1);
    CHECK(row->repeats == 3);
    CHECK(store::experimentText(store.db, "other").error().code == ErrorCode::notFound);
}

TEST_CASE("what waits in a held campaign is held; what runs is not")
{
    StoreFixture store;
    CHECK(!store.row(1).held);
    CHECK(must(store::experimentByName(store.db, "first-light"))->runs.held == 0);
    store::Ingest ingest = must(store::Ingest::create(store.db));
    must(store::setHeld(store.db, store.plan.campaign, true));
    must(ingest.drain({store.change(0, 1, RunState::running, kStart)}));
    CHECK(!store.row(0).held);
    CHECK(store.row(1).held);
    const store::RunCounts counts = must(store::experimentByName(store.db, "first-light"))->runs;
    CHECK(counts.queued == 1);
    CHECK(counts.held == 1);
    must(store::setHeld(store.db, store.plan.campaign, false));
    CHECK(!store.row(1).held);
}

TEST_CASE("whatever waits says for what")
{
    StoreFixture store;
    const CampaignId& campaign = store.plan.campaign;
    const auto reason = [&] { return store.row(1).reason; };
    CHECK(reason() == because(why::kHandover));
    must(store::setHeld(store.db, campaign, true));
    CHECK(reason() == because(why::kExperimentHeld));
    must(store::setHeld(store.db, campaign, false));
    must(store::setStage(store.db, campaign, campaign::Stage::submitting));
    CHECK(reason() == because(why::kConfirmation));
    must(store::setContact(store.db, campaign, kStart, {}));
    CHECK(reason() == because(why::kContact));
    must(store::setContact(store.db, campaign, std::nullopt, {}));
    must(store::setStage(store.db, campaign, campaign::Stage::submitted));
    CHECK(reason() == because(why::kTurn));
    must(store::setHeld(store.db, campaign, true));
    CHECK(reason() == because(why::kExperimentHeld));

    CampaignPlan next = store.plan;
    next.campaign = CampaignId::random();
    next.runs = {store.plan.runs[1]};
    next.runs[0].id = RunId::random();
    next.runs[0].repeat = 2;
    must(test::addCampaign(store.db, next));
    const auto nextReason = [&] { return must(store::runById(store.db, next.runs[0].id))->reason; };
    CHECK(nextReason() == because(why::kOtherCampaign, {{"experiment", "first-light"}, {"held", 1}}));
    must(store::setHeld(store.db, campaign, false));
    CHECK(nextReason() == because(why::kOtherCampaign, {{"experiment", "first-light"}}));

    must(store::setRunsCancelled(store.db, campaign, {store.plan.runs[1].id}));
    CHECK(reason() == because(why::kBeingCancelled));
    CHECK(must(store::cancelledRuns(store.db, campaign)) == std::vector{store.plan.runs[1].id});
    must(store::setStage(store.db, campaign, campaign::Stage::ended));
    CHECK(!reason());

    must(store::setStage(store.db, next.campaign, campaign::Stage::submitted));
    const Reason inQueue = because(why::kJob, {{"job", "4711"}, {"state", "pending"}, {"word", "Priority"}});
    must(store::setContact(store.db, next.campaign, kStart, inQueue));
    must(store::setHeld(store.db, next.campaign, true));
    CHECK(nextReason() == inQueue);
    must(store::setCancelled(store.db, next.campaign)); // it never begins, whatever else holds
    CHECK(nextReason() == because(why::kBeingCancelled));
    must(store::deleteExperiment(store.db, "first-light"));
    CHECK(store.count("cancellations") == 0);
}

TEST_CASE("of several campaigns all are kept or none: none if one would be too long for its site")
{
    StoreFixture store;
    std::vector<CampaignPlan> plans(2, store.plan);
    int repeat = 1;
    for (CampaignPlan& plan : plans) {
        plan.campaign = CampaignId::random();
        plan.runs.resize(1);
        plan.runs[0].id = RunId::random();
        plan.runs[0].repeat = ++repeat;
    }
    plans[1].launchPrefix = {std::string(kMaxPlanBytes, 'x')};
    const store::ExperimentEdit edit{plans[0].experiment, "another question", "local", 1, "format = 1\n", {}};
    const Result<void> refused = store::addCampaigns(store.db, plans, {{}, {}}, edit);
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::usage);
    const auto question = [&] { return must(store::experimentByName(store.db, plans[0].experiment))->question; };
    CHECK(question() != edit.question);
    CHECK(store.count("campaigns") == 1);
    CHECK(store.count("runs") == 2);

    plans[1].launchPrefix.clear();
    must(store::addCampaigns(store.db, plans, {{}, {}}, edit));
    CHECK(question() == edit.question);
    CHECK(store.count("runs") == 4);
    for (const CampaignPlan& plan : plans)
        CHECK(planFromJson(must(store::campaignById(store.db, plan.campaign))->planJson) == plan);
}

TEST_CASE("an experiment has changed when one of its runs has")
{
    StoreFixture store;
    store::Ingest ingest = must(store::Ingest::create(store.db));
    const std::int64_t later = must(store::experimentByName(store.db, "first-light"))->changedAt + 3'600'000'000'000;
    must(ingest.drain({store.change(0, 1, RunState::running, later)}));
    CHECK(must(store::experimentByName(store.db, "first-light"))->changedAt == later);
    must(store::setStarred(store.db, "first-light", true));
    CHECK(must(store::experiments(store.db)).front().changedAt == later);
}

TEST_CASE("an overview says what the runs under way are counted as")
{
    StoreFixture store;
    store::Ingest ingest = must(store::Ingest::create(store.db));
    must(ingest.drain({store.change(0, 1, RunState::running, kStart)}));
    const auto overview = must(store::experimentOverview(store.db));
    const std::map<RunId, RunState> underWay{{store.plan.runs[0].id, RunState::running},
                                             {store.plan.runs[1].id, RunState::queued}};
    CHECK(overview.underWay == underWay);
    CHECK(overview.experiments.front().runSites == std::set<std::string>{store.plan.site});
    store::RunCounts counts = overview.experiments.front().runs;
    CHECK(counts == store::RunCounts{.total = 2, .queued = 1, .running = 1});

    must(ingest.drain({store.change(0, 1, RunState::done, kStart + 1)}));
    store::count(counts, RunState::running, -1);
    store::count(counts, RunState::done);
    CHECK(must(store::experiments(store.db)).front().runs == counts);
    CHECK(must(store::experimentOverview(store.db)).underWay.size() == 1);

    must(store::setHeld(store.db, store.plan.campaign, true));
    CHECK(must(store::experimentOverview(store.db)).underWay.empty());
}

TEST_CASE("runs of an earlier matrix are counted until they have ended")
{
    StoreFixture store;
    store::ExperimentEdit edit{"first-light", "", "local", 3, "format = 1\n# shorter\n", {}};
    edit.cells.push_back({"key-1", store.plan.runs[0].settings, {}});
    must(store::saveExperiment(store.db, edit));
    store::Ingest ingest = must(store::Ingest::create(store.db));
    must(ingest.drain({store.change(1, 1, RunState::running, kStart)}));
    const auto counts = [&] { return must(store::experiments(store.db)).front().runs; };
    CHECK(counts() == store::RunCounts{.total = 2, .queued = 1, .running = 1});
    CHECK(must(store::experimentOverview(store.db)).underWay.contains(store.plan.runs[1].id));
    CHECK(store::isCounted(store.row(1)));
    must(ingest.drain({store.change(1, 1, RunState::done, kStart + 1)}));
    CHECK(counts() == store::RunCounts{.total = 1, .queued = 1});
    CHECK(!store::isCounted(store.row(1)));
}

TEST_CASE("stars, archive, deletion")
{
    StoreFixture store;
    must(store::setStarred(store.db, "first-light", true));
    must(store::setArchived(store.db, "first-light", true));
    CHECK(must(store::experiments(store.db)).front().starred);
    CHECK(must(store::experiments(store.db)).front().archived);
    CHECK(store::setStarred(store.db, "other", true).error().code == ErrorCode::notFound);

    store::Ingest ingest = must(store::Ingest::create(store.db));
    must(ingest.drain({store.samples(0, 0, 0, 5, 100)}));
    must(store::deleteExperiment(store.db, "first-light"));
    for (const char* table :
         {"experiments", "runs", "attempts", "samples", "campaigns", "cursors", "configurations", "cells"})
        CHECK_MESSAGE(store.count(table) == 0, table);
    CHECK(must(ingest.drain({store.samples(0, 0, 0, 5, 100)})) == 0); // what still comes is passed over
    CHECK(store::deleteExperiment(store.db, "first-light").error().code == ErrorCode::notFound);
}

TEST_CASE("a run that is launched again keeps its number and waits for its next attempt")
{
    StoreFixture store;
    store::Ingest ingest = must(store::Ingest::create(store.db));
    must(ingest.drain({store.change(0, 1, RunState::starting, kStart),
                       store.change(0, 1, RunState::failed, kStart + 1, Cause::lostRank)}));
    CHECK(store.row(0).state == RunState::failed);
    CHECK(store.row(0).cause == Cause::lostRank);

    CampaignPlan again = store.plan;
    again.campaign = CampaignId::random();
    again.runs.resize(1);
    again.runs[0].settings["ranks"] = std::int64_t{4};
    again.runs[0].ranksPerProcess = 4; // its table says so since
    again.runs[0].seed = store.plan.runs[0].seed + 1;
    must(test::addCampaign(store.db, again));
    CHECK(store.db.handle().execAndGet("SELECT seed FROM runs WHERE number = 1").getInt64() == again.runs[0].seed);
    CHECK(again.runs[0].attempts == 1); // whatever the site still has of it
    CHECK(store.db.handle().execAndGet("SELECT rank_processes FROM runs WHERE number = 1").getInt() == 1);
    CHECK(store.row(0).ranksPerProcess == integerOf(store.row(0).settings, "ranks"));
    CHECK(store.row(0).state == RunState::requeued);
    CHECK(store.row(0).number == 1);
    CHECK(store.row(0).campaign == again.campaign);
    // The old journal, read again, does not bring the old end back.
    must(ingest.drain({store.change(0, 1, RunState::failed, kStart + 1, Cause::lostRank)}));
    CHECK(store.row(0).state == RunState::requeued);
    must(ingest.drain({store.change(0, 2, RunState::starting, kStart + 9)}));
    CHECK(store.row(0).attempt == 2);
    CHECK(must(store::attempts(store.db, store.plan.runs[0].id)).size() == 2);
}

TEST_CASE("a job that is submitted by hand waits for that until it has begun, also while the site does not know it")
{
    StoreFixture store;
    must(store::setStage(store.db, store.plan.campaign, campaign::Stage::submitted));
    store.db.handle().exec("UPDATE campaigns SET scheduler = 'slurm_by_hand'");
    must(store::setContact(store.db, store.plan.campaign, kStart + 3, {}));
    for (int run : {0, 1}) {
        CHECK(store.row(run).state == RunState::queued);
        CHECK(store.row(run).reason == because(why::kHandSubmission));
    }
    const auto counted = [&] { return must(store::experimentByName(store.db, "first-light"))->runs; };
    CHECK(counted().queued == 2);
    CHECK(counted().unknown == 0);
    CHECK_FALSE(must(store::experimentByName(store.db, "first-light"))->unknownSince);

    store::Ingest ingest = must(store::Ingest::create(store.db));
    must(ingest.drain({store.change(0, 1, RunState::starting, kStart + 4)}));
    for (int run : {0, 1})
        CHECK(store.row(run).state == RunState::unknown);
    CHECK(counted().unknown == 2);
}

TEST_CASE("lost contact makes what runs unknown, and only that")
{
    StoreFixture store;
    must(store::setStage(store.db, store.plan.campaign, campaign::Stage::submitting));
    must(store::setStage(store.db, store.plan.campaign, campaign::Stage::submitted, "4711"));
    store::Ingest ingest = must(store::Ingest::create(store.db));
    must(ingest.drain({store.change(0, 1, RunState::starting, kStart), store.change(0, 1, RunState::done, kStart + 1),
                       store.change(1, 1, RunState::starting, kStart + 2)}));
    const Reason isAway = because(why::kSchedulerSilent, {{"scheduler", "slurm"}, {"said", "it’s \"down\""}});
    must(store::setContact(store.db, store.plan.campaign, kStart + 3, isAway));
    CHECK(store.row(0).state == RunState::done);
    CHECK(store.row(1).state == RunState::unknown);
    CHECK(store.row(1).since == kStart + 3);
    CHECK(store.row(1).reason == isAway);
    CHECK(must(store::campaignById(store.db, store.plan.campaign))->note == isAway);
    CHECK(!store.row(0).reason);
    CHECK(must(store::runsOfCampaign(store.db, store.plan.campaign))[1].state == RunState::starting);
    must(store::setContact(store.db, store.plan.campaign, std::nullopt, {}));
    CHECK(store.row(1).state == RunState::starting);
    CHECK(!store.row(1).reason);
    const auto campaign = must(store::campaigns(store.db, true)).front();
    CHECK(campaign.job == "4711");
    must(store::setStage(store.db, store.plan.campaign, campaign::Stage::ended));
    CHECK(must(store::campaigns(store.db, true)).empty());
    CHECK(must(store::typicalSeconds(store.db, "key-1")) == doctest::Approx(1e-9));
    CHECK(!must(store::typicalSeconds(store.db, "key-2")));
    store.db.handle().exec("UPDATE attempts SET ended_ns = 0");
    CHECK(!must(store::typicalSeconds(store.db, "key-1"))); // its end was never told
}
