// SPDX-License-Identifier: MIT
// The batches that lines beside the records of a run state: settings, printed by a harness, or by each rank. Where two
// of them differ (of a rank and of all, of training and of validation), nothing says which one trains. Pure.
#pragma once

#include "core/logs/content.h"

#include <array>
#include <optional>
#include <vector>

namespace ringside::logs {

struct Batch
{
    Quantity quantity;
    std::optional<std::int64_t> LogSettings::*setting;
};
/// As StatedBatches.
inline constexpr auto kBatches = std::to_array<Batch>(
    {{Quantity::batchPerRank, &LogSettings::batchPerRank}, {Quantity::batchGlobal, &LogSettings::batchGlobal}});

/// Returns the batches that the values of this line state, and drops those that are none, as 0 and the -1 of “auto”
/// are.
StatedBatches takeStated(LineValues& values, std::uint64_t line, bool isReported = false);

/// Returns what two lines state together. Once it is unclear, it stays so.
StatedBatch together(const StatedBatch& earlier, const StatedBatch& later);

/// Returns whether a line states another batch than is known. Reporters do not: their ranks may have batches of their
/// own.
bool statesAnother(const StatedBatches& known, const StatedBatches& stated);

/// Adds what lines state to what is `known`. A batch that is unclear then is taken out of the settings for good: there
/// stays what the user says. Returns the first that has become so, unless the user says one, or
/// reporters alone state them: ranks may have batches of their own.
std::optional<Finding> addStated(LogSettings& settings, StatedBatches& known, const StatedBatches& stated,
                                 const LogSettings& given);

/// Adds statements of later records. Returns where they contradict earlier ones. Of two numbers of ranks the later
/// line's is used: a header may stand before those whose records came first.
std::vector<Finding> addStatements(Statements& known, const Statements& later, const LogSettings& given);

} // namespace ringside::logs
