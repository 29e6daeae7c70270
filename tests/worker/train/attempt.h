// SPDX-License-Identifier: MIT
// One attempt of one run, carried out by the real program: plan.json in, spools out.
#pragma once

#include "agent/worker/collectives/rankgroup.h"
#include "core/protocol/plan.h"
#include "core/protocol/sample.h"
#include "tests/support/temporaryfolder.h"

#include <optional>
#include <string>
#include <vector>

namespace ringside::test {

struct Spool
{
    int worldSize = 0;
    std::vector<Sample> samples;
    std::vector<BucketTimings> buckets;
    std::vector<LayerTimings> layers;
    int heartbeats = 0;
    int telemetry = 0;
    int clockPairs = 0;
    std::vector<ClockOffset> clocks;
    std::vector<Canary> canaries;
    std::optional<End> end;
};

class Attempt
{
public:
    /// lenet at 32 pixels on synthetic data, unless changed before the start.
    explicit Attempt(int ranks = 1);

    RunSpec run;
    std::vector<std::string> options; ///< of the worker
    std::string command = "train";    ///< the other one is calibrate
    std::string worker;               ///< another program than ringside-worker
    Meeting meeting = Meeting::mpi;   ///< how its ranks find each other
    std::chrono::seconds grace{1};    ///< that mpirun gives its ranks when it ends them

    /// Writes the plan and starts the worker.
    RankGroup start();
    /// Starts it and waits for its end.
    int exitCode();
    /// With what the worker says.
    std::pair<int, std::string> exitCodeAndWords();

    /// Returns the content of the rank's spool now; whole blocks only. Empty while there is no file.
    Spool spool(int rank) const;
    std::string facts() const;
    const fs::path& folder() const { return m_folder.path(); }

private:
    TemporaryFolder m_folder;
};

/// An all-reduce plan by its name in experiment files: one, one-overlapped, buckets, buckets-after; small buckets.
AggregationPlan planNamed(const std::string& name);

/// Small buckets, overlapped, whose updates these servers own.
AggregationPlan servedBy(int servers, bool asynchronous = false);

/// Children of mpirun, or of this process where the ranks met by TCP, that are ranks, by rank; empty until all are
/// there.
std::vector<pid_t> ranksOf(pid_t parent, int ranks);

} // namespace ringside::test
