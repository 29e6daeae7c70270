// SPDX-License-Identifier: MIT
// Resolves what an experiment says about one combination of levels to all settings of a configuration. Internal to
// core/spec.
#pragma once

#include "core/spec/experiment.h"

#include <functional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace ringside::spec {

/// Reason why settings cannot be resolved, and which one is to be changed.
struct Unresolved
{
    std::string key;
    std::string value;
    std::string message;
    std::string hint;
};

template <class T> using Resolved = tl::expected<T, Unresolved>;

/// Lays `upper` over `lower`. The two batches are one thing written in two ways: setting one removes the other.
Settings overlay(Settings lower, const Settings& upper);

/// True if `settings` has every value of `pattern`.
bool matches(const Settings& settings, const Settings& pattern);

/// Fills in defaults, completes ranks, nodes and ranks_per_node, derives batch_per_rank, on a single rank makes the
/// plan "none", and leaves out options that have no effect. Idempotent. Numbers of ranks and batches are checked; other
/// values are used as they are.
Resolved<Settings> resolve(Settings given);

/// With the defaults of those `keys` that the settings lack, where these have an effect.
Settings withDefaultsOf(const std::vector<std::string>& keys, Settings settings);

/// One combination of levels.
struct Cell
{
    Settings settings; ///< resolved; for an excluded cell as far as it can be
    std::string plan;  ///< as the levels say, before a single rank makes it "none"
    bool excluded = false;
    std::vector<std::size_t> conditionals = {}; ///< indices of those that applied
    std::string gap = {};                       ///< why its system cannot do it, so that it is excluded; empty: it can
};

/// Fixed settings, then levels, then conditionals, then exclusions. `site` becomes a setting.
Resolved<Cell> resolveCell(const Experiment& experiment, const Settings& levels, std::string_view site);

/// Calls `visit` with the levels of every combination, the last factor varying fastest, until it returns false.
void forEachCombination(const Experiment& experiment, const std::function<bool(const Settings& levels)>& visit);

/// ranks, nodes and ranks_per_node: any two fix the third.
bool isWorldKey(std::string_view key);
bool isBatchKey(std::string_view key);

} // namespace ringside::spec
