// SPDX-License-Identifier: MIT
// Over a stand-in for the driver's library, whose figures are in standinnvml.c.
#include "agent/gpuload/gpusampler.h"

#include "agent/rank/telemetrythread.h"
#include "core/base/clock.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <unistd.h>

using namespace ringside;
using namespace std::chrono_literals;

namespace {

constexpr const char* kBus = "00000000:17:00.0";
constexpr const char* kCrowdedBus = "00000000:18:00.0";

} // namespace

TEST_CASE("each figure of the GPU comes in its unit")
{
    auto sampler = GpuSampler::open(kBus);
    REQUIRE(sampler);
    const std::int64_t begin = monotonicNs();
    const GpuTelemetry load = sampler->sample();
    CHECK(load.atNs >= begin);
    CHECK(load.busyShare == doctest::Approx(0.87));
    CHECK(load.memoryUsedBytes == 10'737'418'240);
    CHECK(load.memoryBytes == 85'899'345'920);
    CHECK(load.powerMilliwatts == 345'678);
    CHECK(load.smMegahertz == 1'755);
    CHECK(load.memoryMegahertz == 2'619);
    CHECK(load.clockReasons == 0x24);
    CHECK(load.pcieSentPerSecond == 12'000'000);
    CHECK(load.pcieReceivedPerSecond == 34'000'000);
}

TEST_CASE("NVLink's bytes count from when the attempt began")
{
    auto sampler = GpuSampler::open(kBus);
    REQUIRE(sampler);
    CHECK(sampler->sample().nvlinkSentBytes == 1u << 20);
    const GpuTelemetry load = sampler->sample();
    CHECK(load.nvlinkSentBytes == 2u << 20);
    CHECK(load.nvlinkReceivedBytes == 0);
}

TEST_CASE("values that a failing GPU does not report are not made up")
{
    auto sampler = GpuSampler::open(kCrowdedBus);
    REQUIRE(sampler);
    const GpuTelemetry first = sampler->sample();
    CHECK(first.nvlinkSentBytes == 1u << 20);
    CHECK(first.foreignProcesses == 256);
    CHECK(first.powerMilliwatts == 0);
    const GpuTelemetry lost = sampler->sample();
    CHECK(lost.nvlinkSentBytes == 1u << 20);
    CHECK(lost.nvlinkReceivedBytes == 0);
}

TEST_CASE("processes of other sessions are foreign, this one is not")
{
    auto sampler = GpuSampler::open(kBus);
    REQUIRE(sampler);
    const GpuTelemetry load = sampler->sample();
    const bool firstIsOurs = getsid(1) == getsid(0); // where this test is all that a container runs
    CHECK(load.foreignProcesses == (firstIsOurs ? 1 : 2));
    CHECK(load.foreignMemoryBytes == (firstIsOurs ? 0 : 2'147'483'648));
}

TEST_CASE("where process ids are others than the host's, more than one process cannot be told apart")
{
    auto shared = GpuSampler::open("00000000:1a:00.0");
    REQUIRE(shared);
    const GpuTelemetry load = shared->sample();
    CHECK(load.foreignProcesses == GpuTelemetry::kUnknown);
    CHECK(load.foreignMemoryBytes == 0);
    auto alone = GpuSampler::open("00000000:1b:00.0");
    REQUIRE(alone);
    CHECK(alone->sample().foreignProcesses == 0);
}

TEST_CASE("a GPU that NVML does not know is an error that names it")
{
    const auto none = GpuSampler::open("00000000:99:00.0");
    REQUIRE(!none);
    CHECK(none.error().message.starts_with("NVML knows no GPU at 00000000:99:00.0 (error 6"));
}

TEST_CASE("a rank with a GPU has its load beside each of the host's")
{
    auto sampler = GpuSampler::open(kBus);
    REQUIRE(sampler);
    std::vector<Record> records; // of the thread, until it has ended
    auto thread = std::make_unique<TelemetryThread>(
        [] { return Heartbeat{}; }, [&](const Record& record) { records.push_back(record); }, TelemetryPeriods{1h, 1h},
        [sampler = *sampler]() mutable { return sampler.sample(); });
    std::this_thread::sleep_for(200ms);
    thread.reset();
    const auto has = [&](auto record) {
        return std::ranges::count_if(records,
                                     [&](const Record& r) { return std::holds_alternative<decltype(record)>(r); });
    };
    CHECK(has(Telemetry{}) == 1);
    CHECK(has(GpuTelemetry{}) == 1);
}
