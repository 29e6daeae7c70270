// SPDX-License-Identifier: MIT
#include "core/planning/planning.h"

#include "core/jobs/schedulers/table.h"
#include "core/planning/calibratedcost.h"
#include "core/protocol/layout.h"
#include "core/spec/systems.h"
#include "core/spec/toml.h"
#include "core/wire/frames.h"
#include "tests/support/lenetexperiment.h"

#include <doctest/doctest.h>
#include <set>

using namespace ringside;

namespace {

spec::Experiment experiment()
{
    const std::string factors = "ranks = [1, 2]\nplan = [\"one\", \"buckets\"]";
    return spec::parseExperiment(test::lenetExperiment("e", factors, 2, 10, "seed = 5\n")).value();
}

store::RunRow rowOf(const RunSpec& spec, RunState state)
{
    store::RunRow row;
    row.id = spec.id;
    row.configurationKey = spec.configurationKey;
    row.repeat = spec.repeat;
    row.state = state;
    return row;
}

} // namespace

TEST_CASE("the runs of a plan are those of the matrix, in its order, with paired seeds")
{
    const spec::Matrix matrix = spec::expand(experiment()).value();
    const auto specs = missingSpecs(experiment(), matrix, {}, false, {});
    REQUIRE(specs.size() == 6); // on one rank both plans are "none"
    for (std::size_t i = 0; i < specs.size(); ++i) {
        CHECK(specs[i].configurationKey == matrix.configurations[matrix.runs[i].configuration].key);
        CHECK(specs[i].repeat == matrix.runs[i].repeat);
        CHECK(specs[i].seed == campaign::seedOf(5, specs[i].repeat));
        CHECK(specs[i].iterations == 10);
        CHECK(specs[i].warmup == 2);
    }
    CHECK(specs[0].seed == specs[1].seed);
    CHECK(specs[0].seed != specs[3].seed);
}

TEST_CASE("what is stored is not planned again; a choice narrows it")
{
    const spec::Matrix matrix = spec::expand(experiment()).value();
    const auto all = missingSpecs(experiment(), matrix, {}, false, {});
    const std::vector<store::RunRow> stored = {rowOf(all[0], RunState::done), rowOf(all[1], RunState::cancelled),
                                               rowOf(all[2], RunState::queued)};
    const auto missing = missingSpecs(experiment(), matrix, stored, false, {});
    REQUIRE(missing.size() == 5);
    CHECK(missing[0].id == all[1].id);
    const auto chosen = missingSpecs(experiment(), matrix, stored, false, {all[2].id, all[0].id});
    REQUIRE(chosen.size() == 1);
    CHECK(chosen[0].id == all[2].id);
}

TEST_CASE("as many runs as an experiment may have fit one plan, and one message to a site")
{
    spec::Experiment most = experiment();
    most.runs.repeats = 3'333; // of three configurations
    const spec::Matrix matrix = spec::expand(most).value();
    ReadySite ready;
    ready.site.name = "local";
    ready.root = "/home/user/.local/share/ringside";
    ready.worker = "/usr/lib/ringside/ringside-worker";
    CampaignPlan plan = planOf(most, StoreId::random(), ready, missingSpecs(most, matrix, {}, false, {}));
    REQUIRE(plan.runs.size() == 9'999);
    for (RunSpec& run : plan.runs)
        run.number = 1'000'000;
    const std::string text = planToJson(plan);
    CHECK(planFromJson(text) == plan);
    wire::FrameWriter writer;
    CHECK(writer.write(wire::SubmitRequest{1, plan.campaign, {}, text}));
}

TEST_CASE("a trial is the smallest configuration, short, of its own kind and key")
{
    const spec::Matrix matrix = spec::expand(experiment()).value();
    const RunSpec trial = trialSpec(experiment(), matrix);
    CHECK(trial.kind == RunKind::trial);
    CHECK(trial.iterations == kTrialIterations);
    CHECK(trial.ranks() == 1);
    for (const spec::Configuration& configuration : matrix.configurations)
        CHECK(trial.configurationKey != configuration.key);
}

TEST_CASE("an experiment is kept with the cells of every site")
{
    const auto edit = editOf(experiment(), {"local", "alder"}).value();
    CHECK(edit.cells.size() == 6);
    CHECK(edit.repeats == 2);
    CHECK(spec::parseExperiment(edit.toml).value() == experiment());
}

TEST_CASE("a run that is merged by cost gets that of the calibration of its shape")
{
    RunSpec run;
    run.settings = Settings{{"ranks", std::int64_t{4}}, {"nodes", std::int64_t{2}}, {"device", std::string("cpu")}};
    run.plan.collective = Collective::allreduce;
    run.plan.grouping = Grouping::optimal;
    const LinkCost node{LinkLevel::node, LinkOperation::allReduce, 2, {}, {{1, 1, 1}}};
    const LinkCost all{LinkLevel::all, LinkOperation::allReduce, 4, {}, {{1, 2, 2}}};
    store::SiteCalibration calibration;
    calibration.run = 9;
    calibration.endedAt = 5;
    calibration.transport = "tcp";
    calibration.calibration.ranks = 4;
    calibration.calibration.nodes = 2;
    calibration.calibration.links = {node, all};
    CHECK(costFor(run, {calibration}) == CalibratedCost{9, 5, "tcp", all.segments});
    run.plan.grouping = Grouping::merged;
    CHECK(costFor(run, {calibration}) == CalibratedCost{9, 5, "tcp", all.segments});
    CHECK_FALSE(costFor(run, {}));
    store::SiteCalibration imported = calibration;
    imported.run = 10;
    imported.importedFrom = "nccl-tests";
    CHECK_FALSE(costFor(run, {imported}));
    CHECK(costFor(run, {imported, calibration})->run == 9);
    for (const CalibrationMeans& means : {CalibrationMeans{"cuda", "nccl", "any"}, {"cpu", "launcher", "ib0"}}) {
        RunSpec alike = run;
        alike.settings["device"] = means.device;
        alike.settings["backend"] = means.backend;
        alike.settings["interface"] = means.interface;
        store::SiteCalibration byThese = calibration;
        byThese.calibration.means = means;
        CHECK(costFor(alike, {calibration, byThese}) == costFor(run, {calibration}));
        CHECK_FALSE(costFor(alike, {calibration}));
    }

    RunSpec other = run;
    SUBCASE("other cores")
    {
        other.settings["cores_per_rank"] = std::int64_t{2};
    }
    SUBCASE("other nodes")
    {
        other.settings["nodes"] = std::int64_t{1};
    }
    SUBCASE("a GPU")
    {
        other.settings["device"] = std::string("cuda");
    }
    SUBCASE("another backend")
    {
        other.settings["backend"] = std::string("nccl");
    }
    SUBCASE("a network of its own")
    {
        other.settings["interface"] = std::string("eth1g");
    }
    SUBCASE("another message")
    {
        other.plan.compression = Compression::fp16;
    }
    SUBCASE("another grouping")
    {
        other.plan.grouping = Grouping::one;
    }
    SUBCASE("a calibration that was disturbed")
    {
        calibration.flags = {"disturbed"};
    }
    CHECK_FALSE(costFor(other, {calibration}));
}

namespace {

/// Four ranks of three cores on two nodes.
spec::Experiment wideExperiment()
{
    spec::Experiment wide = experiment();
    wide.factors.clear();
    wide.runs.hungAfterSeconds = 600;
    wide.fixed["ranks"] = std::int64_t{4};
    wide.fixed["nodes"] = std::int64_t{2};
    wide.fixed["cores_per_rank"] = std::int64_t{3};
    return wide;
}

} // namespace

TEST_CASE("a system whose process is all ranks of a node has one there, with the cores of all")
{
    spec::System system{"whole", "Whole"};
    system.settings.insert(std::begin(spec::kSettingsOfAll), std::end(spec::kSettingsOfAll));
    system.process = spec::ProcessOf::node;
    system.engine.command = {"whole"};
    spec::setSystems({system});
    spec::Experiment wide = wideExperiment();
    wide.fixed["engine"] = std::string("whole");
    ReadySite site;
    site.site.name = "alder";
    site.root = "/home/kim/ringside";
    site.agent = "/home/kim/ringside/bin/agent";
    site.scheduler = jobs::schedulerNamed("slurm");
    const auto specs = missingSpecs(wide, spec::expand(wide, "alder").value(), {}, false, {});
    REQUIRE(!specs.empty());
    CHECK(specs[0].processes() == 2);
    CHECK(specs[0].ranksPerProcess == 2);
    const std::string script = submissionOf(planOf(wide, StoreId::random(), site, specs), site).value().script;
    for (const char* line : {"#SBATCH --nodes=2\n", "#SBATCH --ntasks-per-node=1\n", "#SBATCH --cpus-per-task=6\n"})
        CHECK(script.find(line) != std::string::npos);
    spec::setSystems({});
}

TEST_CASE("a job has the cores of the run that needs most, not the most ranks times the most cores of one")
{
    spec::Experiment traded = experiment();
    traded.factors = {{"ranks", {std::int64_t{1}, std::int64_t{2}, std::int64_t{8}}}};
    for (const std::int64_t ranks : {1, 2, 8})
        traded.when.push_back({{{"ranks", ranks}}, {{"cores_per_rank", 8 / ranks}}});
    ReadySite site;
    site.site.name = "alder";
    site.root = "/home/kim/ringside";
    site.agent = "/home/kim/ringside/bin/agent";
    site.worker = "/home/kim/ringside/workers/1/ringside-worker";
    site.scheduler = jobs::schedulerNamed("slurm");
    const auto specs = missingSpecs(traded, spec::expand(traded, "alder").value(), {}, false, {});
    const std::string script = submissionOf(planOf(traded, StoreId::random(), site, specs), site).value().script;
    for (const char* line : {"#SBATCH --ntasks-per-node=8\n", "#SBATCH --cpus-per-task=1\n"})
        CHECK(script.find(line) != std::string::npos);
}

TEST_CASE("under Slurm one job has room for the largest of the runs; elsewhere there is no script")
{
    const spec::Experiment wide = wideExperiment();
    ReadySite site;
    site.site.name = "alder";
    site.root = "/home/kim/ringside";
    site.agent = "/home/kim/ringside/bin/agent";
    site.worker = "/home/kim/ringside/workers/1/ringside-worker";
    site.site.job.partition = "main";
    const spec::Matrix matrix = spec::expand(wide, "alder").value();
    const auto specs = missingSpecs(wide, matrix, {}, false, {});
    CampaignPlan plan = planOf(wide, StoreId::random(), site, specs);
    CHECK(plan.launcher == "mpirun");
    CHECK(plan.hungAfterSeconds == 600);
    CHECK(submissionOf(plan, site).value() == store::Submission{});
    CHECK(submissionOf(plan, site, true).error().code == ErrorCode::usage);

    site.scheduler = jobs::schedulerNamed("slurm");
    plan = planOf(wide, StoreId::random(), site, specs);
    CHECK(plan.launcher == "srun");
    CHECK(plan.dataFolder == "/home/kim/ringside/data");
    const store::Submission submission = submissionOf(plan, site).value();
    CHECK(submission.scheduler == "slurm");
    for (const char* line : {"#SBATCH --partition=main\n", "#SBATCH --nodes=2\n", "#SBATCH --ntasks-per-node=2\n",
                             "#SBATCH --cpus-per-task=3\n"})
        CHECK(submission.script.find(line) != std::string::npos);

    const store::Submission byHand = submissionOf(plan, site, true).value();
    CHECK(byHand == store::Submission{"slurm_by_hand", submission.script});
    const LaunchPreview preview = previewOf(plan, site).value();
    CHECK(preview.script == submission.script);
    CHECK(preview.mostNodeSeconds == 2 * 3600); // two nodes for an hour
    CHECK(preview.scriptFile == layout::scriptFile(layout::campaignFolder(site.root, plan.campaign)).string());

    site.site.job.partition = "a\nb";
    CHECK(submissionOf(plan, site).error().code == ErrorCode::usage);
}
