// SPDX-License-Identifier: MIT
#include "core/spec/values.h"

#include "core/base/text.h"
#include "core/spec/matrix.h"
#include "core/spec/plans.h"
#include "core/spec/schema.h"
#include "core/spec/wording.h"

#include <algorithm>
#include <limits>
#include <set>

namespace ringside::spec {

namespace {

constexpr std::uint64_t kLargestBucketBytes = std::uint64_t{64} << 30;
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
            checkPlan(name, plan);
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
        const std::string label = labelOf(factor.key);
        if (!checkKey(field, factor.key))
            return;
        if (!m_factorKeys.insert(factor.key).second)
            block(field, "", fmt::format("{}: is a factor twice.", label), "Put all levels into one list.");
        if (factor.levels.empty())
            block(field, "", fmt::format("{}: has no levels.", label), "Name at least one.");
        std::set<Value> seen;
        for (std::size_t i = 0; i < factor.levels.size(); ++i) {
            const std::string place = fmt::format("{}[{}]", field, i);
            checkValue(place, factor.key, factor.levels[i]);
            if (!seen.insert(factor.levels[i]).second)
                m_checks.push_back({Severity::warning, place, toText(factor.levels[i]), 0, 0,
                                    fmt::format("{}: {} stands twice.", label, quoted(toText(factor.levels[i]))),
                                    "Once is enough."});
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
        }
    }

    bool checkKey(const std::string& field, const std::string& key)
    {
        if (findSetting(key))
            return true;
        block(field, key, fmt::format("{} is no setting.", quoted(key)), suggestion(key, settingKeys()));
        return false;
    }

    void checkValue(const std::string& field, const std::string& key, const Value& value)
    {
        const auto canonical = canonicalValue(*findSetting(key), value);
        if (!canonical)
            block(field, toText(value), fmt::format("{}: {}", labelOf(key), canonical.error().message),
                  canonical.error().hint);
        else if (key == "plan")
            checkPlanName(field, std::get<std::string>(*canonical));
    }

    void checkPlanName(const std::string& field, const std::string& name)
    {
        if (!planNamed(m_experiment, name))
            block(field, name, fmt::format("Plan: {} is not known.", quoted(name)),
                  suggestion(name, planNames(m_experiment)));
    }

    void checkPlan(const std::string& name, const AggregationPlan& plan)
    {
        const std::string field = "plans." + name;
        if (name == kNoPlan)
            block(field, name, "Plan: “none” is what a single rank has and cannot be changed.", "Choose another name.");
        if (name.empty() || plan.name != name)
            block(field, name, "Plan: has no name of its own.", "Write [plans.name].");
        if (plan.collective == Collective::none)
            block(field, "none", fmt::format("Plan: {} combines nothing.", quoted(name)),
                  "Use the collective “allreduce”.");
        if (plan.grouping != Grouping::buckets)
            return;
        for (const std::uint64_t bytes : {plan.firstBucketBytes, plan.bucketCapBytes})
            if (bytes == 0 || bytes > kLargestBucketBytes)
                block(field, formatSize(bytes), fmt::format("Plan: a bucket of {} cannot be.", formatSize(bytes)),
                      "Use 1 B to 64 GiB.");
    }

    void checkTwiceSaid()
    {
        for (const auto& [key, value] : m_experiment.fixed)
            if (m_factorKeys.count(key))
                block("fixed." + key, toText(value), fmt::format("{}: is a factor and fixed as well.", labelOf(key)),
                      "Keep one of the two.");
        if (says("batch_per_rank") && says("batch_global"))
            block(fieldOf("batch_global"), "", "Batch: is given per rank and in all.",
                  "Keep batch_per_rank (weak scaling) or batch_global (strong scaling).");
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
    return {Severity::blocking, "factors", "", 0, 0, std::move(message), "Exclude combinations or take levels away."};
}

void checkRuns(const Runs& runs, std::vector<Check>& checks)
{
    const auto block = [&](const char* field, int value, std::string message, std::string hint) {
        checks.push_back({Severity::blocking, field, std::to_string(value), 0, 0, std::move(message), std::move(hint)});
    };
    if (runs.repeats < 1 || runs.repeats > static_cast<int>(kMaxRuns))
        block("runs.repeats", runs.repeats, fmt::format("Repeats: {} cannot be.", runs.repeats), "Use 1 to 10,000.");
    if (runs.iterations < 1 || runs.iterations > kMostIterations)
        block("runs.iterations", runs.iterations, fmt::format("Iterations: {} cannot be.", runs.iterations),
              "Use 1 to 100,000,000.");
    if (runs.seed > kLargestSeed)
        block("runs.seed", -1, "Seed: is too large.", "Use 0 to 9,223,372,036,854,775,807.");
    if (runs.warmup < 0)
        block("runs.warmup", runs.warmup, fmt::format("Warm-up: {} cannot be.", runs.warmup), "Use 0 or more.");
    else if (runs.warmup >= runs.iterations)
        block("runs.warmup", runs.warmup,
              fmt::format("Warm-up ({}) must be below iterations ({}).", runs.warmup, runs.iterations), "");
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
                 fmt::format("The levels make {} combinations; at most {} are looked at.", grouped(combinations),
                             grouped(kMaxCombinations)),
                 "Take levels away."}};
    const std::size_t patterns = experiment.when.size() + experiment.exclude.size();
    if (combinations * patterns > kMaxComparisons)
        return {{Severity::blocking, "exclude", "", 0, 0,
                 fmt::format("{} conditionals and exclusions are too many for {} combinations.", grouped(patterns),
                             grouped(combinations)),
                 "Take levels away rather than excluding them one by one."}};
    return {};
}

std::vector<Check> checkSize(std::size_t configurations, const Experiment& experiment)
{
    const auto repeats = static_cast<std::size_t>(std::max(experiment.runs.repeats, 0));
    if (configurations == 0 && !experiment.exclude.empty())
        return {{Severity::blocking, "exclude", "", 0, 0, "Every combination is excluded.", "Take an exclusion away."}};
    if (configurations * repeats > kMaxRuns)
        return {
            tooMany(fmt::format("{} × {} = {} runs; at most {} are allowed.", counted(configurations, "configuration"),
                                counted(repeats, "repeat"), grouped(configurations * repeats), grouped(kMaxRuns)))};
    if (configurations > kMaxConfigurations)
        return {tooMany(fmt::format("{}; at most {} are allowed.", counted(configurations, "configuration"),
                                    grouped(kMaxConfigurations)))};
    return {};
}

} // namespace ringside::spec
