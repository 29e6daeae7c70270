// SPDX-License-Identifier: MIT
// Results of the store: plain values, no handles. Times are wall-clock nanoseconds since 1970 unless noted otherwise.
#pragma once

#include "core/base/ids.h"
#include "core/campaign/stage.h"
#include "core/protocol/facts.h"
#include "core/protocol/reason.h"
#include "core/protocol/sample.h"
#include "core/protocol/sharedsettings.h"
#include "core/protocol/states.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ringside::store {

/// Counts of runs by state.
struct RunCounts
{
    int total = 0, queued = 0, running = 0, done = 0, failed = 0, cancelled = 0, unknown = 0;
    int held = 0; ///< of the queued: wait until their campaign is continued
    int unfinished() const { return total - done - failed - cancelled; }
    /// Counts what is done of a whole: a run that was cancelled is not.
    int carriedOut() const { return done + failed; }
    /// State of all together, while their site answers. Done: every run was, and none is left out by a cancel.
    RunState state() const
    {
        if (running > 0)
            return RunState::running;
        if (unfinished() > 0 || total == 0)
            return RunState::queued;
        if (failed > 0)
            return RunState::failed;
        return cancelled > 0 ? RunState::cancelled : RunState::done;
    }
    bool operator==(const RunCounts&) const = default;
};

struct ExperimentRow
{
    std::int64_t id = 0;
    std::string name;
    std::string question;
    std::string site;               ///< that its file names
    std::set<std::string> runSites; ///< of its runs: a launch may name another
    bool starred = false;
    bool archived = false;
    bool isImported = false; ///< all of its runs were read from logs
    RunCounts runs;          ///< those that isCounted()
    int configurations = 0;
    int repeats = 0;
    std::optional<std::int64_t> unknownSince; ///< set when its runs cannot be known
    std::int64_t changedAt = 0; ///< when it was saved, or one of its runs entered its state, whichever is later
};

struct RunRow
{
    RunId id;
    int number = 0;
    std::string experiment;
    std::string site;
    std::string configurationKey;
    SharedSettings settings; ///< every setting of the configuration, `site` and `plan` among them
    int ranksPerProcess = 1; ///< one log and one row of samples are of so many ranks
    int repeat = 1;
    int attempt = 0;        ///< the latest; 0 before the first
    int failedAttempts = 0; ///< of all of them: they stay counted after a retry
    RunKind kind = RunKind::run;
    RunState state = RunState::queued;
    std::int64_t since = 0;       ///< when it entered this state
    std::optional<Reason> reason; ///< why it ended so, or what it waits for
    Cause cause = Cause::none;
    std::vector<std::string> flags;       ///< by name (runflag.h), in the order there
    std::int64_t samples = 0;             ///< of the latest attempt, all ranks
    std::optional<double> itemsPerSecond; ///< DESIGN section 3, "Time"; null until known
    int iterations = 0;
    int warmup = 0;
    std::optional<double> seconds; ///< from the start of the latest attempt to its end; null until that
    std::uint32_t lastSeq = 0;     ///< highest iteration seen so far, for progress
    bool inMatrix = true;          ///< false: its cell is no longer in the experiment
    CampaignId campaign;           ///< the latest one
    bool inCampaign = false;       ///< that campaign has it still to do, or is at it
    bool held = false;             ///< waits until that campaign is continued
};

/// True of a run of the present matrix, or of an earlier one that is still carried out; trials are not counted.
inline bool isCounted(const RunRow& run)
{
    return run.kind != RunKind::trial && (run.inMatrix || !isFinal(run.state));
}

/// Per-rank sums over the steady iterations of one attempt: what lists and comparisons read instead of samples.
struct RankSummary
{
    int rank = 0;
    std::uint32_t iterations = 0; ///< steady ones
    std::uint64_t items = 0;      ///< in them
    std::int64_t lengthNs = 0;    ///< end of last warm-up iteration to end of last iteration
    PhaseTimes phaseSums{};
    std::int64_t readSum = 0, decodeSum = 0, commTotalSum = 0;
    std::uint64_t bytesSent = 0;
    std::uint64_t badItems = 0;
    float lastLoss = 0;
    PhaseSet told = PhaseSet::all(); ///< by each of the iterations; what some report beside that belongs to the rest
    /// Number of records that cover the iterations, where that is not one of each. Their lengths add up to `lengthNs`
    /// then: between them there may be more.
    std::uint32_t records = 0;
    std::uint32_t ofRanks = 1; ///< whose items and bytes they are
    /// Means over the time measured, 0 to 1, of Telemetry::ownCoresShare and GpuTelemetry::busyShare; absent where not
    /// known.
    std::optional<double> ownCoresShare = {}, gpuBusyShare = {};
    bool isInParts() const { return records > 0; }
};

/// Facts of the machines that a run was measured on, as facts.json of an attempt says, its latest unless another is
/// named; empty where nothing is known.
struct RunFacts
{
    std::string processor;                   ///< rank 0's: "AMD EPYC 7763 64-Core Processor"; of a GPU rank its GPU
    std::string torch;                       ///< "2.11.0", that Ringside's own engine or the system computes with
    std::string network;                     ///< "mpi: ob1 over self, tcp, vader"; of several nodes with rank 0's links
    std::string system = {};                 ///< "MXNet 1.9.1"; empty: Ringside's own engine
    std::string mxnet = {}, tensorflow = {}; ///< versions that the system computes with, which it may be itself
    bool operator==(const RunFacts&) const = default;
};

/// Data that a comparison needs of a run: its row and the summaries of its latest attempt's ranks.
struct MeasuredRun
{
    RunRow row;
    std::vector<RankSummary> ranks; ///< empty unless done
    RunFacts facts = {};
};

struct AttemptRow
{
    std::int64_t id = 0;
    RunId run;
    int attempt = 1;
    RunState state = RunState::starting;
    Cause cause = Cause::none;
    Reason reason = {};
    std::optional<int> lostRank;
    std::int64_t startedAt = 0, endedAt = 0; ///< 0: not yet
    std::vector<RankSummary> ranks;
};

/// Samples that a run's latest attempt left on its site and that were not to be had there.
struct LostSamples
{
    int run = 0; ///< its number
    std::int64_t samples = 0;
    bool isMost = false; ///< how far the attempt came is not known: there may have been fewer
    bool operator==(const LostSamples&) const = default;
};

/// At most 500 of these per attempt: throughput of all ranks over a span of iterations.
struct SeriesPoint
{
    double iteration = 0;                 ///< middle of the span
    double low = 0, median = 0, high = 0; ///< items/s
};

struct RankSample
{
    int rank = 0;
    Sample sample;
};

struct RankTelemetry
{
    int rank = 0;
    Telemetry telemetry;
};

struct RankGpuTelemetry
{
    int rank = 0;
    GpuTelemetry telemetry;
};

struct RankClockOffset
{
    int rank = 0;
    ClockOffset clock;
};

/// One iteration of one rank with its details; times of these are relative to the sample's start.
struct RankIteration
{
    int rank = 0;
    std::string host;
    Sample sample;
    std::vector<BucketTiming> buckets;
    std::vector<LayerTiming> layers; ///< empty where the worker recorded none
};

/// An iteration that was recorded in detail, on all ranks that have it.
struct DetailedIteration
{
    std::uint32_t seq = 0;
    std::vector<std::uint32_t> recorded; ///< all such iterations of the attempt, ascending
    std::vector<RankIteration> ranks;    ///< by rank; none if `seq` is not among the recorded ones
    std::vector<LayerFacts> layers;      ///< as the rank's are counted; empty where they were not examined
    std::vector<RankClockOffset> clocks; ///< of the attempt, by rank and time
    RunFacts facts;
};

/// The way in which a campaign is handed to its site, besides the plan.
struct Submission
{
    std::string scheduler; ///< as jobs::Submitter has it; empty where the relay starts the runner itself
    std::string script;    ///< as people saw it; empty without a scheduler
    bool operator==(const Submission&) const = default;
};

struct CampaignRow
{
    CampaignId id;
    std::string experiment;
    std::string site;
    campaign::Stage stage = campaign::Stage::waiting;
    bool held = false;      ///< no further run is started
    bool cancelled = false; ///< asked for; what has not ended will not be started
    std::int64_t createdAt = 0;
    std::optional<std::int64_t> contactLostAt; ///< since when its site, or its scheduler there, has not answered
    Reason note = {};                          ///< what its site says of it while it waits, or why nothing is known
    std::string job;                           ///< as the site calls it
    std::string planJson;                      ///< plan.json as it was or will be submitted
    Submission submission;
};

/// Position up to which a file of a campaign is stored; reading continues from here.
struct StoredCursor
{
    std::string path;         ///< below the site's root
    std::string file;         ///< UUID in the head of a spool; empty for a journal
    std::uint64_t offset = 0; ///< at a block or line border
    bool operator==(const StoredCursor&) const = default;
};

} // namespace ringside::store
