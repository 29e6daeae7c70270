// SPDX-License-Identifier: MIT
// Checks the measurements of calibration and canary, and the cost that is fitted to them.
#include "agent/worker/calibrate/canary.h"
#include "agent/worker/calibrate/links.h"
#include "agent/worker/calibrate/rates.h"
#include "agent/worker/collectives/backends.h"
#include "agent/worker/collectives/repeat.h"
#include "agent/worker/plans/messagecost.h"
#include "agent/worker/selftest/plangradients.h"
#include "agent/worker/selftest/selftest.h"
#include "core/base/privatefolder.h"
#include "core/model/costfit.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <random>

namespace ringside {

namespace {

/// Measured with 3 % of noise and fitted, a cost is off by no more than that.
CheckResult costFit()
{
    constexpr double latency = 20e-6, perByte = 1e-10, noise = 0.03, tolerance = 0.05;
    std::mt19937 random(1);
    std::normal_distribution<double> normal(1, noise);
    std::vector<MessageTime> right, measured;
    for (std::uint64_t bytes = 4096; bytes <= 64u << 20; bytes *= 2) {
        right.push_back({bytes, latency + static_cast<double>(bytes) * perByte});
        measured.push_back({bytes, right.back().seconds * normal(random)});
    }
    const double error = model::worstError(model::fitCost(measured), right);
    return passedIf(error <= tolerance, fmt::format("20 µs + bytes / 10 GB/s with 3 % of noise: off by {:.1f} %, at "
                                                    "most {:.0f}",
                                                    100 * error, 100 * tolerance));
}

CheckResult memoryBandwidth()
{
    constexpr double kLeast = 1e8;
    const double rate = memoryRate();
    return passedIf(rate >= kLeast, fmt::format("{:.1f} GB/s, at least {:.1f}", rate / 1e9, kLeast / 1e9));
}

Result<Canary> readCanary()
{
    const PrivateFolder folder;
    TRY(folder.make());
    return measureCanary(*makeSingleCommunicator(), {folder.path(), true}, false);
}

CheckResult canaryReads()
{
    constexpr double kLeast = 1e6;
    const auto canary = readCanary();
    if (!canary)
        return failed(canary.error());
    const auto rate = static_cast<double>(canary->readBytesPerSecond);
    return passedIf(rate >= kLeast, fmt::format("{:.0f} MB/s, at least {:.0f}", rate / 1e6, kLeast / 1e6));
}

Result<Deviation> canarySums(Communicator& communicator)
{
    TRY_ASSIGN(const Canary canary, measureCanary(communicator, {}, false));
    return exactly(canary.allReduceNs > 0,
                   fmt::format("{:.0f} µs for 1 MiB, above 0", static_cast<double>(canary.allReduceNs) / 1e3));
}

Result<Deviation> messagesReturn(Communicator& communicator)
{
    constexpr std::chrono::milliseconds budget{100};
    constexpr int fewest = 3;
    std::vector<std::byte> message(4096);
    TRY_ASSIGN(const double seconds,
               slowestSeconds(communicator, budget, fewest, [&] { return pingPong(communicator, message); }));
    return exactly(seconds > 0, fmt::format("{:.0f} µs for 4 KiB there and back, above 0", 1e6 * seconds));
}

/// As the grouping “optimal” has it.
Result<Deviation> costOfMessages(Communicator& communicator)
{
    constexpr std::uint64_t kShort = 4096, kLong = 1u << 20;
    const auto plan = planOf(Collective::allreduce, Grouping::one, Schedule::afterBackward);
    TRY_ASSIGN(const auto cost, measureMessageCost(plan, communicator, kLong, c10::kCPU));
    const double brief = model::secondsFor(cost, kShort), lengthy = model::secondsFor(cost, kLong);
    return exactly(brief > 0 && lengthy > 0,
                   fmt::format("{:.0f} µs for 4 KiB and {:.0f} for 1 MiB, above 0", 1e6 * brief, 1e6 * lengthy));
}

} // namespace

std::vector<Check> calibrationChecks()
{
    return {{"a cost fitted to messages", costFit},
            {"bandwidth of memory", memoryBandwidth},
            {"canary, reading", canaryReads}};
}

std::vector<RankCheck> linkChecks()
{
    return {{"canary, all-reduce", 0, canarySums},
            {"ping-pong", 0, messagesReturn},
            {"cost of all-reduces, fitted", 0, costOfMessages}};
}

} // namespace ringside
