// SPDX-License-Identifier: MIT
#include "core/logs/lanerates.h"

#include "core/logs/measure.h"

#include <algorithm>
#include <cmath>

namespace ringside::logs {

std::optional<Printed> medianOf(std::vector<Printed> numbers)
{
    if (numbers.empty())
        return std::nullopt;
    const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
    std::ranges::nth_element(numbers, middle, {}, &Printed::value);
    if (numbers.size() % 2 == 1)
        return *middle;
    const Printed before = *std::ranges::max_element(numbers.begin(), middle, {}, &Printed::value);
    return Printed{(before.value + middle->value) / 2, (before.halfStep + middle->halfStep) / 2};
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
std::optional<Printed> impliedBatch(const LogRecord& record)
{
    if (record.items || record.statesBatch || record.isByStamps || !record.itemRate || !record.iterationRate)
        return std::nullopt;
    const double batch = *record.itemRate / *record.iterationRate;
    return Printed{batch, batch * record.roughness};
}

std::vector<Printed> impliedBatches(const std::vector<LogRecord>& records)
{
    std::vector<Printed> batches;
    for (const LogRecord& record : records)
        if (const auto batch = impliedBatch(record))
            batches.push_back(*batch);
    return batches;
}

/// Returns whether most of them are the median; they are not where rates are those of tokens, or smoothed.
bool areSame(const std::vector<Printed>& batches, double median)
{
    constexpr double kSame = 0.002;
    constexpr std::size_t kLeast = 4;
    const auto same = std::count_if(batches.begin(), batches.end(), [&](const Printed& batch) {
        return std::abs(batch.value - median) <= kSame * median;
    });
    return batches.size() >= kLeast && 4 * same >= 3 * static_cast<std::ptrdiff_t>(batches.size());
}

/// Returns the batches that a program may reckon from all items and all iterations of an epoch, whose last batch it may
/// count as a whole one or leave out; nothing where an epoch has no second batch.
std::optional<Printed> batchIn(double epochItems, double batch)
{
    const double batches = epochItems / batch;
    if (batches <= 1)
        return std::nullopt;
    const double least = epochItems / (batches + 1), most = epochItems / (batches - 1);
    return Printed{(least + most) / 2, (most - least) / 2};
}

} // namespace

KnownOfLane knownOf(const LogLane& lane, const LogSettings& settings)
{
    KnownOfLane known{.batch = batchOf(settings, lane.scope), .epochItems = {}, .implied = {}, .checked = {}};
    if (&recordsOf(lane) == &lane.epochs && settings.itemsPerEpoch)
        known.epochItems = static_cast<double>(*settings.itemsPerEpoch);
    const auto batches = impliedBatches(recordsOf(lane));
    const auto median = medianOf(batches);
    if (median && areSame(batches, median->value))
        known.implied = median->value;
    if (!median || !known.batch)
        return known;
    const auto batch = known.epochItems ? batchIn(*known.epochItems, *known.batch) : Printed{*known.batch, 0};
    if (batch && (known.implied || !agree(*batch, *median))) // smoothed rates agree in the median alone
        known.checked = batch;
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

namespace {

std::optional<Finding> rateContradiction(const LogRecord& record, const KnownOfLane& known)
{
    const auto batch = impliedBatch(record);
    if (batch && known.checked && !agree(*batch, *known.checked))
        return Finding{FindingCode::rateAgainstBatch, 0, *record.itemRate, *known.batch * *record.iterationRate};
    if (batch && !known.batch && known.implied && !agree(*batch, Printed{*known.implied, 0}))
        return Finding{FindingCode::countAgainstItems, 0, batch->value, *known.implied};
    if (!record.epoch || !record.seconds || !record.itemRate || !known.epochItems)
        return std::nullopt;
    const double items = *record.itemRate * *record.seconds;
    if (agree(Printed{items, items * record.roughness}, Printed{*known.epochItems, known.batch.value_or(0)}))
        return std::nullopt;
    return Finding{FindingCode::countAgainstItems, 0, items, *known.epochItems};
}

} // namespace

std::optional<Finding> contradiction(const LogRecord& record, const KnownOfLane& known)
{
    if (!record.items)
        return rateContradiction(record, known);
    if (!record.iterations || !known.batch || record.statesBatch)
        return std::nullopt;
    const double most = *record.iterations * *known.batch;
    const double least = most - *known.batch;
    if (*record.items > most * (1 + kMostDifference) || *record.items < least * (1 - kMostDifference))
        return Finding{FindingCode::countAgainstItems, 0, *record.items, most};
    return std::nullopt;
}

namespace {

/// An epoch, whose items a user may know.
bool isWholeEpoch(const LogRecord& record)
{
    return record.seconds && !record.iteration;
}

bool mayCount(const LogRecord& record)
{
    return !record.isRefused && (record.itemRate || record.iterationRate || isWholeEpoch(record));
}

} // namespace

std::vector<LogRecord>::const_iterator afterWarmup(const std::vector<LogRecord>& records, int warmupRecords)
{
    auto record = records.begin();
    for (int left = warmupRecords; record != records.end() && left > 0; ++record)
        left -= mayCount(*record);
    return record;
}

bool allHoldTests(const std::vector<LogRecord>& records, int warmupRecords)
{
    return std::all_of(afterWarmup(records, warmupRecords), records.end(),
                       [](const LogRecord& record) { return record.holdsTest || !mayCount(record); });
}

std::optional<Printed> rateOf(const LogLane& lane, const LogSettings& settings, int warmupRecords)
{
    const KnownOfLane known = knownOf(lane, settings);
    const auto& records = recordsOf(lane);
    const bool areTestsIn = allHoldTests(records, warmupRecords);
    std::vector<Printed> rates;
    for (auto record = afterWarmup(records, warmupRecords); record != records.end(); ++record) {
        if (record->isRefused || (record->holdsTest && !areTestsIn))
            continue;
        const auto rate = rateOf(*record, known);
        if (rate && *rate > 0 && std::isfinite(*rate) && !contradiction(*record, known))
            rates.push_back({*rate, *rate * record->roughness});
    }
    return medianOf(std::move(rates));
}

} // namespace ringside::logs
