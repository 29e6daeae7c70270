// SPDX-License-Identifier: MIT
// Read-only questions to the store, by topic. Each function is one or few statements; blocking; call them off the GUI
// thread. Lists and comparisons never touch `samples` (DESIGN section 11).
#pragma once

#include "core/campaign/runchange.h"
#include "core/protocol/aggregationplan.h"
#include "core/store/database.h"
#include "core/store/rows.h"

#include <optional>
#include <string>
#include <vector>

namespace ringside::store {

Result<std::vector<ExperimentRow>> experiments(const Database& db);
Result<std::optional<ExperimentRow>> experimentByName(const Database& db, const std::string& name);
/// The TOML text of the latest revision.
Result<std::string> experimentText(const Database& db, const std::string& name);

struct RunFilter
{
    std::optional<std::string> experiment;
    std::optional<RunKind> kind;
    bool onlyInMatrix = false;
    int limit = 0; ///< 0: all
    int offset = 0;
};
/// By number, ascending.
Result<std::vector<RunRow>> runs(const Database& db, const RunFilter& filter = {});
Result<std::optional<RunRow>> runById(const Database& db, const RunId& id);
/// Those of them that there are, by number, in one question however many they are.
Result<std::vector<RunRow>> runsById(const Database& db, const std::vector<RunId>& ids);
Result<std::optional<RunRow>> runByNumber(const Database& db, int number);

/// The parts of the run's plan as it was launched, whatever its experiment says by now; nullopt: they cannot be read.
Result<std::optional<AggregationPlan>> planOf(const Database& db, const RunRow& run);
Result<std::vector<AttemptRow>> attempts(const Database& db, const RunId& run);
Result<std::optional<Facts>> facts(const Database& db, const RunId& run, int attempt);
/// The few of them that a caption names.
Result<RunFacts> runFacts(const Database& db, const RunId& run, int attempt);
Result<std::vector<SeriesPoint>> series(const Database& db, const RunId& run, int attempt);
/// The newest `lastIterations` iterations of every rank (0: all), by rank and seq.
Result<std::vector<RankSample>> samples(const Database& db, const RunId& run, int attempt, int lastIterations = 0);
/// Work of a rank from the end of its warm-up on.
struct SteadyWork
{
    int rank = 0;
    std::uint64_t items = 0;
    std::int64_t beginNs = 0;  ///< on its clock
    std::int64_t lengthNs = 0; ///< of its samples
};
/// In the iterations before `seq`, of an attempt whose rate is not known yet: the samples after that come from
/// samples(). By rank.
Result<std::vector<SteadyWork>> steadyWork(const Database& db, const RunId& run, int attempt, std::uint32_t seq);
/// By rank and time.
Result<std::vector<RankClockOffset>> clockOffsets(const Database& db, const RunId& run, int attempt);
/// The newest `lastReadings` of every rank (0: all), by rank and time. So the next.
Result<std::vector<RankTelemetry>> telemetry(const Database& db, const RunId& run, int attempt, int lastReadings = 0);
Result<std::vector<RankGpuTelemetry>> gpuTelemetry(const Database& db, const RunId& run, int attempt,
                                                   int lastReadings = 0);

/// One of the iterations recorded in detail: `seq`, else the last.
Result<DetailedIteration> detailedIteration(const Database& db, const RunId& run, int attempt,
                                            std::optional<std::uint32_t> seq = {});

/// Every run of the experiment, with what a comparison needs of it.
Result<std::vector<MeasuredRun>> measuredRuns(const Database& db, const std::string& experiment);

/// Oldest first.
Result<std::vector<CampaignRow>> campaigns(const Database& db, bool onlyUnfinished = false);
Result<std::optional<CampaignRow>> campaignById(const Database& db, const CampaignId& id);
/// Returns when a site was last in contact (wall clock, ns), as far as its campaigns show: contact ended then, or a run
/// began or ended, or a sample came. nullopt: never.
Result<std::optional<std::int64_t>> lastHeard(const Database& db, const std::string& site);
/// The runs whose latest campaign this is, as they were last known whether their site answers or not; by number.
Result<std::vector<campaign::RunChange>> runsOfCampaign(const Database& db, const CampaignId& id);
/// The runs that the campaign's site is to cancel.
Result<std::vector<RunId>> cancelledRuns(const Database& db, const CampaignId& id);
/// Returns lost samples of the runs of a campaign, by number: what done ones lack that no rank had dropped, and at most
/// what the others had made when the site lost the campaign. After refreshSummaries.
Result<std::vector<LostSamples>> lostSamples(const Database& db, const CampaignId& campaign);
/// Returns the positions up to which the files of a campaign have been read.
Result<std::vector<StoredCursor>> cursors(const Database& db, const CampaignId& campaign);
/// The same of all campaigns, at whichever site, and of those that were deleted: their files may still be there.
Result<std::vector<StoredCursor>> cursors(const Database& db);

/// Median seconds per run of this configuration so far; nullopt before the first.
Result<std::optional<double>> typicalSeconds(const Database& db, const std::string& configurationKey);

} // namespace ringside::store
