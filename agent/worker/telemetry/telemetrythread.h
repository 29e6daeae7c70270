// SPDX-License-Identifier: MIT
// The rank's side thread: telemetry every second, a heartbeat every two.
#pragma once

#include "agent/worker/telemetry/gpusampler.h"
#include "agent/worker/telemetry/hostsampler.h"

#include <chrono>
#include <functional>
#include <optional>
#include <thread>

namespace ringside {

inline constexpr std::chrono::milliseconds kTelemetryPeriod{1000};
/// A shorter time cannot be judged: the kernel counts load in ticks of 10 ms.
inline constexpr std::chrono::milliseconds kLeastTelemetry{100};
inline constexpr std::chrono::milliseconds kHeartbeatPeriod{2000}; ///< the runner calls 20 s of silence a lost rank

struct TelemetryPeriods
{
    std::chrono::milliseconds telemetry = kTelemetryPeriod;
    std::chrono::milliseconds heartbeat = kHeartbeatPeriod;
};

/// Gives out a Heartbeat at once, then Telemetry and Heartbeat records at their periods, until destroyed (which takes
/// no longer than two calls of `sink`). An attempt that ends before the first period has its one Telemetry then, so
/// that a short run, too, shows what disturbed it. A rank with a GPU has its GpuTelemetry beside each. Both functions
/// are called from this thread only and must not throw.
class TelemetryThread
{
public:
    using Sink = std::function<void(const Record&)>;
    /// Where the training loop is now: seq and phase; atNs is filled in here.
    using Progress = std::function<Heartbeat()>;

    TelemetryThread(Progress progress, Sink sink, TelemetryPeriods periods = {}, std::optional<GpuSampler> gpu = {});

private:
    void work(const std::stop_token& stop);
    void sample(HostSampler& host);

    Progress m_progress;
    Sink m_sink;
    TelemetryPeriods m_periods;
    std::optional<GpuSampler> m_gpu;
    std::jthread m_thread;
};

} // namespace ringside
