// SPDX-License-Identifier: MIT
#include "core/spec/matrix.h"

#include "core/base/sequences.h"
#include "core/spec/plans.h"
#include "core/spec/resolve.h"
#include "core/spec/systems.h"
#include "core/spec/values.h"
#include "core/spec/wording.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <tuple>

namespace ringside::spec {

namespace {

/// Collects cells into configurations; cells that coincide become one.
class MatrixBuilder
{
public:
    explicit MatrixBuilder(const Experiment& experiment)
        : m_experiment(experiment)
    {
    }

    Result<void> add(Cell cell)
    {
        if (cell.excluded) {
            if (!cell.gap.empty())
                ++m_gaps[gapText(cell.settings, cell.gap)];
            if (m_excluded.insert(cell.settings).second)
                m_matrix.excluded.push_back({std::move(cell.settings), m_matrix.configurations.size()});
            return {};
        }
        const std::string planName = *textOf(cell.settings, "plan");
        const auto plan = planOf(m_experiment, cell.settings);
        if (!plan)
            return fail(ErrorCode::usage, Words::tr("Plan: {} is not known.", inQuotes(planName)),
                        suggestion(planName, planNames(m_experiment)));
        noteUnknown(cell.settings);
        noteIdle(cell.settings);
        const std::string key = addConfiguration(std::move(cell.settings), *plan);
        if (auto& plans = m_plansOfSingleRanks[key]; planName == kNoPlan && !contains(plans, cell.plan))
            plans.push_back(cell.plan);
        return {};
    }

    Matrix take()
    {
        noteCollapse();
        for (const auto& [title, setting] : m_unknown)
            m_matrix.notes.push_back(
                Words::tr("{} does not know {}: its runs use its own default.", title, inQuotes(setting)));
        for (const std::string& title : m_aggregateThemselves)
            m_matrix.notes.push_back(Words::tr("{} aggregates in its own way: {} has no effect on its runs.", title,
                                               inQuotes(shownLabelOf("plan"))));
        for (const std::string& option : m_idle)
            m_matrix.notes.push_back(Words::tr("{} has an effect only {}. Elsewhere its levels are one configuration.",
                                               inQuotes(shownLabelOf(option)), effectText(option)));
        for (const auto& [gap, cells] : m_gaps)
            m_matrix.notes.push_back(
                Words::counted("{} combinations are left out for {}", "{} combination is left out for {}", cells, gap));
        return std::move(m_matrix);
    }

    /// Empty: there is none.
    std::string firstGap() const { return m_gaps.empty() ? std::string() : m_gaps.begin()->first; }

private:
    /// Plans that a conditional makes differ in another setting stay apart on one rank, too.
    void noteCollapse()
    {
        std::vector<std::string> collapsed;
        for (const auto& [key, plans] : m_plansOfSingleRanks)
            for (const std::string& plan : plans)
                if (plans.size() > 1 && plan != kNoPlan && plan != kOwnPlan && !contains(collapsed, plan))
                    collapsed.push_back(plan);
        if (collapsed.size() > 1)
            m_matrix.notes.push_back(
                Words::tr("On 1 rank there is nothing to aggregate: {} are one configuration, “{}”.", listed(collapsed),
                          kNoPlan));
    }

    /// Notes settings that the experiment states and a system does not know, plans among them; other systems' options
    /// are not meant for it.
    void noteUnknown(const Settings& settings)
    {
        const System* system = systemOf(settings);
        if (!system)
            return;
        const auto note = [&](const std::string& key, const Value& level) {
            if (key == "plan")
                notePlan(*system, settings, level);
            else if (!settings.contains(key) && !isOption(key) && !isBatchKey(key))
                m_unknown.emplace(system->title, shownLabelOf(key));
        };
        for (const Factor& factor : m_experiment.factors)
            for (const Value& level : factor.levels)
                note(factor.key, level);
        for (const auto& [key, value] : m_experiment.fixed)
            note(key, value);
        for (const Conditional& conditional : m_experiment.when)
            if (matches(settings, conditional.match))
                for (const auto& [key, value] : conditional.set)
                    note(key, value);
    }

    /// On one rank there is nothing to aggregate.
    void notePlan(const System& system, const Settings& settings, const Value& level)
    {
        if (isOwnPlan("plan", settings.at("plan")) && !isOwnPlan("plan", level))
            m_aggregateThemselves.insert(system.title);
    }

    void noteIdle(const Settings& settings)
    {
        for (const Factor& factor : m_experiment.factors)
            if (isOption(factor.key) && factor.levels.size() > 1 && knows(settings, factor.key) &&
                !hasEffect(settings, factor.key))
                m_idle.insert(factor.key);
    }

    /// Returns its key.
    std::string addConfiguration(Settings settings, const AggregationPlan& plan)
    {
        const Runs& runs = m_experiment.runs;
        const std::string key = configurationKey(settings, plan, runs.iterations, runs.warmup);
        if (m_keys.insert(key).second)
            m_matrix.configurations.push_back({key, std::move(settings), plan, runs.iterations, runs.warmup});
        return key;
    }

    const Experiment& m_experiment;
    Matrix m_matrix;
    std::set<std::string> m_keys;
    std::set<Settings> m_excluded;
    std::map<std::string, std::vector<std::string>> m_plansOfSingleRanks; ///< as levels say, by configuration
    std::set<std::pair<std::string, std::string>> m_unknown;              ///< system and setting
    std::set<std::string> m_aggregateThemselves; ///< systems for which the experiment states plans
    std::set<std::string> m_idle;                ///< options that have no effect in some cells
    std::map<std::string, std::size_t> m_gaps;   ///< system, and why it cannot do so many
};

/// Below `limit`, each value equally likely. Own code, because std::uniform_int_distribution differs between libraries.
std::uint64_t drawBelow(std::uint64_t limit, std::mt19937_64& generator)
{
    const std::uint64_t unfair = (std::numeric_limits<std::uint64_t>::max() % limit + 1) % limit;
    std::uint64_t drawn = generator();
    while (drawn < unfair)
        drawn = generator();
    return drawn % limit;
}

/// Fisher and Yates.
void shuffle(std::vector<std::size_t>& items, std::mt19937_64& generator)
{
    for (std::size_t i = items.size(); i > 1; --i)
        std::swap(items[i - 1], items[drawBelow(i, generator)]);
}

std::vector<PlannedRun> orderedRuns(std::size_t configurations, const Runs& runs)
{
    std::vector<std::size_t> block(configurations);
    std::iota(block.begin(), block.end(), std::size_t{0});
    std::mt19937_64 generator(runs.seed);
    std::vector<PlannedRun> ordered;
    for (int repeat = 1; repeat <= runs.repeats; ++repeat) {
        if (runs.order == RunOrder::random)
            shuffle(block, generator);
        for (const std::size_t configuration : block)
            ordered.push_back({configuration, repeat});
    }
    return ordered;
}

Result<void> addCells(const Experiment& experiment, std::string_view site, MatrixBuilder& builder)
{
    Result<void> outcome;
    forEachCombination(experiment, [&](const Settings& levels) {
        auto cell = resolveCell(experiment, levels, site);
        outcome =
            cell ? builder.add(std::move(*cell)) : fail(ErrorCode::usage, cell.error().message, cell.error().hint);
        return outcome.has_value();
    });
    return outcome;
}

Result<void> refuseFirst(const std::vector<Check>& checks)
{
    for (const Check& check : checks)
        if (check.severity == Severity::blocking)
            return fail(ErrorCode::usage, check.message, check.hint);
    return {};
}

} // namespace

Result<Matrix> expand(const Experiment& experiment, std::string_view site)
{
    TRY(refuseFirst(checkValues(experiment)));
    TRY(refuseFirst(checkCombinations(experiment)));
    MatrixBuilder builder(experiment);
    TRY(addCells(experiment, site.empty() ? std::string_view(experiment.site) : site, builder));
    Matrix matrix = builder.take();
    TRY(refuseFirst(checkSize(matrix.configurations.size(), experiment, builder.firstGap())));
    matrix.runs = orderedRuns(matrix.configurations.size(), experiment.runs);
    std::vector<const Settings*> settings =
        mapped(matrix.configurations, [](const Configuration& configuration) { return &configuration.settings; });
    matrix.scaling = scalingOf(settings, experiment.factors);
    return matrix;
}

std::size_t combinationCount(const Experiment& experiment)
{
    std::size_t count = 1;
    for (const Factor& factor : experiment.factors) {
        const std::size_t levels = factor.levels.size();
        if (levels > 0 && count > std::numeric_limits<std::size_t>::max() / levels)
            return std::numeric_limits<std::size_t>::max();
        count *= levels;
    }
    return count;
}

const Configuration& smallestConfiguration(const Matrix& matrix)
{
    const auto size = [](const Configuration& c) {
        return std::make_tuple(*integerOf(c.settings, "ranks"), *integerOf(c.settings, "batch_per_rank"));
    };
    return *std::ranges::min_element(matrix.configurations,
                                     [&](const auto& a, const auto& b) { return size(a) < size(b); });
}

} // namespace ringside::spec
