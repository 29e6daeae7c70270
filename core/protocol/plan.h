// SPDX-License-Identifier: MIT
// plan.json: everything the runner needs to carry out a campaign with the window closed. Immutable once written.
#pragma once

#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/protocol/aggregationplan.h"
#include "core/protocol/calibration.h"
#include "core/protocol/engine.h"
#include "core/protocol/role.h"
#include "core/protocol/sharedsettings.h"
#include "core/protocol/states.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ringside {

/// The highest that is read. 1 is written wherever its readers understand the plan.
inline constexpr int kPlanFormat = 5;
inline constexpr std::size_t kMaxPlanBytes = 24u << 20; ///< 10,000 runs with every setting; fits a frame with a script

/// One run as the runner and the worker see it.
struct RunSpec
{
    RunId id;
    int number = 0; ///< display number, for logs
    RunKind kind = RunKind::run;
    std::string configurationKey;
    int repeat = 1;          ///< from 1
    SharedSettings settings; ///< all resolved settings of the configuration
    AggregationPlan plan;
    int iterations = 1; ///< all, warm-up included
    int warmup = 0;
    std::uint64_t seed = 1;                            ///< weights and data order
    std::optional<CalibratedCost> calibratedCost = {}; ///< of plans that merge layers; absent: the worker measures
    int attempts = 0; ///< so many are known already, whatever lies on the site: the next one has a higher number
    std::vector<Role> roles = {}; ///< what runs beside the ranks, in the order of their processes
    int ranksPerProcess = 1;      ///< a process of some systems trains all ranks of its node, as one with several GPUs
    bool operator==(const RunSpec&) const = default;

    int ranks() const;        ///< that train: settings["ranks"], 1 if absent
    int nodes() const;        ///< of these: settings["nodes"], 1 if absent; never more than there are ranks
    int ranksPerNode() const; ///< the ranks over the nodes, rounded up: nodes are filled one after the other

    int rankProcesses() const;        ///< that are ranks, or several each
    int ranksOf(int process) const;   ///< how many a process is; 0 for one of another role
    int nodeOf(int process) const;    ///< of a process that is a rank
    int rankProcessesPerNode() const; ///< nodes are filled one after the other
    bool leads(int process) const;    ///< it trains, and reports it
    int processes() const;            ///< those of ranks, then the roles: rankProcesses() to processes() - 1
    int allNodes() const;             ///< nodes, then those that have no rank
    int processesPerNode() const;     ///< the most on one node
};

/// Seconds without an iteration or a printed line after which a run is ended as hung, unless ten of its iterations take
/// longer.
inline constexpr int kHungAfterSeconds = 60;
inline constexpr int kLeastHungAfterSeconds = 10;
inline constexpr int kMostHungAfterSeconds = 86'400;

struct CampaignPlan
{
    CampaignId campaign;
    StoreId store;
    std::string experiment;
    std::string site;
    /// Starts the processes of an attempt that has several (core/jobs/launchers): "mpirun" for that of whichever MPI is
    /// there, "direct" without MPI, or a certain one by its name.
    std::string launcher = "mpirun";
    std::string worker;     ///< absolute path of ringside-worker on the site
    std::string dataFolder; ///< where synthetic-files live on the site
    std::optional<int> timeLimitSeconds;
    int hungAfterSeconds = kHungAfterSeconds;
    std::vector<RunSpec> runs;             ///< in the order of execution
    std::vector<std::string> hosts;        ///< without a scheduler: the nodes, as ssh knows them
    std::vector<std::string> launchPrefix; ///< words before the worker's command: apptainer exec --nv image.sif
    std::map<std::string, Engine> engines; ///< by the level of the setting `engine`, those that are not Ringside's own
    bool operator==(const CampaignPlan&) const = default;
};

/// JSON text of a plan, and back; the reader checks format, types and ranges and names the field it refuses.
std::string planToJson(const CampaignPlan& plan);
/// The same of one that is to be handed over: fails with usage where its reader would find it too long.
Result<std::string> planToSend(const CampaignPlan& plan);
Result<CampaignPlan> planFromJson(std::string_view text);

} // namespace ringside
