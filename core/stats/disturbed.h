// SPDX-License-Identifier: MIT
// Rules by which an attempt counts as disturbed by other load on its machine, or as throttled by its GPU
// (STATISTICS.md, 8).
#pragma once

#include "core/stats/readings.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ringside::stats {

/// Other load may use this share of the cores, as a mean over `kForeignSeconds`, before an attempt is disturbed: the
/// 10 % that DESIGN section 6 allows a calibration to be off.
inline constexpr double kForeignShareLimit = 0.10;

/// Over which the share is averaged: long enough that a single blip of the desktop does not count, short enough that a
/// compiler started beside the run does. Half a second below five, since readings at 1 Hz are not to the millisecond.
inline constexpr double kForeignSeconds = 4.5;

/// The greatest mean over any consecutive readings that together last `kForeignSeconds`; over all of them if they last
/// less; nullopt without any. Negative or NaN ones, which say nothing, are skipped. Beyond `kForeignShareLimit` the
/// attempt is disturbed. Values are Telemetry::foreignCpuShare, or foreignCoresShare.
std::optional<double> foreignShare(const Readings<double>& readings);

/// Readings come each second. Where two are further apart than this, and no iteration began between them, the rank
/// stood still: a scheduler suspended its job, or its computer was halted.
inline constexpr double kStoodStillSeconds = 5;

/// GpuTelemetry::foreignProcesses where it is unknown whose processes are on a GPU.
inline constexpr std::int64_t kUnknownProcesses = -1;

/// True if others computed on a rank's GPU in every reading of a stretch of `kForeignSeconds`; with fewer, in all.
/// Values are GpuTelemetry::foreignProcesses.
bool isGpuShared(const Readings<std::int64_t>& readings);

/// Not 0 if a rank's GPU was slowed down by heat, by its power supply or by a brake from outside in every reading of
/// such a stretch: then all of these reasons that any reading had, as NVML's bits. Its own power limit is no such
/// reason: under full load many GPUs always run at it. Values are GpuTelemetry::clockReasons.
std::int64_t throttleReasons(const Readings<std::int64_t>& readings);

/// Bounds within which a canary is as usual.
struct Limits
{
    double low = 0;
    double usual = 0; ///< the median
    double high = 0;
    bool contain(double value) const { return value >= low && value <= high; }
};

/// A further reading is judged by at least so many.
inline constexpr std::size_t kLeastCanaries = 5;

/// The median of what the same canary read before, plus and minus four robust standard deviations (1.4826 times the
/// median absolute deviation from the median, which for normal readings is the standard deviation; Rousseeuw & Croux,
/// JASA 88, 1993). nullopt with less than `kLeastCanaries`, or if more than half of them are equal: nothing is known
/// of their spread then.
std::optional<Limits> usualLimits(const std::vector<double>& earlier);

} // namespace ringside::stats
