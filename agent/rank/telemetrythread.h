// SPDX-License-Identifier: MIT
// The rank's side thread: telemetry every second, up to ten times a second while a short run may be measured, a
// heartbeat every two seconds.
#pragma once

#include "agent/rank/hostsampler.h"
#include "core/protocol/sample.h"

#include <chrono>
#include <functional>
#include <optional>
#include <thread>

namespace ringside {

inline constexpr std::chrono::milliseconds kTelemetryPeriod{1000};
/// A shorter time cannot be judged: the kernel counts load in ticks of 10 ms.
inline constexpr std::chrono::milliseconds kLeastTelemetry{100};
inline constexpr std::chrono::milliseconds kHeartbeatPeriod{2000}; ///< the runner calls 20 s of silence a lost rank

/// The length of the measured part is unknown when it begins: each reading is of a 10th of it so far, so that a short
/// run has enough of them, and they cost a long one little.
inline constexpr std::chrono::milliseconds kQuickPeriod{100};
inline constexpr int kReadingsOfRun = 10;

struct TelemetryPeriods
{
    std::chrono::milliseconds telemetry = kTelemetryPeriod;
    std::chrono::milliseconds heartbeat = kHeartbeatPeriod;
    std::chrono::milliseconds quick = kQuickPeriod; ///< from the first warm-up iteration on; ever longer after the last
};

/// Part of a run that the training loop has reached.
enum class LoopStage
{
    before,
    warmup,
    measured
};

/// Emits a Heartbeat at once, then Telemetry and Heartbeat records at their periods, until destroyed (which lasts no
/// longer than two calls of `sink`). Asks for the stage of the loop every `quick` until its measured part has begun. An
/// attempt that ends before the first period has its one Telemetry then, so that a short run, too, shows what disturbed
/// it. A rank with a GPU has its GpuTelemetry beside each, as far as there is one. `rank` is the process whose load is
/// read. The functions are called from this thread only and must not throw.
class TelemetryThread
{
public:
    using Sink = std::function<void(const Record&)>;
    /// Returns the current place of the training loop, seq and phase; atNs is filled in here.
    using Progress = std::function<Heartbeat()>;
    using Stage = std::function<LoopStage()>;
    /// The load of the rank's GPU now, or lately; nullopt where there is nothing new.
    using Gpu = std::function<std::optional<GpuTelemetry>()>;

    TelemetryThread(
        Progress progress, Sink sink, TelemetryPeriods periods = {}, Gpu gpu = {},
        Stage stage = [] { return LoopStage::before; }, pid_t rank = getpid());

private:
    using Clock = std::chrono::steady_clock;

    void work(const std::stop_token& stop);
    void sample(HostSampler& host);
    std::chrono::milliseconds period(HostSampler& host, Clock::time_point now, Clock::time_point last);

    Progress m_progress;
    Sink m_sink;
    TelemetryPeriods m_periods;
    Gpu m_gpu; ///< empty: it has none
    Stage m_stage;
    pid_t m_rank;
    std::optional<Clock::time_point> m_measuredSince; ///< of the thread only, as far as it saw
    std::jthread m_thread;
};

} // namespace ringside
