// SPDX-License-Identifier: MIT
// The base case: a rule such as ranks = 1, resolved for each combination of the other factors.
#pragma once

#include "core/base/error.h"
#include "core/spec/experiment.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringside::spec {

/// A rule, and the settings that may differ because they follow from what the rule changes.
struct BaseCase
{
    Settings rule;
    std::set<std::string, std::less<>> following = {};
    std::string kept = {};              ///< key of the world that the base has as the configuration has it; empty: none
    std::vector<std::string> open = {}; ///< factors among what may differ, the world's first: see closestBases()
};

/// The experiment's own rule, or another one in its place (`--base ranks=1`). Settings that [[when]] makes by the
/// rule's keys follow.
BaseCase baseCase(const Experiment& experiment);
BaseCase baseCase(const Experiment& experiment, Settings rule);

/// A rule as typed: "ranks=1", "ranks=1, layout=contiguous". Fails with `usage` for unknown settings and values, and
/// then names what the experiment has.
Result<Settings> parseRule(std::string_view text, const Experiment& experiment);

/// "“plans” has ranks=1, ranks=2, plan=one and plan=buckets.": rules that choose one level of a factor; the first of
/// many.
std::string baseChoices(const Experiment& experiment);

/// The settings that the base of a configuration has: the rule's values in place of its own, everything derived made
/// anew (the held batch stays held; on a single rank the plan is "none", and another engine has its standard one). A
/// rule of nodes that names no ranks keeps those of each node.
/// Fails where these cannot be, such as a global batch that the rule's ranks do not divide, or where the rule is empty.
Result<Settings> resolveBase(const Settings& of, const BaseCase& base);

/// Returns what a base has to share with a configuration of the settings `of`: resolved settings less those that are
/// free to differ, and less those that only one of both engines knows.
Settings comparable(Settings resolved, const BaseCase& base, const Settings& of);

/// True if a configuration with the settings `candidate` is the base of one with the settings `of`. Both resolved, as
/// in Configuration::settings. A configuration that fulfils the rule is its own base.
bool isBaseOf(const Settings& candidate, const Settings& of, const BaseCase& base);

/// Name to what the base has and what a configuration has; nullopt where one of them has none.
using Differences = std::map<std::string, std::pair<std::optional<Value>, std::optional<Value>>, std::less<>>;

/// The settings in which a configuration differs from its base beside the factors and what follows from these: what a
/// [[when]] sets. Not in the plan where a single rank has "none", to which each collapses, nor where it is a system's
/// own way, nor in what only one of their engines knows, nor in an option that has no effect in one of them. Both
/// resolved.
Differences undeclaredDifferences(const Experiment& experiment, const Settings& base, const Settings& of);

/// Returns whether a run of these settings was made for a cell of the matrix, but before its system obeyed all settings
/// of the cell that tables have got since (Setting::inHashWhenDefault): it says nothing of these. Both resolved.
bool wasMadeFor(const Settings& cell, const Settings& run);

/// Settings that change the work of an iteration: a configuration is no base case where they differ.
inline constexpr std::array kWorkKeys = {"model", "image_size", "sequence_length"};

/// Returns what configurations of one line of a figure share: the factors' levels but the world and the plan, which
/// collapses on one rank, and, for base cases, what their rule says.
Settings lineOf(const Settings& settings, const std::vector<Factor>& factors, const Settings& rule = {});

/// Returns which of the base cases of a configuration, by their places, are to be taken: those that share with it the
/// factors that the rule leaves open, as far as any does; of its own engine those that tell the same settings; of
/// Ringside's, for a system, those with the plan of its design. Of some that are the same once resolved, the first.
std::vector<std::size_t> closestBases(const std::vector<Settings>& bases, const Settings& of, const BaseCase& base);

/// Returns what a rule has to name as well where it leaves several runs open: "plan = one", "plan = buckets".
std::vector<std::string> tellingApart(const std::vector<Settings>& several);

/// "ranks = 1 and plan = one".
std::string ruleText(const Settings& rule);

/// 1 if the settings do not say.
std::int64_t ranksOf(const Settings& settings);

} // namespace ringside::spec
