// SPDX-License-Identifier: MIT
// Finds what an attempt lacks of a measurement: samples, numbers, length, or computation itself (STATISTICS.md, 1 and
// 8).
#pragma once

#include "core/protocol/states.h"
#include "core/store/flagreasons.h"

#include <cstdint>
#include <vector>

namespace ringside::store {

/// Flag incomplete. A complete attempt has a spool of every process with its end in it, every iteration of every rank
/// that trains, and nothing dropped or refused. Those that train are as many as its configuration says, and the world
/// of such a rank; a server rank's has the servers, too. For one that is not done, only what was dropped or refused
/// counts: that it was cut short is its state. A system whose complete spools lack the last iterations ended early:
/// nothing more will arrive. Throws what SQLiteCpp throws, as do the others.
void addIncomplete(std::vector<FlagReason>& reasons, SQLite::Database& db, std::int64_t attempt, RunState state,
                   int iterations, bool isOfSystem);

/// Ringside's own engine reports each loss, and NULL is one that was not a number. Systems and logs need not report
/// them: theirs is infinite where it was reported and not a number (logs::toldLoss).
enum class Losses
{
    allTold,
    someTold
};
/// Flag nan: a loss was not a finite number.
void addNan(std::vector<FlagReason>& reasons, SQLite::Database& db, std::int64_t attempt, Losses losses);

/// Flag short, as of stats::isShort(); nothing of an attempt that trained nothing.
void addShort(std::vector<FlagReason>& reasons, SQLite::Database& db, std::int64_t attempt);

/// Flag emulated, as ringside::isEmulated() of the configuration.
void addEmulated(std::vector<FlagReason>& reasons, SQLite::Database& db, std::int64_t attempt);

} // namespace ringside::store
