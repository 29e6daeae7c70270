// SPDX-License-Identifier: MIT
#include "core/logs/lanerates.h"

#include "core/logs/measure.h"

#include <algorithm>
#include <cmath>

namespace ringside::logs {

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

const std::vector<LogRecord>& recordsOf(const LogLane& lane)
{
    const bool any = std::any_of(lane.records.begin(), lane.records.end(),
                                 [](const LogRecord& record) { return record.itemRate || record.iterationRate; });
    return any || lane.epochs.empty() ? lane.records : lane.epochs;
}

namespace {

/// Items of an iteration, of a record that prints both of its rates.
std::optional<double> impliedBatch(const LogRecord& record)
{
    return !record.items && !record.isByStamps && record.itemRate && record.iterationRate
               ? std::optional(*record.itemRate / *record.iterationRate)
               : std::nullopt;
}

/// Returns the batch that most records imply; nothing where they differ, as rates of tokens or smoothed ones do.
std::optional<double> impliedBatch(const std::vector<LogRecord>& records)
{
    constexpr double kSame = 0.002;
    constexpr std::size_t kLeast = 4;
    std::vector<double> batches;
    for (const LogRecord& record : records)
        if (const auto batch = impliedBatch(record))
            batches.push_back(*batch);
    const auto median = batches.size() < kLeast ? std::nullopt : medianOf(batches);
    const auto same = std::count_if(batches.begin(), batches.end(), [&](double batch) {
        return median && std::abs(batch - *median) <= kSame * *median;
    });
    return 4 * same >= 3 * static_cast<std::ptrdiff_t>(batches.size()) ? median : std::nullopt;
}

} // namespace

KnownOfLane knownOf(const LogLane& lane, const LogSettings& settings)
{
    KnownOfLane known{batchOf(settings, lane.scope), {}, impliedBatch(recordsOf(lane))};
    if (&recordsOf(lane) == &lane.epochs && settings.itemsPerEpoch)
        known.epochItems = static_cast<double>(*settings.itemsPerEpoch);
    return known;
}

std::optional<double> rateOf(const LogRecord& record, const KnownOfLane& known)
{
    if (record.itemRate)
        return record.itemRate;
    if (record.iterationRate)
        return known.batch ? std::optional(*record.iterationRate * *known.batch) : std::nullopt;
    return record.seconds && known.epochItems ? std::optional(*known.epochItems / *record.seconds) : std::nullopt;
}

std::optional<std::pair<double, double>> contradiction(const LogRecord& record, const KnownOfLane& known)
{
    if (const auto batch = impliedBatch(record);
        batch && known.implied && !agree(Printed{*batch, 0}, Printed{*known.implied, 0}))
        return std::pair(*batch, *known.implied);
    if (!record.items || !record.iterations || !known.batch)
        return std::nullopt;
    const double most = *record.iterations * *known.batch;
    const double least = most - *known.batch;
    if (*record.items > most * (1 + kMostDifference) || *record.items < least * (1 - kMostDifference))
        return std::pair(*record.items, most);
    return std::nullopt;
}

namespace {

/// An epoch, whose items a user may know.
bool isWholeEpoch(const LogRecord& record)
{
    return record.seconds && !record.iteration;
}

} // namespace

std::vector<LogRecord>::const_iterator afterWarmup(const std::vector<LogRecord>& records, int warmupRecords)
{
    auto record = records.begin();
    for (int left = warmupRecords; record != records.end() && left > 0; ++record)
        left -= !record->isRefused && (record->itemRate || record->iterationRate || isWholeEpoch(*record));
    return record;
}

std::optional<double> rateOf(const LogLane& lane, const LogSettings& settings, int warmupRecords)
{
    const KnownOfLane known = knownOf(lane, settings);
    const auto& records = recordsOf(lane);
    std::vector<double> rates;
    for (auto record = afterWarmup(records, warmupRecords); record != records.end(); ++record)
        if (const auto rate = rateOf(*record, known);
            rate && *rate > 0 && std::isfinite(*rate) && !record->isRefused && !contradiction(*record, known))
            rates.push_back(*rate);
    return medianOf(std::move(rates));
}

} // namespace ringside::logs
