// SPDX-License-Identifier: MIT
#include "tests/app/support/measuredexperiment.h"

#include "core/base/clock.h"
#include "core/protocol/layout.h"
#include "core/spec/matrix.h"
#include "core/spec/toml.h"
#include "core/store/edits.h"
#include "core/store/ingest.h"
#include "core/store/queries.h"
#include "core/store/summaries.h"
#include "tests/report/support/lab.h"
#include "tests/support/addcampaign.h"

#include <algorithm>
#include <cmath>
#include <fstream>

namespace ringside::test {

namespace {

constexpr std::uint32_t kIterations = 60, kWarmup = 10, kBucketsEvery = 10;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kAge = 7200 * kSecond; ///< of the first run; all together take less than an hour
constexpr int kThinnedRanks = 4;              ///< runs of ResNet-50 with "one" on this many ranks are 4 in number
constexpr std::uint64_t kGradientBytes = 97u << 20;
constexpr std::int64_t kClockApart = 300 * kSecond; ///< of one rank's host from the next one's
constexpr std::int64_t kClockUncertainty = 12'000;
constexpr int kLateRank = 3; ///< the others wait for it
constexpr int kLostRank = 3;

enum class Fate
{
    done,
    disturbed,
    failed,
    cancelled
};

Fate fateOf(const RunSpec& run)
{
    const bool isThinned = textOf(run.settings, "model") == "resnet50" && textOf(run.settings, "plan") == "one" &&
                           run.ranks() == kThinnedRanks;
    if (isThinned && run.repeat >= 5)
        return run.repeat == 5 ? Fate::failed : Fate::cancelled;
    const bool isCrowded = textOf(run.settings, "plan") == "buckets" && run.ranks() == 2;
    return isCrowded && run.repeat == 3 ? Fate::disturbed : Fate::done;
}

/// Like noise from -1 to 1, but the same every time.
double wobble(std::uint32_t seq, int rank, int repeat)
{
    return std::sin(seq * 12.9898 + rank * 78.233 + repeat * 37.719);
}

/// Ranks wait for each other, so an iteration is equally long on all of them; where backward takes longer, less of the
/// communication is left to wait for.
Sample sampleOf(const RunSpec& run, int rank, std::uint32_t seq, std::int64_t startNs)
{
    const Measured measured = usualMeasurement(run.settings, run.repeat);
    const auto batch = integerOf(run.settings, "batch_per_rank").value_or(1);
    const double steadyNs = double(batch) * run.ranks() / measured.rate * 1e9;
    const double warmup = 1 + 0.6 * std::exp(-double(seq) / 3);
    const double lengthNs = steadyNs * warmup * (1 + 0.015 * wobble(seq, 0, run.repeat));
    const double waits = rank == kLateRank ? 0.2 : 1 + 0.3 * wobble(seq, rank, run.repeat);
    const double exposed = measured.exposedShare * waits * lengthNs;
    const double compute = lengthNs * (1 - measured.exposedShare);
    const auto ns = [](double value) { return std::int64_t(value); };
    Sample sample;
    sample.seq = seq;
    sample.startNs = startNs;
    sample.phases = {ns(0.03 * compute), ns(0.01 * compute), ns(0.29 * compute), 0,
                     ns(exposed),        ns(0.05 * compute), ns(0.02 * compute)};
    sample.phases[std::size_t(Phase::backward)] = ns(lengthNs) - sample.lengthNs();
    sample.readNs = ns(0.02 * compute);
    sample.decodeNs = ns(0.1 * compute);
    sample.h2dTotalNs = ns(0.012 * compute);
    sample.commTotalNs = ns(exposed + measured.hiddenShare * lengthNs);
    sample.bytesSent = run.ranks() > 1 ? kGradientBytes : 0;
    sample.items = std::uint32_t(batch);
    sample.loss = float(1 + 5 * std::exp(-double(seq) / 20));
    return sample;
}

Telemetry telemetryAt(std::int64_t atNs, int second, const RunSpec& run)
{
    Telemetry telemetry;
    telemetry.atNs = atNs;
    telemetry.ownCpuShare = float(0.22 + 0.01 * wobble(std::uint32_t(second), 1, run.repeat));
    telemetry.foreignCpuShare =
        fateOf(run) == Fate::disturbed ? 0.24f : float(0.02 + 0.01 * wobble(std::uint32_t(second), 2, run.repeat));
    telemetry.cpuShare = telemetry.ownCpuShare * float(run.ranks()) + telemetry.foreignCpuShare;
    telemetry.memoryBytes = (900u << 20) + (std::uint64_t(second) << 20);
    telemetry.diskReadBytes = std::uint64_t(second) * (40u << 20);
    return telemetry;
}

BucketTimings bucketsOf(const Sample& sample)
{
    BucketTimings timings{sample.seq, {}};
    const std::int64_t part = sample.commTotalNs / 4;
    for (std::uint32_t bucket = 0; bucket < 4; ++bucket)
        timings.buckets.push_back({bucket, sample.lengthNs() / 2 + bucket * part, part, kGradientBytes / 4});
    return timings;
}

constexpr std::size_t kLayers = 18; ///< each of them a share of forward and backward that grows and falls

LayerTimings layersOf(const Sample& sample)
{
    const auto length = [&](Phase phase) { return sample.phases[std::size_t(phase)]; };
    const std::int64_t forward = length(Phase::forward), backward = length(Phase::backward);
    std::int64_t at = length(Phase::inputWait) + length(Phase::h2d);
    std::int64_t end = at + forward + backward;
    LayerTimings timings{sample.seq, std::vector<LayerTiming>(kLayers)};
    for (std::size_t i = 0; i < kLayers; ++i) {
        const double share = (1 + 0.7 * std::sin(double(i))) / (1.15 * kLayers);
        LayerTiming& layer = timings.layers[i];
        layer.forwardStartNs = at;
        layer.forwardNs = std::int64_t(0.93 * share * double(forward));
        layer.backwardNs = std::int64_t(0.95 * share * double(backward));
        layer.backwardStartNs = end - layer.backwardNs;
        layer.readyNs = end;
        at += std::int64_t(share * double(forward));
        end -= std::int64_t(share * double(backward));
    }
    return timings;
}

std::vector<Record> recordsOf(const RunSpec& run, int rank, std::uint32_t iterations, std::int64_t startNs)
{
    const std::int64_t ahead = rank * kClockApart, beginNs = startNs + ahead;
    std::vector<Record> records{ClockPair{beginNs, startNs},
                                ClockOffset{beginNs, -ahead, rank == 0 ? 0 : kClockUncertainty}};
    std::int64_t nextNs = beginNs, nextReading = beginNs;
    int second = 0;
    for (std::uint32_t seq = 0; seq < iterations; ++seq) {
        const Sample sample = sampleOf(run, rank, seq, nextNs);
        records.emplace_back(sample);
        if (run.ranks() > 1 && seq % kBucketsEvery == 0)
            records.emplace_back(bucketsOf(sample));
        if (seq % kBucketsEvery == 0)
            records.emplace_back(layersOf(sample));
        nextNs = sample.endNs();
        for (; nextReading < nextNs; nextReading += kSecond)
            records.emplace_back(telemetryAt(nextReading, second++, run));
    }
    if (iterations == kIterations)
        records.emplace_back(End{iterations, 0, 0});
    return records;
}

store::SpoolArrival spoolOf(const CampaignPlan& plan, const RunSpec& run, int rank, std::uint32_t iterations,
                            std::int64_t startNs)
{
    store::SpoolArrival arrival;
    arrival.campaign = plan.campaign;
    arrival.run = run.id;
    arrival.rank = rank;
    arrival.header = SpoolHeader{FileId::random(),           run.id,  1,           std::uint32_t(rank),
                                 std::uint32_t(run.ranks()), "alder", kIterations, kWarmup};
    arrival.records = recordsOf(run, rank, iterations, startNs);
    arrival.cursor = {layout::spoolFile(layout::attemptFolder({}, run.id, 1), rank).string(),
                      arrival.header->file.str(), 1};
    return arrival;
}

Reason reasonOfTheLost()
{
    return because(why::kSilent, {{"rank", kLostRank}, {"host", "alder"}, {"seconds", 30}});
}

campaign::RunChange endOf(const RunSpec& run, std::int64_t atNs)
{
    switch (fateOf(run)) {
    case Fate::failed:
        return {run.id, 1, RunState::failed, Cause::lostRank, reasonOfTheLost(), kLostRank, atNs};
    case Fate::cancelled:
        return {run.id, 1, RunState::cancelled, Cause::cancelled, because(why::kCancelled), std::nullopt, atNs};
    case Fate::disturbed:
    case Fate::done:
        break;
    }
    return {run.id, 1, RunState::done, Cause::none, {}, std::nullopt, atNs};
}

store::FactsArrival factsOf(const RunSpec& run)
{
    Facts facts;
    const bool isDeep = textOf(run.settings, "model") == "resnet50";
    facts.model = {{kFlopsPerImage, isDeep ? "24300000000" : "4140000000"}};
    for (std::size_t i = 0; i < kLayers; ++i)
        facts.layers.push_back(
            {"layer" + std::to_string(1 + i / 5) + "." + std::to_string(i % 5) + ".conv", kGradientBytes / kLayers});
    return {run.id, 1, factsToJson(facts)};
}

/// All that one run sends home; moves `clock` to its end.
std::vector<store::Arrival> arrivalsOf(const CampaignPlan& plan, const RunSpec& run, std::int64_t& clock)
{
    const bool ends = fateOf(run) == Fate::done || fateOf(run) == Fate::disturbed;
    std::vector<store::Arrival> arrivals{
        campaign::RunChange{run.id, 1, RunState::running, Cause::none, {}, std::nullopt, clock}};
    std::int64_t end = clock;
    for (int rank = 0; rank < run.ranks(); ++rank) {
        arrivals.emplace_back(spoolOf(plan, run, rank, ends ? kIterations : kIterations / 3, clock));
        if (rank > 0)
            continue; // all iterate in step, and the first one's clock is ours
        for (const Record& record : std::get<store::SpoolArrival>(arrivals.back()).records)
            if (const auto* sample = std::get_if<Sample>(&record))
                end = std::max(end, sample->endNs());
    }
    arrivals.emplace_back(factsOf(run));
    clock = end + 2 * kSecond;
    arrivals.emplace_back(endOf(run, end));
    return arrivals;
}

void keepTold(std::vector<store::Arrival>& arrivals, PhaseSet told)
{
    for (store::Arrival& arrival : arrivals)
        if (auto* spool = std::get_if<store::SpoolArrival>(&arrival))
            for (Record& record : spool->records)
                if (auto* sample = std::get_if<Sample>(&record)) {
                    sample->told = told;
                    ringside::keepTold(sample->phases, told);
                }
}

spec::Experiment measuredExperiment(const std::vector<std::string>& models)
{
    spec::Experiment experiment = plansExperiment({1, 2, 4}, 6, models);
    experiment.name = kMeasuredExperiment;
    experiment.question = "Which aggregation plan keeps four ranks busiest?";
    experiment.runs.iterations = kIterations;
    experiment.runs.warmup = kWarmup;
    return experiment;
}

CampaignPlan planOf(const store::Database& db, const spec::Experiment& experiment, const spec::Matrix& matrix)
{
    CampaignPlan plan;
    plan.campaign = CampaignId::random();
    plan.store = db.id();
    plan.experiment = experiment.name;
    plan.site = spec::kLocalSite;
    plan.worker = "/usr/lib/ringside/ringside-worker";
    for (const spec::PlannedRun& planned : matrix.runs) {
        const spec::Configuration& cell = matrix.configurations[planned.configuration];
        plan.runs.push_back({RunId::random(), 0, RunKind::run, cell.key, planned.repeat, cell.settings, cell.plan,
                             cell.iterations, cell.warmup, 1});
    }
    return plan;
}

Result<void> keep(store::Database& db, const spec::Experiment& experiment, const spec::Matrix& matrix)
{
    store::ExperimentEdit edit{experiment.name,
                               experiment.question,
                               experiment.site,
                               experiment.runs.repeats,
                               spec::writeExperiment(experiment),
                               {}};
    for (const spec::Configuration& cell : matrix.configurations)
        edit.cells.push_back({cell.key, cell.settings, cell.plan});
    return store::saveExperiment(db, edit);
}

Result<void> writeLogs(const RunSpec& run, const fs::path& attempt)
{
    TRY(makePrivateFolder(attempt));
    for (int rank = 0; rank < run.ranks(); ++rank)
        std::ofstream(layout::rankLog(attempt, rank)) << "rank " << rank << " of " << run.ranks() << " on alder\n"
                                                      << "warm-up: " << kWarmup << " iterations\n"
                                                      << "iteration " << kIterations << " of " << kIterations << '\n';
    return {};
}

/// Makes the files that stay on the site after a campaign.
Result<void> leaveOnSite(const CampaignPlan& plan, const fs::path& root)
{
    const fs::path folder = layout::campaignFolder(root, plan.campaign);
    TRY(makePrivateFolder(folder));
    TRY(writeFileAtomically(layout::planFile(folder), planToJson(plan)));
    for (const RunSpec& run : plan.runs)
        TRY(writeLogs(run, layout::attemptFolder(root, run.id, 1)));
    return {};
}

} // namespace

Result<void> addMeasuredExperiment(store::Database& db, const fs::path& root, const std::vector<std::string>& models,
                                   PhaseSet toldByOne)
{
    const spec::Experiment experiment = measuredExperiment(models);
    TRY_ASSIGN(const spec::Matrix matrix, spec::expand(experiment));
    TRY(keep(db, experiment, matrix));
    CampaignPlan plan = planOf(db, experiment, matrix);
    TRY(test::addCampaign(db, plan));
    for (const auto stage : {campaign::Stage::submitting, campaign::Stage::submitted})
        TRY(store::setStage(db, plan.campaign, stage));
    TRY_ASSIGN(store::Ingest ingest, store::Ingest::create(db));
    std::int64_t clock = wallNs() - kAge;
    for (const RunSpec& run : plan.runs) {
        std::vector<store::Arrival> arrivals = arrivalsOf(plan, run, clock);
        if (textOf(run.settings, "plan") == "one")
            keepTold(arrivals, toldByOne);
        TRY(ingest.drain(arrivals));
    }
    TRY(store::setStage(db, plan.campaign, campaign::Stage::ended));
    TRY(leaveOnSite(plan, root));
    TRY(store::refreshSummaries(db));
    return {};
}

store::RunRow measuredRunAs(const fs::path& path, RunState state, RunState from)
{
    const auto db = store::Database::openForReading(path);
    store::RunFilter filter;
    filter.experiment = kMeasuredExperiment;
    const std::vector<store::RunRow> runs = store::runs(db.value(), filter).value();
    store::RunRow run = *std::ranges::find(runs, from, &store::RunRow::state);
    run.state = state;
    return run;
}

} // namespace ringside::test
