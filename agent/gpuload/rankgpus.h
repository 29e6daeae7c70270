// SPDX-License-Identifier: MIT
// The load of the GPUs that a rank uses, whatever program it is.
#pragma once

#include "agent/gpuload/gpusampler.h"

#include <span>

namespace ringside {

/// Finds by NVML's lists of processes which GPUs the rank, or what it has started, computes on: neither variables nor
/// places say it as surely, for frameworks number and choose GPUs in ways of their own. Looks until it finds some, and
/// every five seconds from then on. Where a rank computes on more than it is to use (many frameworks leave a little of
/// themselves on the first GPU), those with most of its memory are its own. Where there are no more GPUs than it is to
/// use, those are: also in a container, where NVML's process ids say nothing. One thread at a time.
class RankGpus
{
public:
    /// `count`: of the GPUs that it is to use. Blocking: the driver takes a second or so where no other program keeps
    /// it awake.
    static Result<RankGpus> open(pid_t rank, std::size_t count);

    /// nullopt while it uses none. Takes as long as a sample of each of its GPUs.
    std::optional<GpuTelemetry> sample();
    /// The number of GPUs to choose from.
    std::size_t gpus() const { return m_gpus.size(); }

private:
    RankGpus(std::vector<GpuSampler> gpus, std::size_t count);
    bool isTimeToLook() const;
    void look();

    std::vector<GpuSampler> m_gpus;
    std::size_t m_count;
    std::vector<std::size_t> m_used; ///< of m_gpus
    std::int64_t m_lookedNs = 0;
};

/// Combines the telemetry of at least one GPU. Shares are means, bytes, power and foreign processes are sums; the
/// lowest clocks and the reasons of all count, since the slowest GPU holds the others up.
GpuTelemetry together(std::span<const GpuTelemetry> gpus);

} // namespace ringside
