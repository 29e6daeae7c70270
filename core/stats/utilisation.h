// SPDX-License-Identifier: MIT
// Sums up how busy runs keep what they were given: cores and GPUs (STATISTICS.md, 11).
#pragma once

#include "core/stats/readings.h"

#include <optional>
#include <vector>

namespace ringside::stats {

/// The mean share over the readings of a rank, each weighed by its length; nullopt without any. Negative or NaN ones,
/// which say nothing, are skipped. Values are Telemetry::ownCoresShare, or GpuTelemetry::busyShare.
std::optional<double> meanShare(const Readings<double>& readings);

/// The mean over the ranks of a run, each with the same weight; nullopt without ranks, and where one's is not known.
std::optional<double> meanOverRanks(const std::vector<std::optional<double>>& ranks);

} // namespace ringside::stats
