// SPDX-License-Identifier: MIT
// Expands an experiment into the runs it means. Pure functions; the same experiment yields the same matrix everywhere.
#pragma once

#include "core/base/error.h"
#include "core/spec/experiment.h"
#include "core/spec/scaling.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::spec {

inline constexpr std::size_t kMaxConfigurations = 2'000;
inline constexpr std::size_t kMaxRuns = 10'000;
/// Combinations looked at before exclusions; bounds what a hostile file can make us do.
inline constexpr std::size_t kMaxCombinations = 20'000;

/// One cell of the matrix.
struct Configuration
{
    std::string key; ///< see configurationKey()
    /// Every setting, resolved: defaults filled in, `site` and `plan` (its name) among them. `nodes`, `ranks` and
    /// `ranks_per_node` are all there. `batch_per_rank` is always there; `batch_global` only where the experiment holds
    /// the global batch fixed, which is what makes scaling strong.
    Settings settings;
    AggregationPlan plan; ///< "none" on a single rank
    int iterations = 1;   ///< of a run, warm-up included
    int warmup = 0;
    bool operator==(const Configuration&) const = default;
};

/// One launch of a configuration. Its place in Matrix::runs is its place in the order of execution.
struct PlannedRun
{
    std::size_t configuration = 0; ///< index into Matrix::configurations
    int repeat = 1;                ///< from 1
    bool operator==(const PlannedRun&) const = default;
};

/// A cell that [[exclude]] removes, or that its system cannot do.
struct ExcludedCell
{
    Settings settings;      ///< resolved as far as it can be
    std::size_t before = 0; ///< index of the configuration that follows it; as many as there are: none does
};

struct Matrix
{
    std::vector<Configuration> configurations; ///< the last factor varies fastest
    std::vector<ExcludedCell> excluded;        ///< in the same order
    std::vector<PlannedRun> runs;              ///< in the order of execution
    std::vector<std::string> notes;            ///< "On 1 rank the plans one and buckets are the same: none."
    Scaling scaling = Scaling::none;
};

/// Every combination of levels, less the excluded ones; combinations that coincide are one configuration.
/// `site` stands in for the experiment's own, unless it is empty.
/// Runs are interleaved: one repeat of every configuration, in matrix order or shuffled by the seed, then the next
/// repeat. Fails with `usage` for what cannot be resolved or is beyond the limits above; validate() lists all such
/// findings.
Result<Matrix> expand(const Experiment& experiment, std::string_view site = {});

/// Name-based UUID (RFC 4122, version 5: SHA-1) of the canonical JSON of settings (site included), plan, iterations and
/// warm-up; of the plan counts what it does, and its name as a setting. Settings that were added later are left out
/// while they have their default.
std::string configurationKey(const Settings& settings, const AggregationPlan& plan, int iterations, int warmup);

/// Counts the combinations of the levels, before conditionals and exclusions; saturates.
std::size_t combinationCount(const Experiment& experiment);

/// The configuration that is cheapest to try: fewest ranks, then smallest batch. Precondition: there is one.
const Configuration& smallestConfiguration(const Matrix& matrix);

} // namespace ringside::spec
