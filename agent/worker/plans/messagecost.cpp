// SPDX-License-Identifier: MIT
#include "agent/worker/plans/messagecost.h"

#include "agent/worker/collectives/repeat.h"
#include "agent/worker/device/tensors.h"
#include "agent/worker/plans/compressions/exchange.h"
#include "agent/worker/plans/exchangestream.h"
#include "core/base/text.h"
#include "core/model/costfit.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <algorithm>
#include <array>
#include <fmt/core.h>

namespace ringside {

namespace {

constexpr std::uint64_t kSmallest = 4096, kFactor = 4;
constexpr std::chrono::milliseconds kBudget{100}; // for each size
constexpr int kFewest = 3;
constexpr double kSlowest = 0.5; // s

std::vector<std::uint64_t> messageSizes(std::uint64_t largest)
{
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t bytes = kSmallest; bytes < largest; bytes *= kFactor)
        sizes.push_back(bytes);
    sizes.push_back(std::max(largest, kSmallest));
    return sizes;
}

/// The thread that exchanges gradients has one core for what it does with them beside sending: so has it while messages
/// are timed.
class OneThread
{
public:
    OneThread() { at::set_num_threads(1); }
    ~OneThread() { at::set_num_threads(m_before); }
    OneThread(const OneThread&) = delete;
    OneThread& operator=(const OneThread&) = delete;

private:
    int m_before = at::get_num_threads();
};

/// Rank 0 decides: on one host of several a transport may have layers that it has not on another.
Result<bool> isCalibrated(const CalibratedCost& cost, Communicator& communicator)
{
    std::array<std::byte, 1> same{std::byte{cost.transport == communicator.transport()}};
    TRY(communicator.broadcast(same, 0));
    return same.front() != std::byte{0};
}

} // namespace

Result<std::vector<CostSegment>> measureMessageCost(const AggregationPlan& plan, Communicator& communicator,
                                                    std::uint64_t largest, c10::Device device)
{
    const ExchangeStream stream(communicator, device);
    TRY_ASSIGN(const auto exchange, makeExchange(plan, communicator, stream.device()));
    const auto here = stream.use();
    const OneThread oneThread;
    exchange->reserve(messageSizes(largest).back() / sizeof(float));
    std::vector<MessageTime> times;
    std::uint32_t unit = 0; // each size is one of its own: a compression stores state of its size
    for (const std::uint64_t bytes : messageSizes(largest)) {
        const at::Tensor zeros = zerosOn(stream.device(), bytes); // their sum stays what it is
        const auto call = [&]() -> Result<void> {
            TRY(exchange->sum(unit, numbersOf(zeros)));
            return stream.await();
        };
        TRY_ASSIGN(const double seconds, slowestSeconds(communicator, kBudget, kFewest, call));
        times.push_back({bytes, seconds});
        if (seconds > kSlowest) // the same on all ranks
            break;
        ++unit;
    }
    return model::fitCost(std::move(times));
}

Result<MessageCost> findMessageCost(const RunSpec& run, Communicator& communicator, std::uint64_t largest,
                                    c10::Device device)
{
    std::string source = "measured before training";
    if (const auto& given = run.calibratedCost) {
        TRY_ASSIGN(const bool holds, isCalibrated(*given, communicator));
        if (holds)
            return MessageCost{given->segments,
                               fmt::format("calibration of {} (run {})", isoTime(given->endedNs), given->run)};
        source += fmt::format("; the calibration (run {}) was by {}", given->run, plainText(given->transport));
    }
    TRY_ASSIGN(auto segments, measureMessageCost(run.plan, communicator, largest, device));
    return MessageCost{std::move(segments), std::move(source)};
}

} // namespace ringside
