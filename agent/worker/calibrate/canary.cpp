// SPDX-License-Identifier: MIT
#include "agent/worker/calibrate/canary.h"

#include "agent/worker/calibrate/coldfile.h"
#include "agent/worker/collectives/repeat.h"
#include "core/base/clock.h"
#include "core/base/environment.h"

#include <string_view>

namespace ringside {

namespace {

constexpr std::chrono::milliseconds kHalf{450};   // for reading, and as much for the links
constexpr std::size_t kAllReduceBytes = 1u << 20; // long enough for bandwidth to count, and often in half a second
constexpr std::chrono::milliseconds kLongestRead{1000}; // on a disk of less than 32 MiB/s

/// Median of as many reads of the whole file as fit.
std::uint64_t readRate(const fs::path& folder)
{
    const auto file = provideColdFile(folder);
    std::vector<double> rates;
    const auto end = monotonicNs() + toNs(kHalf);
    while (file && (rates.empty() || monotonicNs() < end)) {
        const auto read = readCold(*file, kLongestRead);
        if (!read)
            return 0;
        rates.push_back(read->bytesPerSecond());
    }
    return rates.empty() ? 0 : static_cast<std::uint64_t>(median(std::move(rates)));
}

} // namespace

Result<Canary> measureCanary(Communicator& communicator, const CanaryPlace& place, bool after)
{
    Canary canary{monotonicNs(), after, 0, 0};
    if (place.reads && !place.folder.empty())
        canary.readBytesPerSecond = readRate(place.folder);
    TRY(communicator.barrier());
    if (communicator.worldSize() == 1)
        return canary;
    std::vector<float> numbers(kAllReduceBytes / sizeof(float));
    constexpr int fewest = 3;
    TRY_ASSIGN(const double seconds, slowestSeconds(communicator, kHalf, fewest,
                                                    [&] { return communicator.allReduceSum(std::span(numbers)); }));
    canary.allReduceNs = static_cast<std::int64_t>(seconds * 1e9);
    return canary;
}

bool canaryIsWanted()
{
    const char* wish = environment("RINGSIDE_CANARY");
    return !wish || std::string_view(wish) != "none";
}

} // namespace ringside
