// SPDX-License-Identifier: MIT
#include "agent/gpuload/rankgpus.h"

#include "core/base/clock.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ringside {

namespace {

constexpr std::int64_t kLookNs = 5'000'000'000;

std::uint32_t sumOfForeign(std::uint32_t one, std::uint32_t other)
{
    const bool isKnown = one != GpuTelemetry::kUnknown && other != GpuTelemetry::kUnknown;
    return isKnown ? one + other : GpuTelemetry::kUnknown;
}

void add(GpuTelemetry& sum, const GpuTelemetry& gpu)
{
    sum.busyShare += gpu.busyShare;
    sum.memoryUsedBytes += gpu.memoryUsedBytes;
    sum.memoryBytes += gpu.memoryBytes;
    sum.powerMilliwatts += gpu.powerMilliwatts;
    sum.smMegahertz = std::min(sum.smMegahertz, gpu.smMegahertz);
    sum.memoryMegahertz = std::min(sum.memoryMegahertz, gpu.memoryMegahertz);
    sum.clockReasons |= gpu.clockReasons;
    sum.pcieSentPerSecond += gpu.pcieSentPerSecond;
    sum.pcieReceivedPerSecond += gpu.pcieReceivedPerSecond;
    sum.nvlinkSentBytes += gpu.nvlinkSentBytes;
    sum.nvlinkReceivedBytes += gpu.nvlinkReceivedBytes;
    sum.foreignProcesses = sumOfForeign(sum.foreignProcesses, gpu.foreignProcesses);
    sum.foreignMemoryBytes += gpu.foreignMemoryBytes;
}

} // namespace

Result<RankGpus> RankGpus::open(pid_t rank, std::size_t count)
{
    TRY_ASSIGN(auto gpus, GpuSampler::openAll(rank));
    return RankGpus(std::move(gpus), count);
}

RankGpus::RankGpus(std::vector<GpuSampler> gpus, std::size_t count)
    : m_gpus(std::move(gpus))
    , m_count(count)
{
    if (m_gpus.size() > m_count)
        return;
    m_used.resize(m_gpus.size());
    std::iota(m_used.begin(), m_used.end(), std::size_t{0});
}

std::optional<GpuTelemetry> RankGpus::sample()
{
    if (isTimeToLook())
        look();
    std::vector<GpuTelemetry> each;
    for (const std::size_t gpu : m_used)
        each.push_back(m_gpus[gpu].sample());
    return each.empty() ? std::nullopt : std::optional(together(each));
}

bool RankGpus::isTimeToLook() const
{
    return m_gpus.size() > m_count && (m_used.empty() || monotonicNs() - m_lookedNs >= kLookNs);
}

/// The GPUs that it used last count until it uses others.
void RankGpus::look()
{
    m_lookedNs = monotonicNs();
    std::vector<std::pair<std::uint64_t, std::size_t>> found;
    for (std::size_t gpu = 0; gpu < m_gpus.size(); ++gpu)
        if (const auto bytes = m_gpus[gpu].memoryOfRank())
            found.emplace_back(*bytes, gpu);
    if (found.empty())
        return;
    std::ranges::stable_sort(found, std::ranges::greater{}, [](const auto& gpu) { return gpu.first; });
    found.resize(std::min(found.size(), m_count));
    m_used.clear();
    for (const auto& [bytes, gpu] : found)
        m_used.push_back(gpu);
}

GpuTelemetry together(std::span<const GpuTelemetry> gpus)
{
    GpuTelemetry sum = gpus.front();
    for (const GpuTelemetry& gpu : gpus.subspan(1))
        add(sum, gpu);
    sum.busyShare /= float(gpus.size());
    return sum;
}

} // namespace ringside
