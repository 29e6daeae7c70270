// SPDX-License-Identifier: MIT
// Looks for signs of life of a runner and its ranks in a campaign's files while there is no other report.
#pragma once

#include "core/base/files.h"
#include "core/base/ids.h"

#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

namespace ringside::runner {

/// A living rank writes a heartbeat every 2 s, and a silent one is ended, which the journal says, within 30 s.
inline constexpr std::int64_t kSignOfLifeNs = 30'000'000'000;

/// Wall clock of the last write to the campaign's journal, its job's number or the spools of these attempts; 0 without
/// one. Stops looking at the first that is younger than kSignOfLifeNs. Blocking, milliseconds.
std::int64_t lastSignOfLife(const fs::path& root, const CampaignId& campaign,
                            const std::vector<std::pair<RunId, int>>& attempts);

bool isSignOfLife(std::int64_t writtenAtNs);

/// A living runner heeds a cancel within seconds, but for its guards, which may remove pictures on other nodes for five
/// minutes, and a shared folder that hides the order for one.
inline constexpr std::chrono::minutes kUnheededCancel{10};

/// True of a campaign that was cancelled so long ago, and of which nothing was written since. Its runner counts as dead
/// then where that cannot be proven, as on a machine with another name: all that is left to do is to record the end,
/// and one that goes on all the same ends once it sees that it was succeeded. Blocking: reads the journal.
bool isCancelUnheeded(const fs::path& campaign);

} // namespace ringside::runner
