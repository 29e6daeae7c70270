// SPDX-License-Identifier: MIT
// How fast the cores of a run's ranks multiply matrices, as a calibration of their site has measured it.
#pragma once

#include "core/store/canaries.h"
#include "core/store/rows.h"

namespace ringside::store {

/// Floating-point operations per second of all ranks together: the rate of one rank, while all compute, times their
/// number. By the first of `known` (newest first) of as many ranks, nodes and cores; nullopt where there is none, where
/// that one was disturbed, and for what it did not measure: GPUs, and other numbers than float32.
std::optional<double> gemmRate(const Settings& run, const std::vector<SiteCalibration>& known);

/// The same by what the store has of the run's site.
Result<std::optional<double>> gemmRate(const Database& db, const RunRow& run);

} // namespace ringside::store
