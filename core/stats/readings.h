// SPDX-License-Identifier: MIT
// Readings of a rank's telemetry, as what is found from them needs them.
#pragma once

#include <cstdint>
#include <vector>

namespace ringside::stats {

/// One reading of a rank's telemetry, on the rank's clock.
template <class Value> struct Reading
{
    std::int64_t fromNs = 0; ///< when the reading before it was made
    std::int64_t toNs = 0;
    Value value{};

    double seconds() const { return static_cast<double>(toNs - fromNs) / 1e9; }
};
template <class Value> using Readings = std::vector<Reading<Value>>; ///< of one rank, in order of time

} // namespace ringside::stats
