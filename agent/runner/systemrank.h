// SPDX-License-Identifier: MIT
// A process of a system that is not Ringside's own engine, as its guard has it: what it is started with, its cores, and
// what is recorded of it.
#pragma once

#include "agent/runner/outputrecords.h"
#include "core/jobs/programs/system.h"
#include "core/protocol/plan.h"

#include <functional>
#include <memory>
#include <vector>

namespace ringside::runner {

struct SystemRankOptions
{
    fs::path attempt, plan, log;
    RunId run;
    int process = 0;
    int localRank = 0;             ///< among all processes of this node
    bool isHere = true;            ///< all processes are on this host
    std::function<bool()> isToEnd; ///< while it waits for the others
};

class SystemRank
{
public:
    /// Reads the plan, meets the other processes where that is needed, makes the spool. Blocks until all are there, for
    /// minutes at most.
    static OrReason<std::unique_ptr<SystemRank>> prepare(const SystemRankOptions& options);

    const jobs::ProcessStart& start() const { return m_start; }
    /// That it is to be bound to.
    const std::vector<int>& cores() const { return m_cores; }
    OutputRecords& records() { return *m_records; }
    /// The load of the GPUs of its process, if it uses some. Where it cannot be read, `log`, a descriptor, gets why.
    TelemetryThread::Gpu gpuReadings(pid_t process, int log) const;

private:
    SystemRank() = default;

    jobs::ProcessStart m_start;
    std::vector<int> m_cores;
    std::unique_ptr<OutputRecords> m_records;
    fs::path m_gpuLoad; ///< the program that reads it
    int m_gpus = 0;     ///< that the process uses
};

} // namespace ringside::runner
