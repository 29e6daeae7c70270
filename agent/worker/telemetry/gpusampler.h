// SPDX-License-Identifier: MIT
// Load of one GPU, as NVML tells it.
#pragma once

#include "agent/worker/telemetry/nvml.h"
#include "core/protocol/sample.h"

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
    std::uint64_t nvlinkBytes(unsigned field) const;

    nvml::Library m_nvml;
    nvml::Device m_device;
    pid_t m_session;
    std::uint64_t m_sentAtStart;
    std::uint64_t m_receivedAtStart;
};

} // namespace ringside
