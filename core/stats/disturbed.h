// SPDX-License-Identifier: MIT
// When an attempt counts as disturbed by other load on its machine, or as throttled by its GPU (STATISTICS.md, 8).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace ringside::stats {

/// Other load may take this share of all cores of a host, as a mean over the window, before an attempt is disturbed:
/// the 10 % that DESIGN section 6 allows a calibration to be off.
inline constexpr double kForeignShareLimit = 0.10;

/// Readings (seconds, at the default 1 Hz) over which the share is averaged: long enough that a single blip of the
/// desktop does not count, short enough that a compiler started beside the run does.
inline constexpr int kForeignWindow = 5;

/// The greatest mean of any `kForeignWindow` consecutive readings; with fewer readings, the mean of all; 0 without any.
/// Readings are Telemetry::foreignCpuShare of one rank in order of time; negative or NaN ones are skipped. Beyond
/// `kForeignShareLimit` the attempt is disturbed.
double foreignShare(const std::vector<float>& foreignCpuShares);

/// True if others computed on a rank's GPU in any `kForeignWindow` consecutive readings; with fewer readings, in all.
/// Readings are GpuTelemetry::foreignProcesses of one rank in order of time.
bool isGpuShared(const std::vector<std::uint32_t>& foreignProcesses);

/// True if a rank's GPU was slowed down by heat, by its power supply or by a brake from outside in as many consecutive
/// readings. Its own power limit is no such reason: under full load many GPUs always run at it. Readings are
/// GpuTelemetry::clockReasons of one rank in order of time.
bool isThrottled(const std::vector<std::uint64_t>& clockReasons);

/// How far a canary may be off its calibration before its attempt is disturbed (DESIGN section 6).
inline constexpr double kCalibrationLimit = 0.10;

/// measured / calibrated - 1 of two rates if that is beyond the limit, in either direction: who is faster was
/// calibrated under load. nullopt within it, and where one of them was not measured (0).
std::optional<double> offCalibration(double measured, double calibrated);

} // namespace ringside::stats
