// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/loadtrace.h"

#include <algorithm>

namespace ringside {

namespace {

template <class Load> std::optional<Load> kept(std::deque<Load>& loads, const Load& load)
{
    loads.push_back(load);
    if (loads.size() > LoadTrace::kPoints)
        loads.pop_front();
    return load;
}

} // namespace

std::optional<HostLoad> LoadTrace::add(int rank, const Telemetry& telemetry)
{
    HostLoad load{telemetry.cpuShare, telemetry.foreignCpuShare, 0, std::nullopt};
    if (const auto before = m_last.find(rank); before != m_last.end() && before->second.atNs < telemetry.atNs) {
        const double seconds = double(telemetry.atNs - before->second.atNs) / 1e9;
        load.diskBytesPerSecond =
            double(telemetry.diskReadBytes - std::min(telemetry.diskReadBytes, before->second.diskReadBytes)) / seconds;
    }
    m_last.insert_or_assign(rank, telemetry);
    if (rank != m_last.begin()->first)
        return std::nullopt;
    for (const auto& [other, last] : m_last)
        load.memoryBytes += last.memoryBytes;
    return kept(m_hosts, load);
}

std::optional<GpuLoad> LoadTrace::add(int rank, const GpuTelemetry& telemetry)
{
    m_lastGpu.insert_or_assign(rank, telemetry);
    if (rank != m_lastGpu.begin()->first)
        return std::nullopt;
    GpuLoad load;
    load.smMegahertz = telemetry.smMegahertz;
    for (const auto& [other, last] : m_lastGpu) {
        load.busyShare += last.busyShare / double(m_lastGpu.size());
        load.milliwatts += last.powerMilliwatts;
        load.smMegahertz = std::min<std::uint32_t>(load.smMegahertz, last.smMegahertz);
        const double share = last.memoryBytes ? double(last.memoryUsedBytes) / double(last.memoryBytes) : 0;
        if (share >= load.memoryShare) {
            load.memoryShare = share;
            load.memoryBytes = last.memoryUsedBytes;
        }
    }
    return kept(m_gpus, load);
}

} // namespace ringside
