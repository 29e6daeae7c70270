// SPDX-License-Identifier: MIT
// Helpers of every benchmark for results and readings.
#pragma once

#include "core/base/error.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace ringside::bench {

/// The value, or the end of the benchmark with the error on standard error.
template <class T> T must(Result<T> result)
{
    if (!result) {
        fmt::print(stderr, "{}\n", result.error().text());
        std::exit(1);
    }
    if constexpr (!std::is_void_v<T>)
        return std::move(*result);
}

/// The smallest reading that at least the share `p` of them does not exceed. Precondition: not empty.
inline double quantile(std::vector<double> readings, double p)
{
    const auto rank = static_cast<std::size_t>(p * static_cast<double>(readings.size() - 1) + 0.5);
    std::nth_element(readings.begin(), readings.begin() + static_cast<std::ptrdiff_t>(rank), readings.end());
    return readings[rank];
}

inline double median(const std::vector<double>& readings)
{
    return quantile(readings, 0.5);
}

} // namespace ringside::bench
