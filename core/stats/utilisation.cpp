// SPDX-License-Identifier: MIT
#include "core/stats/utilisation.h"

namespace ringside::stats {

std::optional<double> meanShare(const Readings<double>& readings)
{
    double seconds = 0, busySeconds = 0;
    for (const Reading<double>& reading : readings)
        if (reading.value >= 0 && reading.toNs > reading.fromNs) {
            seconds += reading.seconds();
            busySeconds += reading.value * reading.seconds();
        }
    return seconds > 0 ? std::optional(busySeconds / seconds) : std::nullopt;
}

std::optional<double> meanOverRanks(const std::vector<std::optional<double>>& ranks)
{
    double sum = 0;
    for (const std::optional<double>& rank : ranks) {
        if (!rank)
            return std::nullopt;
        sum += *rank;
    }
    return ranks.empty() ? std::nullopt : std::optional(sum / static_cast<double>(ranks.size()));
}

} // namespace ringside::stats
