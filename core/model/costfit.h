// SPDX-License-Identifier: MIT
// Fits a cost in pieces to measured times of messages, and computes the time of any message from it. Pure.
//
// A library changes its protocol with the size of a message (eager, rendezvous, other all-reduce algorithms), so one
// line through all sizes fits none of them. A piece is a run of neighbouring sizes with its own latency + bytes ·
// perByte. Its two numbers minimise the sum of squared relative errors, ((predicted - measured) / measured)², which for
// small errors is least squares of the logarithms: 4 kB count as much as 100 MB. Neither may become negative.
// At least half of the longest message's time is its bytes' in the last piece, as the piece is also of longer messages:
// where a burst has made the longest ones look alike, it begins at no latency.
//
// The borders come from dynamic programming over all ways to cut the sizes into runs of at least three, up to four
// pieces; of these the one with the lowest Bayesian criterion n·ln(max(mean squared relative error, 0.02²)) + p·ln n is
// chosen (p = 3·pieces - 1: two numbers each, and the borders). Errors below 2 % are noise and win no piece. A piece
// costs O(1), as its error is a quadratic form in sums, and n times O(n²).
#pragma once

#include "core/protocol/calibration.h"

#include <span>
#include <vector>

namespace ringside::model {

inline constexpr std::size_t kMostSegments = 4;
inline constexpr std::size_t kFewestTimes = 3; ///< in a piece; with fewer times in all there is one piece

/// `times` in any order; those of no or negative seconds are left out. Empty without times. The border between two
/// pieces lies halfway (in the logarithm) between the neighbouring sizes.
std::vector<CostSegment> fitCost(std::vector<MessageTime> times);

/// Seconds of a message; 0 for one of 0 bytes, which is never sent, and without segments.
double secondsFor(std::span<const CostSegment> segments, std::uint64_t bytes);

/// Bytes per second of the longest messages: 1 / perByte of the last piece; 0 where it has none.
double asymptoticBandwidth(std::span<const CostSegment> segments);

/// The largest relative error of the fit over these times.
double worstError(std::span<const CostSegment> segments, std::span<const MessageTime> times);

} // namespace ringside::model
