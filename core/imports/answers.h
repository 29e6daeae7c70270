// SPDX-License-Identifier: MIT
// A user's answers to what logs do not say: settings, as an experiment names them, and some questions more. Pure.
#pragma once

#include "core/base/error.h"
#include "core/logs/content.h"
#include "core/protocol/settings.h"

#include <string>
#include <string_view>
#include <vector>

namespace ringside::imports {

/// Items of an epoch, where lines report nothing finer.
inline constexpr std::string_view kItemsPerEpoch = "items_per_epoch";
/// "yes" if ranks that printed nothing did what those did that printed. True of systems that wait for each other.
inline constexpr std::string_view kEqualRanks = "equal_ranks";
/// "yes" if files that seem to be of ranks of one run, by their names, are logs of their own.
inline constexpr std::string_view kSeparateFiles = "separate_files";

struct Answers
{
    Settings settings;      ///< of the configuration; checked by core/spec
    logs::LogSettings logs; ///< those among them that figures need
    bool equalRanks = false;
    bool separateFiles = false;
};

/// One more, "batch_per_rank=32". Fails with usage: an unknown key, no value of it, or a key that has one
/// already.
Result<void> addAnswer(Answers& answers, std::string_view text);

/// Returns whether the text is "KEY=…" with a key that addAnswer() knows, whatever its value.
bool looksLikeAnswer(std::string_view text);

/// A question, to be answered by `key`.
struct Question
{
    std::string key;
    std::string label; ///< "Batch per rank"; in the user's language, as what follows
    std::string sentence;
};
/// Asks for a setting that a preview misses.
Question questionFor(std::string_view key);

} // namespace ringside::imports
