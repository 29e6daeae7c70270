// SPDX-License-Identifier: MIT
// Load of one GPU, as NVML tells it.
#pragma once

#include "agent/worker/telemetry/nvml.h"
#include "core/protocol/sample.h"

#include <optional>
#include <string>
#include <sys/types.h>

namespace ringside {

/// One thread at a time. What the GPU or its driver does not tell counts as 0. A sample takes some 40 ms, of which NVML
/// waits nearly all for its readings of PCIe.
///
/// A process is foreign that computes on the GPU and is in another session than this one (hostsampler.h), which in a
/// container includes those that it cannot see.
class GpuSampler
{
public:
    /// `pciBus` as CUDA and NVML write it: "00000000:17:00.0".
    static Result<GpuSampler> open(const std::string& pciBus);

    GpuTelemetry sample();

private:
    GpuSampler(const nvml::Library& nvml, nvml::Device device);
    void fillLinks(GpuTelemetry& telemetry);
    void fillForeign(GpuTelemetry& telemetry) const;

    /// Of a counter of NVLink's, since the attempt began; as far as it was readable.
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
    pid_t m_session;
    Since m_sent;
    Since m_received;
};

} // namespace ringside
