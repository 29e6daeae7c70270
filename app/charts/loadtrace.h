// SPDX-License-Identifier: GPL-3.0-or-later
// The load of the hosts and GPUs of one attempt: telemetry of all ranks in, the points of small lines out. Bounded. No
// Qt; one thread.
#pragma once

#include "core/protocol/sample.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>

namespace ringside {

/// Ranks of one host report the same host: its load is that of the lowest rank, memory is added up over the ranks.
struct HostLoad
{
    double cpuShare = 0, foreignShare = 0;
    std::uint64_t memoryBytes = 0;
    std::optional<double> diskBytesPerSecond; ///< since the reading before; nullopt: it is the first
};

/// Each rank has its own GPU: load is the mean over ranks, memory that of the fullest, power the sum, the clock that of
/// the slowest.
struct GpuLoad
{
    double busyShare = 0, memoryShare = 0;
    std::uint64_t memoryBytes = 0, milliwatts = 0;
    std::uint32_t smMegahertz = 0;
};

class LoadTrace
{
public:
    static constexpr std::size_t kPoints = 120; ///< stored: two minutes at 1 Hz

    /// The point that this reading makes; nullopt for a rank that is not the lowest: it counts with the next one.
    std::optional<HostLoad> add(int rank, const Telemetry& telemetry);
    std::optional<GpuLoad> add(int rank, const GpuTelemetry& telemetry);

    const std::deque<HostLoad>& hosts() const { return m_hosts; }
    const std::deque<GpuLoad>& gpus() const { return m_gpus; }
    /// The last reading of each rank.
    const std::map<int, Telemetry>& last() const { return m_last; }
    const std::map<int, GpuTelemetry>& lastGpu() const { return m_lastGpu; }

private:
    std::deque<HostLoad> m_hosts;
    std::deque<GpuLoad> m_gpus;
    std::map<int, Telemetry> m_last;
    std::map<int, GpuTelemetry> m_lastGpu;
};

} // namespace ringside
