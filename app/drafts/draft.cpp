// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drafts/draft.h"

#include "core/base/words.h"
#include "core/spec/plans.h"
#include "core/spec/schema.h"
#include "core/spec/toml.h"

#include <algorithm>

namespace ringside {

namespace {

constexpr const char* kPlanKey = "plan";

std::vector<DraftFactor>::iterator planFactor(std::vector<DraftFactor>& factors)
{
    return std::find_if(factors.begin(), factors.end(), [](const DraftFactor& f) { return f.key == kPlanKey; });
}

Settings levelsOf(const Draft& draft, const Settings& cell)
{
    Settings levels;
    for (const DraftFactor& factor : draft.factors)
        if (const auto found = cell.find(factor.key); found != cell.end())
            levels.insert(*found);
    return levels;
}

/// As for the matrix an empty rule excludes nothing.
bool excludes(const Settings& rule, const Settings& cell)
{
    return !rule.empty() && std::ranges::all_of(rule, [&](const auto& entry) {
        const auto found = cell.find(entry.first);
        return found != cell.end() && found->second == entry.second;
    });
}

bool isExcluded(const std::vector<Settings>& rules, const Settings& cell)
{
    return std::ranges::any_of(rules, [&](const Settings& rule) { return excludes(rule, cell); });
}

} // namespace

Draft draftOf(const spec::Experiment& experiment)
{
    Draft draft{experiment, {}};
    for (const spec::Factor& factor : experiment.factors)
        draft.factors.push_back({factor.key, spec::levelsToText(factor.levels)});
    draft.experiment.factors.clear();
    return draft;
}

Draft withToml(const Draft& draft, const std::string& toml)
{
    const spec::ParseOutcome outcome = spec::readExperiment(toml);
    if (outcome.experiment)
        return draftOf(*outcome.experiment);
    Draft kept = draft;
    kept.toml = toml;
    return kept;
}

spec::Check tomlProblem(const std::string& toml)
{
    spec::ParseOutcome outcome = spec::readExperiment(toml);
    spec::sortByGravity(outcome.checks);
    spec::Check problem = outcome.checks.empty() ? spec::Check() : outcome.checks.front();
    const std::string hint = std::exchange(problem.hint, {});
    problem.message = toText(problem, "TOML");
    problem.hint = hint;
    problem.field = kTomlField;
    return problem;
}

void exclude(Draft& draft, const Settings& cell)
{
    draft.experiment.exclude.push_back(levelsOf(draft, cell));
}

void countAgain(Draft& draft, const Settings& cell, const std::vector<Settings>& others)
{
    std::vector<Settings>& rules = draft.experiment.exclude;
    const auto isKept = [&](const Settings& rule) { return !excludes(rule, cell); };
    const auto dropped = std::ranges::stable_partition(rules, isKept);
    const std::vector<Settings> before(dropped.begin(), dropped.end());
    rules.erase(dropped.begin(), dropped.end());
    for (const Settings& other : others)
        if (isExcluded(before, other) && !isExcluded(rules, other))
            exclude(draft, other);
}

PlanChoice planChoiceOf(const Draft& draft)
{
    PlanChoice choice{{}, draft.experiment.plans};
    std::vector<DraftFactor> factors = draft.factors;
    if (const auto factor = planFactor(factors); factor != factors.end()) {
        const spec::Setting& setting = *spec::findSetting(kPlanKey);
        for (const Value& level : spec::parseLevels(setting, factor->text, spec::planNames(draft.experiment)).levels)
            choice.levels.push_back(toText(level));
        return choice;
    }
    const auto fixed = draft.experiment.fixed.find(kPlanKey);
    choice.levels = {fixed == draft.experiment.fixed.end() ? spec::kStandardPlan : toText(fixed->second)};
    return choice;
}

void choosePlans(Draft& draft, const PlanChoice& choice)
{
    draft.experiment.plans = choice.plans;
    std::vector<Value> levels(choice.levels.begin(), choice.levels.end());
    if (const auto factor = planFactor(draft.factors); factor != draft.factors.end())
        factor->text = spec::levelsToText(levels);
    else if (levels.size() > 1)
        draft.factors.push_back({kPlanKey, spec::levelsToText(levels)});
    if (planFactor(draft.factors) != draft.factors.end())
        draft.experiment.fixed.erase(kPlanKey);
    else if (!levels.empty() &&
             (levels.front() != Value(std::string(spec::kStandardPlan)) || draft.experiment.fixed.count(kPlanKey)))
        draft.experiment.fixed[kPlanKey] = levels.front();
}

ReadDraft readDraft(const Draft& draft)
{
    ReadDraft read{draft.experiment, {}, {}, {}};
    if (draft.toml)
        read.checks.push_back(tomlProblem(*draft.toml));
    for (const DraftFactor& factor : draft.factors) {
        const spec::Setting* setting = spec::findSetting(factor.key);
        if (!setting) {
            read.experiment.factors.push_back({factor.key, spec::levelsOfUnknown(factor.text)}); // refused as such
            continue;
        }
        const spec::LevelList list = spec::parseLevels(*setting, factor.text, spec::planNames(draft.experiment));
        for (const spec::LevelError& error : list.errors) {
            spec::Check check;
            check.field = "factors." + factor.key;
            check.value = error.text;
            check.message = Words::tr("{}: {}", spec::shownLabelOf(factor.key), error.message);
            read.checks.push_back(check);
            read.notCounted.push_back(error.text);
        }
        if (!list.levels.empty())
            read.experiment.factors.push_back({factor.key, list.levels});
        else if (list.errors.empty())
            read.empty.push_back(factor.key);
    }
    return read;
}

} // namespace ringside
