// SPDX-License-Identifier: MIT
// Compares runs: they are grouped by configuration, with every measure of a group and the base case of each.
// Pure: values in, values out; any thread. Formulas: core/stats/STATISTICS.md.
#pragma once

#include "core/base/error.h"
#include "core/report/figuredata.h"
#include "core/report/items.h"
#include "core/spec/basecase.h"
#include "core/spec/scaling.h"
#include "core/stats/phases.h"
#include "core/stats/window.h"
#include "core/store/rows.h"

#include <array>
#include <map>
#include <set>

namespace ringside::report {

class ComparedKind;
extern const ComparedKind& kThroughput; // kinds/kinds.h

struct CompareRequest
{
    const ComparedKind* kind = &kThroughput; ///< what is shown
    spec::Experiment experiment;             ///< declares the factors, the order of their levels and the base rule
    std::optional<Settings> base;            ///< replaces the experiment's rule
    std::map<std::string, std::vector<Value>>
        leftOut;                    ///< factor to levels that are not shown (they may still be a base case)
    bool leaveOutDisturbed = false; ///< then they are counted, but not in n
    bool keepNan = false;           ///< runs whose loss was not a number are counted, and in n only with this
};

/// A value with its 95 % interval; no value without runs, no interval below six runs (on either side of a ratio or a
/// difference).
struct Measure
{
    std::optional<double> value, low, high;
};

/// Values that a group would show with its disturbed runs left out, or with them if they are left out.
struct Otherwise
{
    int n = 0;
    Measure measure; ///< that which is shown
};

/// Resources that all processes of a run use: the ranks, and servers, schedulers and the like. 0: not reported.
struct Resources
{
    int processes = 0, nodes = 0, cores = 0;
    bool areMoreThanRanks = false;
};

/// Flags of a group beside those of its runs (core/store/runflag.h).
namespace groupflag {
inline constexpr const char* kLossy = "lossy";
inline constexpr const char* kAsynchronous = "asynchronous";
inline constexpr const char* kImported = "imported";
} // namespace groupflag

/// A system's times less those of Ringside's engine with the plan of its design, ms: medians over runs.
struct AgainstDesign
{
    Settings design; ///< the configuration that it is set against
    int n = 0;       ///< runs of that
    Measure iteration;
    std::array<Measure, kPhaseCount> phases; ///< indexed by Phase; no value of those that one of both does not tell
    spec::Differences differs;               ///< from the design, beside the factors: settings and facts
};

/// The runs of one configuration.
struct Group
{
    std::string key;                    ///< configuration key
    Settings settings;                  ///< every setting of the configuration
    std::vector<RunId> runs;            ///< those in n, by number
    std::vector<double> rates;          ///< items/s of each of them
    int failed = 0;                     ///< attempts, retried ones included; never in n
    int disturbed = 0;                  ///< in n unless left out
    std::map<std::string, int> flags;   ///< flag to how many finished runs bear it, those left out of n among them
    std::map<std::string, int> leftOut; ///< flag to how many finished runs bear it that are not in n
    int finishedOut = 0;                ///< finished runs that are not in n
    int unmeasured = 0;                 ///< those of them without a rate: a rank has no iteration after the warm-up
    std::vector<stats::Window> windows; ///< what was measured of each run in n
    /// "processor", "network", "system", and what it computes with: "torch", "mxnet", "tensorflow"; of the runs in n.
    std::map<std::string, std::set<std::string>> facts;
    Measure throughput;                           ///< items/s: median over runs
    Measure speedup, efficiency;                  ///< against `base`; efficiency is 0 to 1
    Measure efficiencyPerNode;                    ///< the same over nodes; absent where there are as many
    ByUtilised<Measure> utilisation;              ///< 0 to 1: medians over runs; none where one run reports none
    stats::MeanIteration iteration;               ///< mean over steady iterations, ranks, runs
    std::vector<stats::MeanIteration> iterations; ///< of each run in n
    std::optional<std::size_t> base;              ///< index into Comparison::cases
    bool isBase = false;
    spec::Differences differs; ///< from its base, beside the factors: settings and facts
    /// For imported runs: setting to the other levels that the experiment's own runs have which stand beside them;
    /// nullopt: none is given.
    std::map<std::string, std::set<std::optional<Value>>> differsFromOwn;
    int servers = 0;           ///< of its plan or its system; they are no ranks
    Resources used;            ///< by each of its runs
    bool lossy = false;        ///< its plan compresses gradients
    bool asynchronous = false; ///< the workers of its plan do not wait for each other; it may be lossy as well
    /// Base cases of another engine that the rule does not distinguish; `base` is none then.
    std::vector<Settings> several;
    /// Set where disturbed runs, its own or those of its base case, change its median by more than half the interval's
    /// width; where there is no interval, by anything.
    std::optional<Otherwise> otherwise;
    std::optional<AgainstBest>
        againstBest; ///< set by addStandings; absent where nothing else answers the same question
    /// Set where phases are shown, and with a system the plan of its design (againstdesign.h).
    std::optional<AgainstDesign> againstDesign;

    int n() const { return static_cast<int>(runs.size()); }
};

struct BaseCase
{
    Settings settings;
    int n = 0;
    Measure throughput;                                 ///< items/s
    std::map<std::string, std::set<std::string>> facts; ///< as Group::facts
};

struct Comparison
{
    std::string experiment;
    const ComparedKind* kind = &kThroughput;
    bool disturbedLeftOut = false;
    bool nanKept = false;
    std::map<std::string, std::vector<Value>> leftOut; ///< factor to levels that are not among the groups
    std::optional<std::string> noOtherwise; ///< why nothing is shown at all with the other choice about disturbed runs
    std::string comparedFactor; ///< set by addStandings: whose levels are set against each other; empty: of none
    Settings where;             ///< the base rule; empty if there is none
    std::map<std::string, int> basesLeftOut; ///< as Group::leftOut, of all groups that the rule names
    bool isBaseBatchUntold = false;          ///< of all groups, too: isBatchUntold() of those that the rule names
    std::vector<BaseCase> cases;
    std::optional<std::string> noSpeedup; ///< why rates are shown without the speed-ups that a base rule asks for
    spec::Scaling scaling = spec::Scaling::none; ///< of the groups that have runs, and their base cases
    std::vector<spec::Factor> factors;           ///< those that vary among the groups, levels in the experiment's order
    bool hasSystemsWay = false; ///< a group's plan is the own way of its system (spec::kOwnPlan), which is no level
    std::map<std::string, AggregationPlan> ownPlans; ///< of the experiment's own, those of groups and unshownBases()
    std::vector<Group> groups;   ///< cells of the matrix, by the order of levels; some may have no runs yet
    std::vector<Group> basesOut; ///< base cases that are left out of the groups
    int chosen = 0, total = 0;   ///< runs in the groups shown; runs of the matrix
};

/// Base cases that measured groups are set against but that are left out of them: a figure of ratios depends on them,
/// so that it says of them what it says of groups. None of another figure. `comparison` must outlive the answer.
std::vector<const Group*> unshownBases(const Comparison& comparison);

/// Returns that of the groups that have runs, and their base cases.
spec::Scaling scalingOf(const Comparison& comparison);

/// Returns the values of a group's.
Utilisation utilisationOf(const Group& group);

/// Returns why no run of it can be compared: it calibrates its site. nullopt: they can.
std::optional<Error> whyNotCompared(const spec::Experiment& experiment);

/// Returns what was measured of a run; nothing of one that is not done.
stats::Window windowOf(const store::MeasuredRun& run);

/// Groups the runs and computes all measures. Trials, calibrations and runs that are no longer in the matrix are left
/// out. Fails with usage if whyNotCompared, or as the kind's check does.
Result<Comparison> compare(const std::vector<store::MeasuredRun>& runs, const CompareRequest& request);

/// Returns what its rates count: by the groups that have runs; by all if none has any.
std::set<Items> kindsOfItems(const Comparison& comparison);
/// All of these together.
Items itemsOf(const Comparison& comparison);

/// The text of `compare --json` (CONTRACTS, "Programs").
std::string comparisonToJson(const Comparison& comparison);

} // namespace ringside::report
