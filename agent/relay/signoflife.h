// SPDX-License-Identifier: MIT
// Looks for signs of life of a runner and its ranks in a campaign's files while there is no other report.
#pragma once

#include "core/base/files.h"
#include "core/base/ids.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ringside::relay {

/// A living rank writes a heartbeat every 2 s, and a silent one is ended, which the journal says, within 30 s.
inline constexpr std::int64_t kSignOfLifeNs = 30'000'000'000;

/// Wall clock of the last write to the campaign's journal, its job's number or the spools of these attempts; 0 without
/// one. Stops looking at the first that is younger than kSignOfLifeNs. Blocking, milliseconds.
std::int64_t lastSignOfLife(const fs::path& root, const CampaignId& campaign,
                            const std::vector<std::pair<RunId, int>>& attempts);

bool isSignOfLife(std::int64_t writtenAtNs);

} // namespace ringside::relay
