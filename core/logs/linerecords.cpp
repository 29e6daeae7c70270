// SPDX-License-Identifier: MIT
#include "core/logs/linerecords.h"

#include <algorithm>

namespace ringside::logs {

namespace {

/// Returns whether the line's numbers go on from those of the source's last record.
bool goesOn(const KnownLine& line, const Source& source)
{
    return line.place && source.place && source.place->first == line.place->first;
}

/// Phases that are printed as running means, too, are taken apart as the time is. Rounding may make them less than
/// nothing, or more than it.
void setPhases(NextMean& next, const LineValues& values, const MeanSoFar& before, std::int64_t ofEarlierRun)
{
    const LogRecord& record = *next.measured.record;
    const auto count = static_cast<double>(next.soFar.iterations - ofEarlierRun);
    for (const Phase phase : kPhases)
        if (const auto mean = values.get(quantityOf(phase)); mean && record.seconds) {
            const auto at = static_cast<std::size_t>(phase);
            next.soFar.phases[at] = mean->value * count;
            const double between = std::clamp(next.soFar.phases[at] - before.phases[at], 0.0, *record.seconds);
            next.phases.set(quantityOf(phase), {between / *record.iterations, 0});
        }
}

/// Values that the line is reckoned with, but for its batch.
Before beforeOf(const KnownLine& line, const Source& source)
{
    Before before;
    if (goesOn(line, source))
        before.iteration = source.place->second;
    if (source.stamp && line.stamp && line.form->meaning != Meaning::epoch) {
        before.secondsSince = secondsBetween(*source.stamp, *line.stamp);
        before.stampHalfStep = line.stamp->halfStep;
    }
    return before;
}

} // namespace

bool isUnfinished(const KnownLine& line)
{
    const auto count = line.values.whole(Quantity::iterations), total = line.values.whole(Quantity::totalIterations);
    return line.form->meaning == Meaning::epoch && count && total && *count < *total;
}

bool isDrawnAgain(const KnownLine& line, const Source& source)
{
    return line.form == source.form && line.form->meaning == Meaning::epoch && line.form->scope == Scope::all &&
           line.values.has(Quantity::totalIterations);
}

std::optional<double> batchIn(const KnownLine& line)
{
    if (line.form->scope == Scope::node)
        return std::nullopt;
    const bool isAll = line.form->scope == Scope::all;
    return numberIn(line.values, isAll ? Quantity::batchGlobal : Quantity::batchPerRank);
}

MeasuredLine measureNext(const KnownLine& line, const Source& source, const std::optional<double>& batch)
{
    Before before = beforeOf(line, source);
    before.batch = batch;
    return {measure(line.values, line.form->meaning, before), gapBefore(line.values, before)};
}

bool countsFromZero(const KnownLine& line)
{
    const auto each = line.values.get(Quantity::timePerIteration);
    return line.values.whole(Quantity::iteration) == 0 && each && isPlausible(*each) && each->value > 0;
}

NextMean measureNextMean(const KnownLine& line, const Source& source)
{
    const std::int64_t epoch = line.place ? line.place->first : 0;
    const bool isNext = line.place && source.mean && source.mean->epoch == epoch;
    const MeanSoFar soFar = isNext ? *source.mean : MeanSoFar{};
    Before before = beforeOf(line, source);
    before.iteration = isNext ? std::optional(soFar.iterations) : std::nullopt;
    const auto number = line.values.whole(Quantity::iteration);
    LineValues values = line.values;
    if (number && source.countsFromZero)
        values.set(Quantity::iteration, {static_cast<double>(*number + 1), 0});
    NextMean next{measureMean(values, before, {.ofEarlierRun = source.earlierIterations, .total = soFar.total})};
    if (!next.measured.record)
        return next;
    next.measured.record->iteration = number;
    next.soFar = {.epoch = epoch, .iterations = *values.whole(Quantity::iteration), .total = next.measured.total};
    setPhases(next, values, soFar, source.earlierIterations);
    return next;
}

Measured measureAgain(const LogRecord& last, const Source& source, const std::optional<double>& batch)
{
    Before before{.batch = batch};
    if (last.iteration && last.iterations)
        before.iteration = *last.iteration - static_cast<std::int64_t>(*last.iterations);
    Measured again = measure(source.last, source.form->meaning, before);
    LogRecord& record = again.record;
    record.line = last.line;
    record.firstPhase = last.firstPhase;
    record.phases = last.phases;
    record.holdsTest |= last.holdsTest;
    record.statesBatch |= last.statesBatch;
    record.passed = last.passed;
    record.isTooLong = last.isTooLong;
    record.isRefused |= last.isTooLong;
    if (!record.seconds && !record.itemRate && !record.iterationRate) { // by stamps
        record.seconds = last.seconds;
        record.iterationRate = last.iterationRate;
        record.isByStamps = last.isByStamps;
    }
    return again;
}

} // namespace ringside::logs
