// SPDX-License-Identifier: MIT
#include "core/spec/values.h"

#include "core/base/text.h"
#include "core/spec/matrix.h"
#include "core/spec/planchecks.h"
#include "core/spec/plans.h"
#include "core/spec/schema.h"
#include "core/spec/wording.h"

#include <algorithm>
#include <limits>
#include <set>

namespace ringside::spec {

namespace {

constexpr std::uint64_t kLargestSeed = std::numeric_limits<std::int64_t>::max(); ///< what TOML can say
constexpr std::size_t kMaxComparisons = 2'000'000; ///< of combinations with patterns: about a second
constexpr int kMostIterations = 100'000'000;

class ValueChecker
{
public:
    explicit ValueChecker(const Experiment& experiment)
        : m_experiment(experiment)
    {
    }

    std::vector<Check> check()
    {
        for (const Factor& factor : m_experiment.factors)
            checkFactor(factor);
        checkSettings("fixed", m_experiment.fixed);
        checkConditionals();
        checkSettings("base", m_experiment.base);
        for (std::size_t i = 0; i < m_experiment.exclude.size(); ++i)
            checkSettings(fmt::format("exclude[{}]", i), m_experiment.exclude[i]);
        for (const auto& [name, plan] : m_experiment.plans)
            std::ranges::move(checkPlan(name, plan), std::back_inserter(m_checks));
        checkTwiceSaid();
        return std::move(m_checks);
    }

private:
    void block(std::string field, std::string value, std::string message, std::string hint)
    {
        m_checks.push_back(
            {Severity::blocking, std::move(field), std::move(value), 0, 0, std::move(message), std::move(hint)});
    }

    void checkFactor(const Factor& factor)
    {
        const std::string field = "factors." + factor.key;
        const std::string label = shownLabelOf(factor.key);
        if (!checkKey(field, factor.key))
            return;
        if (!m_factorKeys.insert(factor.key).second)
            block(field, "", Words::tr("{}: is a factor twice.", label), Words::tr("Put all levels into one list."));
        if (factor.levels.empty())
            block(field, "", Words::tr("{}: has no levels.", label), Words::tr("Name at least one."));
        std::set<Value> seen;
        for (std::size_t i = 0; i < factor.levels.size(); ++i) {
            const std::string place = fmt::format("{}[{}]", field, i);
            checkValue(place, factor.key, factor.levels[i]);
            if (!seen.insert(factor.levels[i]).second)
                m_checks.push_back({Severity::warning, place, toText(factor.levels[i]), 0, 0,
                                    Words::tr("{}: {} is listed twice.", label, inQuotes(toText(factor.levels[i]))),
                                    Words::tr("Remove one of them.")});
        }
    }

    void checkSettings(const std::string& table, const Settings& settings)
    {
        for (const auto& [key, value] : settings)
            if (const std::string field = table + "." + key; checkKey(field, key))
                checkValue(field, key, value);
    }

    void checkConditionals()
    {
        for (std::size_t i = 0; i < m_experiment.when.size(); ++i) {
            checkSettings(fmt::format("when[{}].match", i), m_experiment.when[i].match);
            checkSettings(fmt::format("when[{}].set", i), m_experiment.when[i].set);
            checkNoFactor(fmt::format("when[{}].set.", i), m_experiment.when[i].set);
        }
    }

    void checkNoFactor(const std::string& table, const Settings& set)
    {
        for (const auto& [key, value] : set)
            if (m_experiment.factor(key))
                m_checks.push_back(
                    {Severity::warning, table + key, toText(value), 0, 0,
                     Words::tr("{}: is a factor, whose levels become one where this holds.", shownLabelOf(key)),
                     Words::tr("Exclude combinations that are not wanted instead.")});
    }

    bool checkKey(const std::string& field, const std::string& key)
    {
        if (findSetting(key))
            return true;
        block(field, key, Words::tr("{} is no setting.", inQuotes(key)), suggestion(key, settingKeys()));
        return false;
    }

    void checkValue(const std::string& field, const std::string& key, const Value& value)
    {
        const auto canonical = canonicalValue(*findSetting(key), value);
        if (!canonical)
            block(field, toText(value), about(key, canonical.error().message), canonical.error().hint);
        else if (key == "plan")
            checkPlanName(field, std::get<std::string>(*canonical));
    }

    void checkPlanName(const std::string& field, const std::string& name)
    {
        if (planNamed(m_experiment, name))
            return;
        const std::string meant = suggestion(name, planNames(m_experiment));
        block(field, name, Words::tr("Plan: {} is not known.", inQuotes(name)),
              meant.empty() ? Words::tr("“ringside-cli plans” lists those there are; others are tables [plans.NAME].")
                            : meant);
    }

    void checkTwiceSaid()
    {
        for (const auto& [key, value] : m_experiment.fixed)
            if (m_factorKeys.count(key))
                block("fixed." + key, toText(value), Words::tr("{}: is a factor and fixed as well.", shownLabelOf(key)),
                      Words::tr("Keep one of the two."));
        if (says("batch_per_rank") && says("batch_global"))
            block(fieldOf("batch_global"), "", Words::tr("Batch: is given per rank and in all."),
                  Words::tr("Keep batch_per_rank (weak scaling) or batch_global (strong scaling)."));
    }

    bool says(const char* key) const { return m_factorKeys.count(key) > 0 || m_experiment.fixed.count(key) > 0; }
    std::string fieldOf(const std::string& key) const
    {
        return (m_factorKeys.count(key) ? "factors." : "fixed.") + key;
    }

    const Experiment& m_experiment;
    std::vector<Check> m_checks;
    std::set<std::string> m_factorKeys;
};

Check tooMany(std::string message)
{
    std::string hint = Words::tr("Exclude combinations or remove levels.");
    return {Severity::blocking, "factors", "", 0, 0, std::move(message), std::move(hint)};
}

Check tooManyRuns(std::size_t configurations, std::size_t repeats)
{
    const std::string matrix = Words::counted("{} configurations", "{} configuration", configurations);
    const std::string each = Words::counted("{} repeats", "{} repeat", repeats);
    const std::string all = Words::counted("{} runs", "{} run", configurations * repeats);
    return tooMany(Words::tr("{} × {} = {}; at most {} are allowed.", matrix, each, all, grouped(kMaxRuns)));
}

void checkRuns(const Runs& runs, std::vector<Check>& checks)
{
    const auto block = [&](const char* field, int value, std::string message) {
        checks.push_back({Severity::blocking, field, std::to_string(value), 0, 0, std::move(message), {}});
    };
    if (runs.repeats < 1 || runs.repeats > static_cast<int>(kMaxRuns))
        block("runs.repeats", runs.repeats, Words::tr("Repeats must be from 1 to 10,000."));
    if (runs.iterations < 1 || runs.iterations > kMostIterations)
        block("runs.iterations", runs.iterations, Words::tr("Iterations must be from 1 to 100,000,000."));
    if (runs.seed > kLargestSeed)
        block("runs.seed", -1, Words::tr("The seed must be from 0 to 9,223,372,036,854,775,807."));
    if (runs.hungAfterSeconds < kLeastHungAfterSeconds || runs.hungAfterSeconds > kMostHungAfterSeconds)
        block("runs.hung_after_s", runs.hungAfterSeconds, Words::tr("hung_after_s must be from 10 to 86,400 seconds."));
    if (runs.warmup < 0)
        block("runs.warmup", runs.warmup, Words::tr("Warm-up must be 0 or more iterations."));
    else if (runs.warmup >= runs.iterations)
        block("runs.warmup", runs.warmup,
              Words::tr("Warm-up ({}) must be below iterations ({}).", runs.warmup, runs.iterations));
}

} // namespace

std::vector<Check> checkValues(const Experiment& experiment)
{
    std::vector<Check> checks = ValueChecker(experiment).check();
    checkRuns(experiment.runs, checks);
    return checks;
}

std::vector<Check> checkCombinations(const Experiment& experiment)
{
    const std::size_t combinations = combinationCount(experiment);
    if (combinations > kMaxCombinations)
        return {{Severity::blocking, "factors", "", 0, 0,
                 Words::counted("The levels make {} combinations; at most {} are looked at.",
                                "The levels make {} combination; at most {} are looked at.", combinations,
                                grouped(kMaxCombinations)),
                 Words::tr("Remove levels.")}};
    const std::size_t patterns = experiment.when.size() + experiment.exclude.size();
    if (combinations * patterns > kMaxComparisons)
        return {{Severity::blocking, "exclude", "", 0, 0,
                 Words::counted("{} conditionals and exclusions are too many for {} combinations.",
                                "{} conditional or exclusion is too many for {} combinations.", patterns,
                                grouped(combinations)),
                 Words::tr("Remove levels rather than excluding them one by one.")}};
    return {};
}

std::vector<Check> checkSize(std::size_t configurations, const Experiment& experiment, const std::string& gap)
{
    if (configurations == 0 && !gap.empty())
        return {{Severity::blocking, "fixed.engine", "", 0, 0, Words::tr("Every combination is left out for {}", gap),
                 Words::tr("Choose other settings, or another engine.")}};
    const auto repeats = static_cast<std::size_t>(std::max(experiment.runs.repeats, 0));
    if (configurations == 0 && !experiment.exclude.empty())
        return {{Severity::blocking, "exclude", "", 0, 0, Words::tr("Every combination is excluded."),
                 Words::tr("Remove an exclusion.")}};
    if (configurations * repeats > kMaxRuns)
        return {tooManyRuns(configurations, repeats)};
    if (configurations > kMaxConfigurations)
        return {tooMany(Words::counted("{} configurations; at most {} are allowed.",
                                       "{} configuration; at most {} are allowed.", configurations,
                                       grouped(kMaxConfigurations)))};
    return {};
}

} // namespace ringside::spec
