// SPDX-License-Identifier: MIT
#include "core/report/heldbatch.h"

#include "core/spec/basecase.h"
#include "core/spec/schema.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace ringside::report {
namespace {

constexpr const char *kOwnBatch = "batch_per_rank", *kGlobalBatch = "batch_global";

/// Ranks and batch of each of some runs.
struct Point
{
    std::int64_t ranks = 0, ownBatch = 0;
    auto operator<=>(const Point&) const = default;
    std::int64_t globalBatch() const { return ranks * ownBatch; }
};

std::optional<Point> pointOf(const Settings& settings)
{
    const auto ranks = integerOf(settings, "ranks"), batch = integerOf(settings, kOwnBatch);
    return ranks && batch ? std::optional(Point{*ranks, *batch}) : std::nullopt;
}

bool isImported(const store::MeasuredRun& run)
{
    return run.row.kind == RunKind::imported;
}

/// Returns whether each batch is one of several counts of ranks.
template <class Batch> bool isHeld(const std::set<Point>& line, const Batch& batchOf)
{
    std::map<std::int64_t, std::set<std::int64_t>> ranks;
    for (const Point& point : line)
        ranks[std::invoke(batchOf, point)].insert(point.ranks);
    return std::ranges::all_of(ranks, [](const auto& entry) { return entry.second.size() > 1; });
}

bool hasSeveralRanks(const std::set<Point>& line)
{
    return std::ranges::any_of(line, [&](const Point& point) { return point.ranks != line.begin()->ranks; });
}

bool holdsGlobalBatch(const std::set<Point>& line)
{
    return isHeld(line, &Point::globalBatch) && !isHeld(line, &Point::ownBatch);
}

/// Without lines of one count of ranks, which hold either.
std::vector<std::set<Point>> linesOf(const MeasuredExperiment& measured)
{
    std::map<Settings, std::set<Point>> lines;
    for (const store::MeasuredRun& run : measured.runs)
        if (const auto point = pointOf(run.row.settings); point && isImported(run))
            lines[spec::lineOf(run.row.settings, measured.experiment.factors, {{kOwnBatch, {}}})].insert(*point);
    std::vector<std::set<Point>> several;
    for (auto& [settings, line] : lines)
        if (hasSeveralRanks(line))
            several.push_back(std::move(line));
    return several;
}

bool isGlobalBatchHeld(const MeasuredExperiment& measured)
{
    const spec::Experiment& experiment = measured.experiment;
    if (!std::ranges::all_of(measured.runs, isImported))
        return experiment.factor(kGlobalBatch) || experiment.fixed.contains(kGlobalBatch);
    const auto lines = linesOf(measured);
    return !lines.empty() && std::ranges::all_of(lines, holdsGlobalBatch);
}

/// Nothing where it is beyond what a batch may be.
std::optional<Value> globalBatchOf(const Settings& settings)
{
    const auto point = pointOf(settings);
    if (!point)
        return std::nullopt;
    const auto batch = spec::canonicalValue(*spec::findSetting(kGlobalBatch), Value(point->globalBatch()));
    return batch ? std::optional(*batch) : std::nullopt;
}

/// Changes an experiment that an import made, whose factors are what varies in its runs.
void replaceOwnBatch(spec::Experiment& experiment, const std::set<Value>& globalBatches)
{
    const auto factor = std::ranges::find(experiment.factors, kOwnBatch, &spec::Factor::key);
    if (factor == experiment.factors.end())
        return;
    if (globalBatches.size() > 1) {
        *factor = {kGlobalBatch, {globalBatches.begin(), globalBatches.end()}};
        return;
    }
    experiment.factors.erase(factor);
    experiment.fixed[kGlobalBatch] = *globalBatches.begin();
}

} // namespace

void holdGlobalBatches(MeasuredExperiment& measured)
{
    if (std::ranges::none_of(measured.runs, isImported) || !isGlobalBatchHeld(measured))
        return;
    std::set<Value> globalBatches;
    for (store::MeasuredRun& run : measured.runs) {
        if (!isImported(run))
            continue;
        if (const auto batch = globalBatchOf(run.row.settings)) {
            run.row.settings[kGlobalBatch] = *batch;
            globalBatches.insert(*batch);
        }
    }
    if (!globalBatches.empty() && std::ranges::all_of(measured.runs, isImported))
        replaceOwnBatch(measured.experiment, globalBatches);
}

} // namespace ringside::report
