// SPDX-License-Identifier: MIT
#include "core/conductor/launches.h"

#include "core/conductor/conductor.h"
#include "core/conductor/quietsink.h"
#include "core/jobs/schedulers/table.h"
#include "core/spec/toml.h"
#include "core/store/queries.h"
#include "tests/support/lenetexperiment.h"
#include "tests/support/temporaryfolder.h"

#include <doctest/doctest.h>
#include <future>
#include <set>

using namespace ringside;

namespace {

spec::Experiment experiment()
{
    const std::string factors = "ranks = [1, 2]\nplan = [\"one\", \"buckets\"]";
    return spec::parseExperiment(test::lenetExperiment("e", factors, 2, 10, "seed = 5\n")).value();
}

ReadySite readyAlder()
{
    ReadySite site;
    site.site.name = "alder";
    site.scheduler = jobs::schedulerNamed("slurm");
    site.root = "/home/kim/ringside";
    site.agent = "/home/kim/ringside/bin/agent";
    site.worker = "/home/kim/ringside/workers/1/ringside-worker";
    return site;
}

} // namespace

TEST_CASE("an experiment that could not be read again is not saved")
{
    const test::TemporaryFolder folder;
    store::Database db = store::Database::openForWriting(folder / "lab.db").value();
    REQUIRE(storeExperiment(db, experiment()));
    const std::string before = store::experimentText(db, "e").value();
    spec::Experiment changed = experiment();
    changed.question = std::string(spec::kMaxExperimentBytes, 'x');
    const Result<void> kept = storeExperiment(db, changed);
    REQUIRE_FALSE(kept);
    CHECK(kept.error().code == ErrorCode::usage);
    CHECK(store::experimentText(db, "e").value() == before);
}

TEST_CASE("where every run is to be a job, each job is as large as its run")
{
    const test::TemporaryFolder folder;
    store::Database db = store::Database::openForWriting(folder / "lab.db").value();
    ReadySite site = readyAlder();
    site.site.jobPerRun = true;
    LaunchRequest request = launchOf(experiment(), "alder");
    const LaunchPreview preview = previewLaunch(db, request, site).value();
    CHECK(preview.jobs == 6);
    CHECK(preview.runs == 6);
    request.byHand = true;
    CHECK(previewLaunch(db, request, site).value().jobs == 1);

    request.byHand = false;
    request.campaign = preview.campaign;
    const std::vector<CampaignPlan> kept = storeLaunch(db, request, site).value();
    REQUIRE(kept.size() == 6);
    std::multiset<std::string> sizes;
    std::set<RunId> runs;
    for (const CampaignPlan& plan : kept) {
        const store::CampaignRow campaign = store::campaignById(db, plan.campaign).value().value();
        CHECK(planFromJson(campaign.planJson) == plan);
        REQUIRE(plan.runs.size() == 1);
        runs.insert(plan.runs[0].id);
        const std::string& script = campaign.submission.script;
        const auto at = script.find("#SBATCH --ntasks-per-node=");
        REQUIRE(at != std::string::npos);
        sizes.insert(script.substr(at, script.find('\n', at) - at));
        if (plan.campaign == preview.campaign)
            CHECK(script == preview.script);
    }
    CHECK(runs.size() == 6);
    CHECK(sizes.count("#SBATCH --ntasks-per-node=1") == 2);
    CHECK(sizes.count("#SBATCH --ntasks-per-node=2") == 4);
    CHECK(storeLaunch(db, request, site).value().empty()); // all of them are under way
}

TEST_CASE("a launch stores its revision and what is to run, or nothing")
{
    const test::TemporaryFolder folder;
    store::Database db = store::Database::openForWriting(folder / "lab.db").value();
    ReadySite site = readyAlder();
    site.site.job.partition = "a\nb";
    LaunchRequest request = launchOf(experiment(), "alder");
    CHECK(storeLaunch(db, request, site).error().code == ErrorCode::usage);
    CHECK_FALSE(store::experimentByName(db, "e").value());
    CHECK(store::campaigns(db).value().empty());

    site = readyAlder();
    CHECK(storeLaunch(db, request, site).value().at(0).runs.size() == 6);
    const auto stored = [&] { return spec::parseExperiment(store::experimentText(db, "e").value(), "e").value(); };
    CHECK(stored() == experiment());
    request.revision->question = "And if nothing is missing?";
    CHECK(storeLaunch(db, request, site).value().empty());
    CHECK(stored() == *request.revision);

    CHECK(storeLaunch(db, {"none", "alder"}, site).error().code == ErrorCode::notFound);
}

TEST_CASE("a trial of what was typed replaces no experiment that is stored")
{
    const test::TemporaryFolder folder;
    store::Database db = store::Database::openForWriting(folder / "lab.db").value();
    const auto stored = [&] { return spec::parseExperiment(store::experimentText(db, "e").value(), "e").value(); };
    LaunchRequest trial = launchOf(experiment(), "alder");
    trial.trial = true;
    CHECK(storeLaunch(db, trial, readyAlder()).value().at(0).runs.size() == 1);
    CHECK(stored() == experiment()); // there was none
    trial.revision->question = "Only tried?";
    CHECK(storeLaunch(db, trial, readyAlder()).value().at(0).runs.at(0).kind == RunKind::trial);
    CHECK(stored() == experiment());
}

TEST_CASE("an experiment that is deleted while its launch is prepared does not come back")
{
    const test::TemporaryFolder folder;
    ConductorOptions options;
    options.store = folder / "lab.db";
    options.localRoot = folder / "site";
    QuietSink sink;
    const auto conductor = Conductor::open(options, sink).value();
    std::promise<void> free;
    std::promise<Result<void>> launched, deleted;
    const auto isFree = free.get_future().share();
    conductor->saveExperiment(experiment(), [isFree](const Result<void>&) { isFree.wait(); }); // the store is busy
    conductor->launch(launchOf(experiment(), "local"), [&](const Result<void>& end) { launched.set_value(end); });
    conductor->deleteExperiment("e", [&](const Result<void>& end) { deleted.set_value(end); });
    free.set_value();
    CHECK(deleted.get_future().get());
    const Result<void> end = launched.get_future().get();
    REQUIRE_FALSE(end);
    CHECK(end.error().message == "“e” was deleted while its launch was prepared.");
    CHECK_FALSE(store::experimentByName(store::Database::openForReading(options.store).value(), "e").value());
}
