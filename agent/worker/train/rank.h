// SPDX-License-Identifier: MIT
// This process as one of the ranks: its peers, its cores, its spool, and how it ends.
#pragma once

#include "agent/rank/telemetrythread.h"
#include "agent/worker/collectives/watched.h"
#include "agent/worker/cuda/pluginloader.h"
#include "agent/worker/runtime/openspool.h"
#include "agent/worker/runtime/termination.h"
#include "agent/worker/runtime/waitpolicy.h"
#include "agent/worker/timing/phaseclock.h"
#include "agent/worker/train/failure.h"
#include "agent/worker/train/trainsettings.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace ringside {

/// Evaluates the ranks' votes: a loss is no number, or a rank was told to end. Returns the code to go on or to end
/// with.
int codeOf(std::span<const float, 2> votes);

/// From here on the rank shows that it is alive. Construct before any other thread exists; one in a process.
class Rank
{
public:
    Rank();
    ~Rank();

    /// Loads libtorch's part for GPUs where the run wants one, joins the peers, binds the process to its cores, opens
    /// the spool, starts telemetry and heartbeats.
    Outcome<void> start(const TrainSettings& settings);

    /// The ranks that train; on a server rank, the servers.
    Communicator& communicator() { return m_peers ? *m_peers : *m_world; }
    /// All processes: the ranks that train, then the servers. Their number here is the rank's in its files.
    Communicator& world() { return *m_world; }
    bool isServer() const { return m_world->rank() >= m_training; }
    Recorder& recorder() { return *m_recorder; }
    PhaseClock& clock() { return m_clock; }
    const std::vector<int>& cores() const { return m_cores; }
    bool terminationRequested() const { return m_termination.requested(); }
    /// "cpu", or the name of the GPU that this rank computes on.
    std::string device() const { return m_gpu ? m_gpu->name : "cpu"; }
    /// The transport in use and the reason, where the run leaves the choice to a rule.
    const std::string& choiceOfTransport() const { return m_choiceOfTransport; }
    bool isFirst() const { return m_world->rank() == 0; }
    /// Those that train.
    int ranksOnHost() const;
    /// Counts only ranks that train.
    int rankOnHost() const;
    /// Those that serve.
    int serversOnHost() const;

    /// Puts this host's clock beside rank 0's into the spool. Collective among the ranks that train.
    Result<void> recordClock();

    /// The code that all processes end with: the worst of all ranks' codes. Collective where there are servers; the
    /// ranks by themselves have agreed before.
    Result<int> agreeOnEnd(int exitCode);

    /// Completes the spool. All ranks end with the same code.
    int end(int exitCode);
    /// Completes the spool, writes the reason to stderr, and ends the other ranks. Returns the exit code for a single
    /// rank without a GPU.
    int end(const Failure& failure);

private:
    Outcome<void> findGpu(const TrainSettings& settings);
    Outcome<void> bind(const TrainSettings& settings);
    Outcome<void> openSpool(const TrainSettings& settings);
    void note(const Record& record);
    TelemetryThread::Gpu gpuReadings();
    int countOnHost(std::span<const std::string> hosts) const;
    [[noreturn]] void giveUp();

    PhaseClock m_clock;
    OpenSpool m_openSpool; ///< for giveUp, which runs on another thread
    Termination m_termination;
    int m_training = 1; ///< processes that are no servers
    CommunicationWatch m_watch;
    std::unique_ptr<Communicator> m_world;
    std::string m_choiceOfTransport;
    std::unique_ptr<Communicator> m_peers; ///< null where there are no servers
    std::vector<std::string> m_hosts;      ///< by process
    std::vector<int> m_cores;
    std::optional<WaitPolicy> m_waitPolicy;
    std::optional<cuda::Device> m_gpu; ///< that it computes on
    std::unique_ptr<Recorder> m_recorder;
    std::unique_ptr<TelemetryThread> m_telemetry;
};

} // namespace ringside
