// SPDX-License-Identifier: MIT
#include "core/logs/figure.h"

#include "core/logs/measure.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ringside::logs {

namespace {

std::optional<double> medianOf(std::vector<double> values)
{
    if (values.empty())
        return std::nullopt;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1)
        return *middle;
    return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

/// Items of one iteration, of the work that a line of this scope is about.
std::optional<double> batchOf(const LogSettings& settings, Scope scope)
{
    const auto over = [](const std::optional<std::int64_t>& whole, const std::optional<std::int64_t>& parts) {
        return whole && parts && *parts > 0 ? std::optional(static_cast<double>(*whole) / static_cast<double>(*parts))
                                            : std::nullopt;
    };
    const auto times = [](const std::optional<double>& one, const std::optional<double>& count) {
        return one && count ? std::optional(*one * *count) : std::nullopt;
    };
    const auto perRank = settings.batchPerRank ? std::optional(static_cast<double>(*settings.batchPerRank))
                                               : over(settings.batchGlobal, settings.ranks);
    if (scope == Scope::rank)
        return perRank;
    if (scope == Scope::node)
        return times(perRank, over(settings.ranks, settings.nodes));
    if (settings.batchGlobal)
        return static_cast<double>(*settings.batchGlobal);
    return settings.ranks ? times(perRank, static_cast<double>(*settings.ranks)) : std::nullopt;
}

/// Minibatches where they tell a rate, else epochs.
const std::vector<LogRecord>& recordsOf(const LogLane& lane)
{
    const bool any = std::any_of(lane.records.begin(), lane.records.end(),
                                 [](const LogRecord& record) { return record.itemRate || record.iterationRate; });
    return any || lane.epochs.empty() ? lane.records : lane.epochs;
}

std::optional<double> rateOf(const LogRecord& record, const std::optional<double>& batch)
{
    if (record.itemRate)
        return record.itemRate;
    return record.iterationRate && batch ? std::optional(*record.iterationRate * *batch) : std::nullopt;
}

std::optional<double> rateOf(const LogLane& lane, const LogSettings& settings, int warmupRecords)
{
    const auto batch = batchOf(settings, lane.scope);
    const auto& records = recordsOf(lane);
    std::vector<double> rates;
    for (std::size_t i = static_cast<std::size_t>(warmupRecords); i < records.size(); ++i)
        if (const auto rate = rateOf(records[i], batch); rate && !records[i].isRefused)
            rates.push_back(*rate);
    return medianOf(std::move(rates));
}

bool needsBatch(const LogLane& lane, const LogSettings& settings)
{
    if (batchOf(settings, lane.scope))
        return false;
    const auto& records = recordsOf(lane);
    return std::any_of(records.begin(), records.end(),
                       [](const LogRecord& record) { return record.iterationRate && !record.itemRate; });
}

/// What covers most decides: a line about all ranks needs no sum.
Scope widestScope(const LogRun& run)
{
    Scope widest = Scope::rank;
    for (const LogLane& lane : run.lanes)
        widest = std::max(widest, lane.scope);
    return widest;
}

std::vector<const LogLane*> lanesOf(const LogRun& run, Scope scope)
{
    std::vector<const LogLane*> lanes;
    for (const LogLane& lane : run.lanes)
        if (lane.scope == scope)
            lanes.push_back(&lane);
    return lanes;
}

void count(const LogLane& lane, int warmupRecords, LogFigure& figure)
{
    const auto& records = recordsOf(lane);
    figure.records += records.size();
    figure.leftOut += std::min(records.size(), static_cast<std::size_t>(warmupRecords));
    figure.refused += static_cast<std::uint64_t>(
        std::count_if(records.begin(), records.end(), [](const LogRecord& record) { return record.isRefused; }));
    for (const LogRecord& record : records)
        if (record.loss) {
            figure.firstLoss = figure.firstLoss ? figure.firstLoss : record.loss;
            figure.lastLoss = record.loss;
        }
}

/// How many lanes make up all ranks; nothing where the log does not tell.
std::optional<std::size_t> lanesInAll(const LogRun& run, Scope scope, std::size_t seen)
{
    if (scope == Scope::all)
        return seen;
    const auto& told = scope == Scope::rank ? run.settings.ranks : run.settings.nodes;
    if (told)
        return static_cast<std::size_t>(*told);
    return seen > 1 ? std::optional(seen) : std::nullopt;
}

} // namespace

LogFigure figureOf(const LogRun& run, int warmupRecords)
{
    LogFigure figure;
    figure.scope = widestScope(run);
    const auto lanes = lanesOf(run, figure.scope);
    std::vector<double> rates;
    bool batchMissing = false;
    for (const LogLane* lane : lanes) {
        count(*lane, warmupRecords, figure);
        batchMissing |= needsBatch(*lane, run.settings);
        if (const auto rate = rateOf(*lane, run.settings, warmupRecords))
            rates.push_back(*rate);
    }
    figure.ranks = run.settings.ranks.value_or(
        figure.scope == Scope::rank && lanes.size() > 1 ? static_cast<std::int64_t>(lanes.size()) : 0);
    if (batchMissing)
        figure.missing.emplace_back(figure.scope == Scope::all ? "batch_global" : "batch_per_rank");
    const auto inAll = lanesInAll(run, figure.scope, lanes.size());
    if (!inAll)
        figure.missing.emplace_back(figure.scope == Scope::node ? "nodes" : "ranks");
    if (rates.empty())
        return figure;
    if (figure.scope == Scope::all)
        figure.itemsPerSecond = medianOf(rates);
    else if (inAll == rates.size())
        figure.itemsPerSecond = std::accumulate(rates.begin(), rates.end(), 0.0);
    else
        figure.perLane = medianOf(rates);
    return figure;
}

std::vector<Finding> findingsOf(const LogRun& run, const LogFigure& figure, int warmupRecords)
{
    std::vector<Finding> findings;
    const auto contradicts = [](double printed, double against) {
        return !agree(Printed{printed, 0}, Printed{against, 0});
    };
    if (figure.scope == Scope::all && figure.itemsPerSecond)
        for (const LogLane* lane : lanesOf(run, Scope::all))
            if (const auto rate = rateOf(*lane, run.settings, warmupRecords);
                rate && contradicts(*rate, *figure.itemsPerSecond))
                findings.push_back({FindingCode::lanesDiffer, lane->records.empty() ? 0 : lane->records.front().line,
                                    *rate, *figure.itemsPerSecond});
    for (const LogClaim& claim : run.claims) {
        const auto& against = claim.scope == Scope::all ? figure.itemsPerSecond : figure.perLane;
        if (claim.itemRate && against && contradicts(*claim.itemRate, *against))
            findings.push_back({FindingCode::claimDiffers, claim.line, *claim.itemRate, *against});
    }
    return findings;
}

} // namespace ringside::logs
