// SPDX-License-Identifier: MIT
#include "core/logs/linerecords.h"

namespace ringside::logs {

namespace {

/// Returns whether the line's numbers go on from those of the source's last record.
bool goesOn(const KnownLine& line, const Source& source)
{
    return line.place && source.place && source.place->first == line.place->first;
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
    Before before{.batch = batch};
    if (goesOn(line, source))
        before.iteration = source.place->second;
    if (source.stamp && line.stamp && line.form->meaning != Meaning::epoch) {
        before.secondsSince = secondsBetween(*source.stamp, *line.stamp);
        before.stampHalfStep = line.stamp->halfStep;
    }
    return {measure(line.values, line.form->meaning, before), gapBefore(line.values, before)};
}

MeasuredMean measureNextMean(const KnownLine& line, const Source& source)
{
    return goesOn(line, source)
               ? measureMean(line.values, source.place->second, source.iterationsOverRate.value_or(Printed{}))
               : measureMean(line.values, 0, Printed{});
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
    if (!record.seconds && !record.itemRate && !record.iterationRate) { // by stamps
        record.seconds = last.seconds;
        record.iterationRate = last.iterationRate;
        record.isByStamps = last.isByStamps;
    }
    return again;
}

} // namespace ringside::logs
