// SPDX-License-Identifier: MIT
// Load of one GPU, as reported by NVML.
#pragma once

#include "agent/gpuload/nvml.h"
#include "core/protocol/sample.h"

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <unistd.h>
#include <vector>

namespace ringside {

/// One thread at a time. Values that the GPU or its driver does not report count as 0. A sample takes a millisecond or
/// so; once a second it takes 40 ms, nearly all of which NVML waits for its readings of PCIe.
///
/// A process is foreign if it computes on the GPU in another session than this one (hostsampler.h), and the rank has
/// not started it. NVML has the host's process ids. Where the rank is not among them although it uses the GPU, it has
/// other ids than the host sees, as in a container: a single process on the GPU is the rank then; of several, the
/// owners are unknown.
class GpuSampler
{
public:
    /// `pciBus` as CUDA and NVML write it: "00000000:17:00.0". `rank` is the process whose GPU it is.
    static Result<GpuSampler> open(const std::string& pciBus, pid_t rank = getpid());
    /// All GPUs that this process may use, in NVML's order, for a rank of which it is not known which it will use.
    static Result<std::vector<GpuSampler>> openAll(pid_t rank);

    GpuTelemetry sample();
    /// Bytes of the GPU's memory that the rank, and what it has started, use to compute, where NVML reports them;
    /// nullopt while they do not compute on it.
    std::optional<std::uint64_t> memoryOfRank() const;

private:
    GpuSampler(const nvml::Library& nvml, nvml::Device device, pid_t rank);
    void fillLinks(GpuTelemetry& telemetry);
    void fillForeign(GpuTelemetry& telemetry) const;
    Result<std::vector<nvml::Process>> processes() const;
    bool isOfRank(const nvml::Process& process) const;
    bool isForeign(const nvml::Process& process) const;

    /// Growth of a counter of NVLink's since the attempt began; as far as it was readable.
    class Since
    {
    public:
        explicit Since(std::optional<std::uint64_t> now)
            : m_begin(now)
        {
        }
        std::uint64_t operator()(std::optional<std::uint64_t> now);

    private:
        std::optional<std::uint64_t> m_begin;
        std::uint64_t m_bytes = 0;
    };
    std::optional<std::uint64_t> nvlinkBytes(unsigned field) const;

    nvml::Library m_nvml;
    nvml::Device m_device;
    pid_t m_rank;
    pid_t m_session;
    std::int64_t m_pcieAtNs = 0; ///< when these two were read
    std::uint64_t m_pcieSent = 0, m_pcieReceived = 0;
    Since m_sent;
    Since m_received;
};

} // namespace ringside
