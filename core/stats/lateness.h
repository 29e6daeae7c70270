// SPDX-License-Identifier: MIT
// Finds the ranks that the others wait for: when each began the all-reduce, on one clock (STATISTICS.md, 9; DESIGN
// section 3).
#pragma once

#include "core/protocol/sample.h"

#include <optional>
#include <span>
#include <vector>

namespace ringside::stats {

/// A clock is assumed to drift this much between measurements: 20 ns in a millisecond, as quartz does. A clock whose
/// offset is certain is rank 0's own, and does not drift.
inline constexpr std::int64_t kDriftPerMillion = 20;
/// Lateness below so many times its uncertainty is none.
inline constexpr std::int64_t kLeastUncertainties = 3;

/// A stamp on rank 0's clock.
struct Moment
{
    std::int64_t ns = 0;
    std::int64_t uncertaintyNs = 0;
};

/// `measured`: offsets of the rank's clock in the order of time. Between two of them the offset goes straight from one
/// to the other; outside of them it stays and becomes less certain. nullopt without any.
std::optional<Moment> momentOf(std::int64_t stampNs, std::span<const ClockOffset> measured);

/// Returns when the rank had the last gradient of the iteration, on its own clock. nullopt where the phases until then
/// are not reported, or the sample is not of one iteration of one rank.
std::optional<std::int64_t> allReduceStartNs(const Sample& sample);

/// Returns the delay of each of them behind the first, ns; 0 where that is less than kLeastUncertainties of what is not
/// known of either moment.
std::vector<std::int64_t> lateness(std::span<const Moment> moments);

/// Ranks by iterations, and how long these were.
struct Lateness
{
    std::vector<std::int64_t> ns; ///< of each rank
    std::int64_t iterationNs = 0;
};

struct LateRank
{
    int rank = 0;
    std::int64_t ns = 0; ///< median of the iterations looked at
};

/// For how long, and for which share of an iteration, a rank has to be late to be named.
inline constexpr std::size_t kLateIterations = 20;
inline constexpr double kLateShare = 0.05;

/// The latest of those that were late in each of the last kLateIterations; nullopt if none was.
std::optional<LateRank> namedRank(std::span<const Lateness> iterations);

} // namespace ringside::stats
