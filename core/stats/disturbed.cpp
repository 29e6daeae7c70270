// SPDX-License-Identifier: MIT
#include "core/stats/disturbed.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ringside::stats {

bool isDisturbed(const std::vector<float>& foreignCpuShares)
{
    std::vector<double> shares;
    std::copy_if(foreignCpuShares.begin(), foreignCpuShares.end(), std::back_inserter(shares),
                 [](float share) { return share >= 0; });
    if (shares.empty())
        return false;
    const auto window = std::min<std::ptrdiff_t>(kForeignWindow, static_cast<std::ptrdiff_t>(shares.size()));
    for (auto first = shares.begin(); shares.end() - first >= window; ++first)
        if (std::accumulate(first, first + window, 0.0) > kForeignShareLimit * static_cast<double>(window))
            return true;
    return false;
}

std::optional<double> offCalibration(double measured, double calibrated)
{
    if (!(measured > 0) || !(calibrated > 0))
        return std::nullopt;
    const double change = measured / calibrated - 1;
    return std::abs(change) > kCalibrationLimit ? std::optional(change) : std::nullopt;
}

} // namespace ringside::stats
