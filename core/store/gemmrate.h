// SPDX-License-Identifier: MIT
// Rate at which the cores or GPUs of a run's ranks multiply matrices, as a calibration of their site has measured it.
#pragma once

#include "core/store/canaries.h"
#include "core/store/rows.h"

namespace ringside::store {

/// Floating-point operations per second of all ranks together: the rate of one rank, while all compute, times their
/// number. On CPUs that of their cores in float32; on GPUs that of float32, with or without TF32, or of bfloat16, as
/// the run's settings say. By the first of `known` (newest first) of as many ranks, nodes and cores that measured it
/// and was not disturbed; nullopt where there is none, and for bfloat16 on CPUs, which none measures.
std::optional<double> gemmRate(const Settings& run, const std::vector<SiteCalibration>& known);

/// The same by what the store has of the run's site.
Result<std::optional<double>> gemmRate(const Database& db, const RunRow& run);

} // namespace ringside::store
