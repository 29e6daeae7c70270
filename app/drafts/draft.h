// SPDX-License-Identifier: GPL-3.0-or-later
// The contents of the form: an experiment, and text that is none yet. Plain values.
#pragma once

#include "core/spec/check.h"
#include "core/spec/experiment.h"
#include "core/spec/levels.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ringside {

/// A factor as typed.
struct DraftFactor
{
    std::string key;
    std::string text; ///< "1, 2, 4"
    bool operator==(const DraftFactor&) const = default;
};

struct Draft
{
    spec::Experiment experiment; ///< everything but the factors
    std::vector<DraftFactor> factors;
    std::optional<std::string> toml = {}; ///< typed as text and not readable yet; once it is, it replaces the rest
    bool operator==(const Draft&) const = default;
};

Draft draftOf(const spec::Experiment& experiment);

inline constexpr const char* kTomlField = "toml"; ///< of the check about Draft::toml

/// Reads the text; the draft with the text beside it while that cannot be read.
Draft withToml(const Draft& draft, const std::string& toml);
/// The first problem of a text that cannot be read: blocking, with line and column, field kTomlField.
spec::Check tomlProblem(const std::string& toml);

/// Leaves a cell of the matrix out, by its levels.
void exclude(Draft& draft, const Settings& cell);
/// Counts a cell again. A rule that excludes more than this cell gives way to one for each of the `others` that it
/// excludes; these are the cells that stay excluded.
void countAgain(Draft& draft, const Settings& cell, const std::vector<Settings>& others);

/// The plans that are compared, by name, and the experiment's own among all plans.
struct PlanChoice
{
    std::vector<std::string> levels;
    std::map<std::string, AggregationPlan> plans;
    bool operator==(const PlanChoice&) const = default;
};
/// Levels that are no plan's name are left out. Where the draft says nothing: the standard plan.
PlanChoice planChoiceOf(const Draft& draft);
/// Several plans are a factor, a single one is held constant unless it is one already.
void choosePlans(Draft& draft, const PlanChoice& choice);

/// The experiment with the levels that could be read, and a blocking check for each that could not
/// (field "factors.<key>") and for a text that cannot be read.
struct ReadDraft
{
    spec::Experiment experiment;
    std::vector<spec::Check> checks;
    std::vector<std::string> notCounted; ///< levels that the matrix leaves out: "fp8"
    std::vector<std::string> empty;      ///< factors without a level, by key, which it leaves out

    /// False: the experiment has less than the draft.
    bool isWhole() const { return checks.empty() && empty.empty(); }
};
ReadDraft readDraft(const Draft& draft);

} // namespace ringside
