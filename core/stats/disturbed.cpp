// SPDX-License-Identifier: MIT
#include "core/stats/disturbed.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ringside::stats {

namespace {

/// NVML's nvmlClocksEventReasonHwSlowdown, SwThermalSlowdown, HwThermalSlowdown and HwPowerBrakeSlowdown.
constexpr std::uint64_t kSlowdowns = 0x08 | 0x20 | 0x40 | 0x80;

/// Whether it holds in a whole window.
template <class Reading, class Condition> bool lasts(const std::vector<Reading>& readings, Condition holds)
{
    const int window = std::min(kForeignWindow, static_cast<int>(readings.size()));
    int inARow = 0;
    return window > 0 && std::ranges::any_of(readings, [&](const Reading& reading) {
               inARow = holds(reading) ? inARow + 1 : 0;
               return inARow >= window;
           });
}

} // namespace

double foreignShare(const std::vector<float>& foreignCpuShares)
{
    std::vector<double> shares;
    std::copy_if(foreignCpuShares.begin(), foreignCpuShares.end(), std::back_inserter(shares),
                 [](float share) { return share >= 0; });
    const auto window = std::min<std::ptrdiff_t>(kForeignWindow, static_cast<std::ptrdiff_t>(shares.size()));
    double most = 0;
    for (auto first = shares.begin(); window > 0 && shares.end() - first >= window; ++first)
        most = std::max(most, std::accumulate(first, first + window, 0.0) / static_cast<double>(window));
    return most;
}

bool isGpuShared(const std::vector<std::uint32_t>& foreignProcesses)
{
    return lasts(foreignProcesses, [](std::uint32_t others) { return others > 0; });
}

bool isThrottled(const std::vector<std::uint64_t>& clockReasons)
{
    return lasts(clockReasons, [](std::uint64_t reasons) { return (reasons & kSlowdowns) != 0; });
}

std::optional<double> offCalibration(double measured, double calibrated)
{
    if (!(measured > 0) || !(calibrated > 0))
        return std::nullopt;
    const double change = measured / calibrated - 1;
    return std::abs(change) > kCalibrationLimit ? std::optional(change) : std::nullopt;
}

} // namespace ringside::stats
