// SPDX-License-Identifier: MIT
#include "agent/rank/telemetrythread.h"

#include "core/base/clock.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <pthread.h>

namespace ringside {

TelemetryThread::TelemetryThread(Progress progress, Sink sink, TelemetryPeriods periods, Gpu gpu, Stage stage,
                                 pid_t rank)
    : m_progress(std::move(progress))
    , m_sink(std::move(sink))
    , m_periods(periods)
    , m_gpu(std::move(gpu))
    , m_stage(std::move(stage))
    , m_rank(rank)
    , m_thread([this](const std::stop_token& stop) { work(stop); })
{
}

void TelemetryThread::work(const std::stop_token& stop)
{
    pthread_setname_np(pthread_self(), "telemetry");
    HostSampler sampler(m_rank);
    std::mutex mutex;
    std::condition_variable_any never;
    auto nextHeartbeat = Clock::now();
    const auto began = nextHeartbeat;
    auto lastTelemetry = began;
    bool anyTelemetry = false;
    while (!stop.stop_requested()) {
        const auto now = Clock::now();
        const auto each = period(sampler, now, lastTelemetry);
        if (now >= lastTelemetry + each) {
            sample(sampler);
            anyTelemetry = true;
            lastTelemetry = std::max(lastTelemetry + each, now - each); // late ones are not made up for
        }
        if (now >= nextHeartbeat) {
            Heartbeat heartbeat = m_progress();
            heartbeat.atNs = monotonicNs();
            m_sink(heartbeat);
            nextHeartbeat = std::max(nextHeartbeat + m_periods.heartbeat, now);
        }
        std::unique_lock lock(mutex);
        const auto asked = m_measuredSince ? nextHeartbeat : now + m_periods.quick;
        never.wait_until(lock, stop, std::min({nextHeartbeat, lastTelemetry + each, asked}), [] { return false; });
    }
    if (!anyTelemetry && Clock::now() - began >= kLeastTelemetry)
        sample(sampler);
}

std::chrono::milliseconds TelemetryThread::period(HostSampler& host, Clock::time_point now, Clock::time_point last)
{
    using std::chrono::milliseconds;
    const LoopStage stage = m_measuredSince ? LoopStage::measured : m_stage();
    if (stage == LoopStage::before)
        return m_periods.telemetry;
    if (stage == LoopStage::measured && !m_measuredSince) {
        m_measuredSince = now;
        host.listNext(); // what began during the warm-up is known from here on
    }
    const auto part = m_measuredSince
                          ? std::chrono::duration_cast<milliseconds>(last - *m_measuredSince) / kReadingsOfRun
                          : milliseconds(0);
    return std::min(std::max(part, m_periods.quick), m_periods.telemetry);
}

void TelemetryThread::sample(HostSampler& host)
{
    m_sink(host.sample());
    if (const auto load = m_gpu ? m_gpu() : std::nullopt)
        m_sink(*load);
}

} // namespace ringside
