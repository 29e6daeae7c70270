// SPDX-License-Identifier: MIT
#include "tests/app/support/storedcalibration.h"

#include "core/base/clock.h"
#include "core/model/costfit.h"
#include "core/protocol/facts.h"
#include "core/spec/calibration.h"
#include "core/spec/matrix.h"
#include "core/spec/toml.h"
#include "core/store/edits.h"
#include "core/store/ingest.h"
#include "tests/support/addcampaign.h"

namespace ringside::test {

namespace {

LinkCost linkOf(LinkLevel level, LinkOperation operation, int ranks, double latency, double bytesPerSecond)
{
    LinkCost link{level, operation, ranks, {}, {}};
    for (std::uint64_t bytes = 4096; bytes <= 64u << 20; bytes *= 2)
        link.times.push_back({bytes, latency + double(bytes) / bytesPerSecond});
    link.times.push_back({100'000'000, latency + 1e8 / bytesPerSecond});
    link.segments = model::fitCost(link.times);
    return link;
}

Result<void> keep(store::Database& db, const spec::Experiment& experiment, const spec::Configuration& cell)
{
    store::ExperimentEdit edit{
        experiment.name, experiment.question, experiment.site, 1, spec::writeExperiment(experiment), {}};
    edit.cells.push_back({cell.key, cell.settings, cell.plan});
    return store::saveExperiment(db, edit);
}

} // namespace

Calibration calibrationOfTwoNodes()
{
    Calibration found;
    found.ranks = 8;
    found.nodes = 2;
    found.coresPerRank = 4;
    found.gemmFlops = {181.4e9, 174.2e9};
    found.memoryBytes = {11.2e9, 10.9e9};
    found.diskBytes = {1.9e9, 1.7e9};
    found.diskHow = "33.6 MB after dropping them from the page cache, 100 % of them from storage";
    found.pictures = {412, 405};
    found.links = {linkOf(LinkLevel::node, LinkOperation::pingPong, 4, 0.9e-6, 9.8e9),
                   linkOf(LinkLevel::node, LinkOperation::allReduce, 4, 6e-6, 5.1e9),
                   linkOf(LinkLevel::nodes, LinkOperation::pingPong, 2, 2.1e-6, 11.6e9),
                   linkOf(LinkLevel::nodes, LinkOperation::allReduce, 2, 9e-6, 3.1e9),
                   linkOf(LinkLevel::all, LinkOperation::allReduce, 8, 22e-6, 1.7e9)};
    return found;
}

Calibration calibrationOfGpus()
{
    Calibration found;
    found.ranks = 2;
    found.coresPerRank = 8;
    found.gemmFlops = {612e9, 610e9};
    found.memoryBytes = {31e9, 30e9};
    found.means = {"cuda", "nccl", "ib0"};
    found.gpu =
        GpuRates{{52.1e12, 51.9e12}, {401e12, 398e12}, {772e12, 770e12}, {4.1e12, 4.0e12}, {54e9, 53e9}, {52e9, 51e9}};
    found.links = {linkOf(LinkLevel::node, LinkOperation::pingPong, 2, 0.9e-6, 9.8e9),
                   linkOf(LinkLevel::node, LinkOperation::allReduce, 2, 15e-6, 180e9)};
    found.links.back().inGpuMemory = true;
    return found;
}

Result<void> addCalibration(store::Database& db, const std::string& site, const Calibration& found)
{
    const spec::Experiment experiment =
        spec::calibrationExperiment(site, {found.nodes, found.ranks / found.nodes, found.coresPerRank, found.means}, 1);
    TRY_ASSIGN(const spec::Matrix matrix, spec::expand(experiment, site));
    const spec::Configuration& cell = matrix.configurations.front();
    TRY(keep(db, experiment, cell));
    CampaignPlan plan;
    plan.campaign = CampaignId::random();
    plan.store = db.id();
    plan.experiment = experiment.name;
    plan.site = site;
    plan.runs = {{RunId::random(), 0, RunKind::run, cell.key, 1, cell.settings, cell.plan, cell.iterations, 0, 1}};
    TRY(test::addCampaign(db, plan));
    for (const auto stage : {campaign::Stage::submitting, campaign::Stage::submitted})
        TRY(store::setStage(db, plan.campaign, stage));
    Facts facts;
    facts.transport = "mpi: ob1 over self, tcp, vader";
    facts.calibration = found;
    const RunId run = plan.runs.front().id;
    TRY_ASSIGN(store::Ingest ingest, store::Ingest::create(db));
    TRY(ingest.drain({campaign::RunChange{run, 1, RunState::running, Cause::none, {}, std::nullopt, wallNs()},
                      store::FactsArrival{run, 1, factsToJson(facts)},
                      campaign::RunChange{run, 1, RunState::done, Cause::none, {}, std::nullopt, wallNs()}}));
    return store::setStage(db, plan.campaign, campaign::Stage::ended);
}

} // namespace ringside::test
