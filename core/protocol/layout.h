// SPDX-License-Identifier: MIT
// Where things lie under a site's root. The one definition of these names, for the app, the agent and the worker.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/ids.h"

namespace ringside::layout {

//   campaigns/<uuid>/{plan.json, journal, script, scheduler, submitting, job, lease-k/owner,
//                     control/{hold, cancel, cancel-<run>}, runner.log}
//   runs/<uuid>/attempt-k/{rank-r.spool, facts.json, rank-r.log, rank-r.exit, runner.log, runner-heartbeat, meeting}
//   bin/<version>/<os>-<arch>-<hash>/ringside-agent
//   workers/<key>/{ringside-worker, worker.json, build.log, progress, lease-k/}   workers/source-<hash>.tar.gz
//   torch/<name>/torch/   data/   turn

/// Packed pictures lie beside their folder, under its name and this.
inline constexpr std::string_view kRecordsSuffix = ".records";

inline fs::path campaignsFolder(const fs::path& root)
{
    return root / "campaigns";
}
inline fs::path campaignFolder(const fs::path& root, const CampaignId& id)
{
    return root / "campaigns" / id.str();
}
inline fs::path planFile(const fs::path& campaign)
{
    return campaign / "plan.json";
}
inline fs::path journalFile(const fs::path& campaign)
{
    return campaign / "journal";
}
inline fs::path scriptFile(const fs::path& campaign)
{
    return campaign / "script";
}
/// The name of the scheduler that the campaign was given to; absent where its runner is started directly.
inline fs::path schedulerFile(const fs::path& campaign)
{
    return campaign / "scheduler";
}
/// Locked while the campaign is handed over.
inline fs::path submittingFile(const fs::path& campaign)
{
    return campaign / "submitting";
}
inline fs::path jobFile(const fs::path& campaign)
{
    return campaign / "job";
}
inline fs::path runnerLog(const fs::path& campaign)
{
    return campaign / "runner.log";
}
inline fs::path controlFolder(const fs::path& campaign)
{
    return campaign / "control";
}
inline fs::path holdFile(const fs::path& campaign)
{
    return controlFolder(campaign) / "hold";
}
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
inline fs::path spoolFile(const fs::path& attempt, int rank)
{
    return attempt / ("rank-" + std::to_string(rank) + ".spool");
}
inline fs::path rankLog(const fs::path& attempt, int rank)
{
    return attempt / ("rank-" + std::to_string(rank) + ".log");
}
inline fs::path rankExit(const fs::path& attempt, int rank)
{
    return attempt / ("rank-" + std::to_string(rank) + ".exit");
}
inline fs::path attemptLog(const fs::path& attempt)
{
    return attempt / "runner.log";
}
/// By which the guards of several nodes hold on to their runner.
inline fs::path runnerHeartbeatFile(const fs::path& attempt)
{
    return attempt / "runner-heartbeat";
}
/// By which ranks without MPI find each other; holds their secret.
inline fs::path meetingFile(const fs::path& attempt)
{
    return attempt / "meeting";
}
inline fs::path factsFile(const fs::path& attempt)
{
    return attempt / "facts.json";
}
/// Locked by the runner whose campaign this computer carries out.
inline fs::path turnFile(const fs::path& root)
{
    return root / "turn";
}
inline fs::path dataFolder(const fs::path& root)
{
    return root / "data";
}

inline fs::path binFolder(const fs::path& root)
{
    return root / "bin";
}
/// `system` is "linux-x86_64", `hash` the SHA-256 of the agent's file: versions and builds lie side by side.
inline fs::path agentFile(const fs::path& root, const std::string& version, const std::string& system,
                          const std::string& hash)
{
    return binFolder(root) / version / (system + "-" + hash.substr(0, 12)) / "ringside-agent";
}
inline fs::path workersFolder(const fs::path& root)
{
    return root / "workers";
}
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
inline fs::path workerProgram(const fs::path& worker)
{
    return worker / "ringside-worker";
}
/// The CUDA plug-in of a worker, beside its program; there if it was built with CUDA.
inline fs::path workerCudaPlugin(const fs::path& worker)
{
    return worker / "ringside-worker-cuda.so";
}
/// Its CUDA graphs; there if its libtorch's headers fit those of CUDA.
inline fs::path workerGraphPlugin(const fs::path& worker)
{
    return worker / "ringside-worker-cudagraph.so";
}
inline fs::path workerFile(const fs::path& worker)
{
    return worker / "worker.json";
}
inline fs::path buildLog(const fs::path& worker)
{
    return worker / "build.log";
}
inline fs::path buildProgress(const fs::path& worker)
{
    return worker / "progress";
}
/// Private installations of torch.
inline fs::path torchFolder(const fs::path& root)
{
    return root / "torch";
}

/// A root as people write it, for use in commands: "~/x" is "x". Fails with usage for one that no shell should see.
Result<std::string> checkedRoot(const std::string& root);

} // namespace ringside::layout
