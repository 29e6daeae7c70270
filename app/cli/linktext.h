// SPDX-License-Identifier: GPL-3.0-or-later
// Costs of links as texts of tables in the terminal.
#pragma once

#include "core/protocol/calibration.h"

#include <string>

namespace ringside::cli {

/// "12.4 µs", "3.10 ms".
std::string durationText(double seconds);
/// "1.2 GB/s"; a dash where nothing was measured.
std::string perSecond(double rate);
/// "all-reduce of GPU memory".
std::string messageText(const LinkCost& link);
/// Returns the latency of its first piece; a dash without any.
std::string latencyText(const LinkCost& link);
/// "2 pieces, 4 %": of the fit, and how far it is off at most.
std::string fitText(const LinkCost& link);

} // namespace ringside::cli
