// SPDX-License-Identifier: MIT
#include "core/stats/disturbed.h"

#include "core/base/sequences.h"
#include "core/stats/quantile.h"

#include <algorithm>
#include <cmath>

namespace ringside::stats {

namespace {

/// NVML's nvmlClocksEventReasonHwSlowdown, SwThermalSlowdown, HwThermalSlowdown and HwPowerBrakeSlowdown.
constexpr std::int64_t kSlowdowns = 0x08 | 0x20 | 0x40 | 0x80;

constexpr double kRobustDeviation = 1.4826; ///< 1 / the upper quartile of the standard normal distribution
constexpr double kDeviations = 4;

double secondsOf(const auto& readings)
{
    double seconds = 0;
    for (const auto& reading : readings)
        seconds += reading.seconds();
    return seconds;
}

/// The sum over a stretch that grows at its end, and loses what it does not need at its beginning.
class Stretch
{
public:
    void add(const Reading<double>& reading)
    {
        m_seconds += reading.seconds();
        m_loadSeconds += reading.value * reading.seconds();
    }
    void drop(const Reading<double>& reading)
    {
        m_seconds -= reading.seconds();
        m_loadSeconds -= reading.value * reading.seconds();
    }
    double seconds() const { return m_seconds; }
    double mean() const { return m_loadSeconds / m_seconds; }

private:
    double m_seconds = 0, m_loadSeconds = 0;
};

/// Returns whether it holds in a whole stretch.
template <class Value, class Condition> bool lasts(const Readings<Value>& readings, Condition holds)
{
    const double least = std::min(kForeignSeconds, secondsOf(readings));
    double seconds = 0;
    return std::ranges::any_of(readings, [&](const Reading<Value>& reading) {
        seconds = holds(reading.value) ? seconds + reading.seconds() : 0;
        return seconds > 0 && seconds >= least * (1 - 1e-9);
    });
}

} // namespace

std::optional<double> foreignShare(const Readings<double>& readings)
{
    Readings<double> told;
    std::ranges::copy_if(readings, std::back_inserter(told),
                         [](const auto& reading) { return reading.value >= 0 && reading.toNs > reading.fromNs; });
    if (told.empty())
        return std::nullopt;
    const double least = std::min(kForeignSeconds, secondsOf(told)) * (1 - 1e-9);
    double most = 0;
    Stretch stretch;
    for (auto first = told.begin(), last = first; last != told.end(); ++last) {
        stretch.add(*last);
        for (; first != last && stretch.seconds() - first->seconds() >= least; ++first)
            stretch.drop(*first);
        if (stretch.seconds() >= least)
            most = std::max(most, stretch.mean());
    }
    return most;
}

bool isGpuShared(const Readings<std::int64_t>& readings)
{
    return lasts(readings, [](std::int64_t others) { return others > 0; });
}

std::int64_t throttleReasons(const Readings<std::int64_t>& readings)
{
    if (!lasts(readings, [](std::int64_t reasons) { return (reasons & kSlowdowns) != 0; }))
        return 0;
    std::int64_t found = 0;
    for (const auto& reading : readings)
        found |= reading.value & kSlowdowns;
    return found;
}

std::optional<Limits> usualLimits(const std::vector<double>& earlier)
{
    if (earlier.size() < kLeastCanaries)
        return std::nullopt;
    const double usual = median(earlier);
    std::vector<double> away = mapped(earlier, [&](const double value) { return std::abs(value - usual); });
    const double spread = kDeviations * kRobustDeviation * median(away);
    if (!(spread > 0))
        return std::nullopt;
    return Limits{usual - spread, usual, usual + spread};
}

} // namespace ringside::stats
