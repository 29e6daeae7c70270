// SPDX-License-Identifier: MIT
// Lists in words what else differs between a group and its base case. English, the language of exports. Pure; any
// thread.
#pragma once

#include "core/report/comparison.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace ringside::report {

/// "batch per rank 16, here 8; precision fp32, here bf16"; empty where only factors differ.
std::string differencesText(const Group& group);

/// Covers all groups that are set against a base case: "batch per rank (base case: 16; others: 4, 8)"; empty if nothing
/// differs.
std::string differencesText(const Comparison& comparison);

/// One for each fact that differs among the runs of one cell, whose median then is of neither: "torch is not the same
/// in all runs of buckets and 2 more: 2.10.0 and 2.11.0".
std::vector<std::string> pooledNotes(const Comparison& comparison);

/// Only what: "batch per rank and plan".
std::string differingNames(const spec::Differences& differences);

/// The same of all groups that are set against a base case.
std::string differingNames(const Comparison& comparison);

/// The level of a setting, or a fact, as these texts show it.
std::string differenceLevelText(const std::string& name, const std::optional<Value>& level);

/// Name to what the base, the fastest or the design and what the group has; null where one has none.
nlohmann::ordered_json differencesToJson(const spec::Differences& differences);

/// The settings and facts, as keys.
std::vector<std::string> keysOf(const spec::Differences& differences);

/// "differs in batch per rank and plan, too".
std::string differsToo(const std::vector<std::string>& keys);

/// "batch per rank" within a sentence, in the user's language.
std::string shownName(const std::string& key);

} // namespace ringside::report
