// SPDX-License-Identifier: MIT
#include "agent/rank/telemetrythread.h"

#include "core/base/clock.h"

#include <atomic>
#include <condition_variable>
#include <doctest/doctest.h>
#include <memory>
#include <mutex>

using namespace ringside;
using namespace std::chrono_literals;

namespace {

/// Records of the thread, and a wait for them with a limit.
class Records
{
public:
    TelemetryThread::Sink sink()
    {
        return [this](const Record& record) {
            const std::lock_guard lock(m_mutex);
            if (const auto* heartbeat = std::get_if<Heartbeat>(&record))
                m_heartbeats.push_back(*heartbeat);
            else if (const auto* telemetry = std::get_if<Telemetry>(&record))
                m_telemetry.push_back(*telemetry);
            m_changed.notify_all();
        };
    }
    bool waitFor(std::size_t heartbeats, std::size_t telemetry)
    {
        std::unique_lock lock(m_mutex);
        return m_changed.wait_for(lock, 20s,
                                  [&] { return m_heartbeats.size() >= heartbeats && m_telemetry.size() >= telemetry; });
    }

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::vector<Heartbeat> m_heartbeats;
    std::vector<Telemetry> m_telemetry;
};

Heartbeat atBackwardOf7()
{
    return {0, 7, Phase::backward};
}

} // namespace

TEST_CASE("a heartbeat comes at once and carries the loop's progress")
{
    Records records;
    const std::int64_t begin = monotonicNs();
    const TelemetryThread thread(atBackwardOf7, records.sink(), {1h, 1h});
    REQUIRE(records.waitFor(1, 0));
    CHECK(records.m_heartbeats[0].seq == 7);
    CHECK(records.m_heartbeats[0].phase == Phase::backward);
    CHECK(records.m_heartbeats[0].atNs >= begin);
}

TEST_CASE("telemetry and heartbeats keep coming, none before its time")
{
    // A busy machine may make any of them late, so what is between two of them says nothing.
    Records records;
    const std::int64_t begin = monotonicNs();
    const TelemetryThread thread(atBackwardOf7, records.sink(), {20ms, 50ms});
    REQUIRE(records.waitFor(4, 5));
    const std::lock_guard lock(records.m_mutex);
    CHECK(records.m_heartbeats[3].atNs - begin >= 3 * 50'000'000);
    CHECK(records.m_telemetry[4].atNs - begin >= 5 * 20'000'000);
}

TEST_CASE("while a window is young there are more readings")
{
    Records records;
    std::atomic<LoopStage> stage = LoopStage::before;
    const TelemetryThread thread(atBackwardOf7, records.sink(),
                                 {.telemetry = 1h, .heartbeat = 1h, .quick = 10ms}, {},
                                 [&] { return stage.load(); });
    REQUIRE(records.waitFor(1, 0));
    {
        const std::lock_guard lock(records.m_mutex);
        CHECK(records.m_telemetry.empty());
    }
    stage = LoopStage::warmup;
    REQUIRE(records.waitFor(1, 3));
    stage = LoopStage::measured;
    REQUIRE(records.waitFor(1, 6));
}

TEST_CASE("the longer a window goes on, the rarer its readings")
{
    Records records;
    auto thread = std::make_unique<TelemetryThread>(
        atBackwardOf7, records.sink(), TelemetryPeriods{.telemetry = 1h, .heartbeat = 1h, .quick = 1ms},
        TelemetryThread::Gpu(), [] { return LoopStage::measured; });
    std::this_thread::sleep_for(600ms);
    thread.reset();
    // One each millisecond would be 600; a busy machine makes fewer, never more.
    CHECK(records.m_telemetry.size() < 200);
    CHECK(records.m_telemetry.size() > 3);
}

TEST_CASE("a window that has gone on for long has readings at the usual period")
{
    Records records;
    const TelemetryThread thread(atBackwardOf7, records.sink(), {.telemetry = 200ms, .heartbeat = 1h, .quick = 200ms},
                                 {}, [] { return LoopStage::measured; });
    const std::int64_t begin = monotonicNs();
    REQUIRE(records.waitFor(1, 3));
    const std::lock_guard lock(records.m_mutex);
    CHECK(records.m_telemetry[2].atNs - begin >= 2 * 200'000'000);
}

TEST_CASE("what ends before the first period has one reading, unless it was too short for any")
{
    for (const auto& [lasts, readings] : {std::pair(200ms, 1u), std::pair(0ms, 0u)}) {
        Records records;
        auto thread = std::make_unique<TelemetryThread>(atBackwardOf7, records.sink(), TelemetryPeriods{1h, 1h});
        std::this_thread::sleep_for(lasts);
        thread.reset();
        CHECK(records.m_telemetry.size() == readings);
    }
}

TEST_CASE("the thread ends with its owner, without waiting for its period")
{
    Records records;
    auto thread = std::make_unique<TelemetryThread>(atBackwardOf7, records.sink(), TelemetryPeriods{1h, 1h});
    REQUIRE(records.waitFor(1, 0));
    const std::int64_t begin = monotonicNs();
    thread.reset();
    CHECK(monotonicNs() - begin < 5'000'000'000);
}
