// SPDX-License-Identifier: MIT
#include "agent/worker/telemetry/telemetrythread.h"

#include "core/base/clock.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <pthread.h>

namespace ringside {

TelemetryThread::TelemetryThread(Progress progress, Sink sink, TelemetryPeriods periods, std::optional<GpuSampler> gpu)
    : m_progress(std::move(progress))
    , m_sink(std::move(sink))
    , m_periods(periods)
    , m_gpu(std::move(gpu))
    , m_thread([this](const std::stop_token& stop) { work(stop); })
{
}

void TelemetryThread::work(const std::stop_token& stop)
{
    pthread_setname_np(pthread_self(), "telemetry");
    HostSampler sampler;
    std::mutex mutex;
    std::condition_variable_any never;
    using Clock = std::chrono::steady_clock;
    auto nextHeartbeat = Clock::now();
    const auto began = nextHeartbeat;
    auto nextTelemetry = began + m_periods.telemetry;
    bool anyTelemetry = false;
    while (!stop.stop_requested()) {
        const auto now = Clock::now();
        if (now >= nextTelemetry) {
            sample(sampler);
            anyTelemetry = true;
            nextTelemetry = std::max(nextTelemetry + m_periods.telemetry, now); // late ones are not made up for
        }
        if (now >= nextHeartbeat) {
            Heartbeat heartbeat = m_progress();
            heartbeat.atNs = monotonicNs();
            m_sink(heartbeat);
            nextHeartbeat = std::max(nextHeartbeat + m_periods.heartbeat, now);
        }
        std::unique_lock lock(mutex);
        never.wait_until(lock, stop, std::min(nextHeartbeat, nextTelemetry), [] { return false; });
    }
    if (!anyTelemetry && Clock::now() - began >= kLeastTelemetry)
        sample(sampler);
}

void TelemetryThread::sample(HostSampler& host)
{
    m_sink(host.sample());
    if (m_gpu)
        m_sink(m_gpu->sample());
}

} // namespace ringside
