// SPDX-License-Identifier: MIT
// Names the places under a site's root. The one definition of these names, for the app, the agent and the worker.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/ids.h"

namespace ringside::layout {

//   campaigns/<uuid>/{plan.json, journal, script, scheduler, submitting, job, lease-k/owner,
//                     control/{hold, cancel, cancel-<run>}, runner.log}
//   runs/<uuid>/attempt-k/{rank-r.spool, facts.json, rank-r.log, rank-r.exit, rank-r.facts, runner.log,
//   runner-heartbeat,
//                          meeting}
//   bin/<version>/<os>-<arch>-<hash>/ringside-agent
//   workers/<key>/{ringside-worker, ringside-gpuload, worker.json, build.log, progress, lease-k/}
//   workers/source-<hash>.tar.gz
//   torch/<name>/torch/   drivers/<hash>/   engines/<name>/   data/   turn

/// A file or folder of always the same name, by the folder that it lies in.
struct Below
{
    const char* name;
    fs::path operator()(const fs::path& folder) const { return folder / name; }
};

/// A file of a rank, by the folder of its attempt.
struct OfRank
{
    const char* suffix;
    fs::path operator()(const fs::path& attempt, int rank) const
    {
        return attempt / ("rank-" + std::to_string(rank) + suffix);
    }
};

/// Packed pictures lie beside their folder, under its name and this.
inline constexpr std::string_view kRecordsSuffix = ".records";

inline constexpr Below campaignsFolder{"campaigns"};
inline fs::path campaignFolder(const fs::path& root, const CampaignId& id)
{
    return campaignsFolder(root) / id.str();
}
inline constexpr Below planFile{"plan.json"};
inline constexpr Below journalFile{"journal"};
inline constexpr Below scriptFile{"script"};
/// The name of the scheduler that the campaign was submitted to; absent where its runner is started directly.
inline constexpr Below schedulerFile{"scheduler"};
/// Locked while the campaign is handed over.
inline constexpr Below submittingFile{"submitting"};
inline constexpr Below jobFile{"job"};
inline constexpr Below runnerLog{"runner.log"};
inline constexpr Below controlFolder{"control"};
inline constexpr Below holdFile{"control/hold"};
inline fs::path cancelFile(const fs::path& campaign)
{
    return controlFolder(campaign) / "cancel";
}
inline fs::path cancelFile(const fs::path& campaign, const RunId& run)
{
    return controlFolder(campaign) / ("cancel-" + run.str());
}
inline fs::path leaseFolder(const fs::path& campaign, int k)
{
    return campaign / ("lease-" + std::to_string(k));
}

inline fs::path runFolder(const fs::path& root, const RunId& id)
{
    return root / "runs" / id.str();
}
inline fs::path attemptFolder(const fs::path& root, const RunId& id, int attempt)
{
    return runFolder(root, id) / ("attempt-" + std::to_string(attempt));
}
inline constexpr OfRank spoolFile{".spool"};
inline constexpr OfRank rankLog{".log"};
inline constexpr OfRank rankExit{".exit"};
/// States where a rank of a system runs, for the facts of its attempt.
inline constexpr OfRank rankFactsFile{".facts"};
inline constexpr Below attemptLog{"runner.log"};
/// By it the guards of several nodes notice the end of their runner.
inline constexpr Below runnerHeartbeatFile{"runner-heartbeat"};
/// By it ranks without MPI find each other; holds their secret.
inline constexpr Below meetingFile{"meeting"};
inline constexpr Below factsFile{"facts.json"};
/// Locked by the runner whose campaign this computer carries out. Older versions lock a file of this name, too.
inline constexpr Below campaignLockFile{"turn"};
inline constexpr Below dataFolder{"data"};

inline constexpr Below binFolder{"bin"};
/// `system` is "linux-x86_64", `hash` the SHA-256 of the agent's file: versions and builds lie side by side.
inline fs::path agentFile(const fs::path& root, const std::string& version, const std::string& system,
                          const std::string& hash)
{
    return binFolder(root) / version / (system + "-" + hash.substr(0, 12)) / "ringside-agent";
}
inline constexpr Below workersFolder{"workers"};
/// `hash` is the SHA-256 of the bundle.
inline fs::path sourceFile(const fs::path& root, const std::string& hash)
{
    return workersFolder(root) / ("source-" + hash.substr(0, 12) + ".tar.gz");
}
/// `key` says what the worker is built from.
inline fs::path workerFolder(const fs::path& root, const std::string& key)
{
    return workersFolder(root) / key;
}
inline constexpr Below workerProgram{"ringside-worker"};
/// The CUDA plug-in of a worker, beside its program; there if it was built with CUDA.
inline constexpr Below workerCudaPlugin{"ringside-worker-cuda.so"};
/// Its CUDA graphs; there if its libtorch's headers fit those of CUDA.
inline constexpr Below workerGraphPlugin{"ringside-worker-cudagraph.so"};
/// The program beside it that reads the load of GPUs, also for other systems.
inline constexpr Below gpuLoadProgram{"ringside-gpuload"};
inline constexpr Below workerFile{"worker.json"};
inline constexpr Below buildLog{"build.log"};
inline constexpr Below buildProgress{"progress"};
/// Private installations of torch.
inline constexpr Below torchFolder{"torch"};
/// Drivers of systems, in folders named by what is in them.
inline constexpr Below driversFolder{"drivers"};
/// Private installations of systems.
inline constexpr Below enginesFolder{"engines"};

/// A root as people write it, for use in commands: "~/x" is "x". Fails with usage for one that no shell should see.
Result<std::string> checkedRoot(const std::string& root);

} // namespace ringside::layout
