// SPDX-License-Identifier: MIT
#include "core/logs/measure.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringside::logs {

namespace {

/// A printed time that may be further off is not used where another number states it better.
constexpr double kMostRoughness = 0.01;

bool tells(const Printed& number)
{
    return isPlausible(number) && number.value > 0;
}

double roughnessOf(const Printed& number)
{
    return number.halfStep / number.value;
}

std::optional<double> countOf(const LineValues& values, Meaning meaning, const Before& before)
{
    if (meaning == Meaning::iteration || values.has(Quantity::round))
        return 1;
    if (const auto count = values.get(Quantity::iterations))
        return count->value;
    const auto last = values.whole(Quantity::iteration);
    if (!last)
        return std::nullopt;
    if (const auto first = values.whole(Quantity::firstIteration))
        return static_cast<double>(*last - *first + 1);
    if (const auto previous = values.whole(Quantity::previousIteration))
        return static_cast<double>(*last - *previous);
    if (before.iteration && *last > *before.iteration)
        return static_cast<double>(*last - *before.iteration);
    return std::nullopt;
}

/// The line's time by each of its numbers that yield it; the most direct one first.
struct Times
{
    std::optional<Printed> used;
    std::optional<Finding> finding;
    bool isByStamps = false;

    void add(const std::optional<Printed>& seconds)
    {
        if (!seconds || !isPlausible(*seconds) || finding)
            return;
        if (used && !agree(*used, *seconds))
            finding = Finding{FindingCode::rateAgainstTime, 0, seconds->value, used->value};
        const bool isRough = !used || !tells(*used) || roughnessOf(*used) > kMostRoughness;
        if (isRough && (!used || !tells(*used) || roughnessOf(*seconds) < roughnessOf(*used)))
            used = seconds;
    }
};

/// A rate of 0 may be rounded where another number tells more.
std::optional<Finding> implausibleOne(const LineValues& values)
{
    bool isTold = false;
    for (const Quantity quantity : kTimesAndRates)
        if (const auto number = values.get(quantity)) {
            if (!isPlausible(*number))
                return Finding{FindingCode::implausible, 0, number->value};
            isTold |= tells(*number);
        }
    const bool isNothing = !isTold && (values.has(Quantity::iterationRate) || values.has(Quantity::itemRate));
    return isNothing ? std::optional(Finding{FindingCode::implausible}) : std::nullopt;
}

std::optional<Printed> over(const std::optional<double>& count, const std::optional<Printed>& rate)
{
    return count && rate ? std::optional(inverse(*rate) * *count) : std::nullopt;
}

/// By the stamps of two lines, each of which may be off by half a step.
std::optional<Printed> elapsedIn(const Before& before)
{
    if (!before.secondsSince)
        return std::nullopt;
    return Printed{*before.secondsSince, 2 * before.stampHalfStep};
}

/// Stamps that go back, as local time does in autumn, say nothing of the time between them.
std::optional<Finding> againstStamps(const Printed& time, const std::optional<Printed>& elapsed)
{
    if (!elapsed || elapsed->value < 0 || time.low() <= elapsed->high() * (1 + kMostDifference))
        return std::nullopt;
    return Finding{FindingCode::timeAgainstStamps, 0, time.value, elapsed->value};
}

Times timesOf(const LineValues& values, const LogRecord& record, Meaning meaning, const Before& before)
{
    Times times{.used = {}, .finding = implausibleOne(values), .isByStamps = false};
    times.add(values.get(Quantity::time));
    if (const auto each = values.get(Quantity::timePerIteration); each && record.iterations)
        times.add(*each * *record.iterations);
    if (const auto each = values.get(Quantity::timePerItem); each && record.items)
        times.add(*each * *record.items);
    times.add(over(record.iterations, values.get(Quantity::iterationRate)));
    times.add(over(record.items, values.get(Quantity::itemRate)));
    const auto elapsed = elapsedIn(before);
    if (!elapsed)
        return times;
    times.isByStamps = !times.used && !times.finding && meaning != Meaning::iteration; // which is one of several
    if (times.isByStamps)
        times.used = elapsed;
    else if (const auto finding = times.used ? againstStamps(*times.used, elapsed) : std::nullopt)
        times.finding = finding;
    return times;
}

void setLoss(LogRecord& record, const LineValues& values)
{
    const auto sum = values.get(Quantity::lossSum);
    if (const auto mean = values.get(Quantity::loss)) {
        record.loss = mean->value;
    } else if (sum) {
        record.isLossSum = !record.iterations || !(*record.iterations > 0);
        record.loss = record.isLossSum ? sum->value : sum->value / *record.iterations;
    }
}

/// A rate that stands alone: no count and time to reckon it from. A time of one is its inverse.
std::optional<double> alone(const LineValues& values, Quantity rate, Quantity timeOfOne)
{
    if (const auto each = values.get(timeOfOne); each && tells(*each))
        return 1 / each->value;
    const auto printed = values.get(rate);
    return printed && tells(*printed) ? std::optional(printed->value) : std::nullopt;
}

/// Work of 0, or in a time without end, has no rate.
std::optional<double> rateOf(double work, double seconds)
{
    const double rate = work / seconds;
    return std::isfinite(rate) && rate > 0 ? std::optional(rate) : std::nullopt;
}

void setRates(LogRecord& record, const LineValues& values, const std::optional<double>& batch)
{
    if (record.seconds && record.iterations)
        record.iterationRate = rateOf(*record.iterations, *record.seconds);
    else
        record.iterationRate = alone(values, Quantity::iterationRate, Quantity::timePerIteration);
    if (record.seconds && record.items)
        record.itemRate = rateOf(*record.items, *record.seconds);
    else if (record.iterationRate && batch)
        record.itemRate = rateOf(*record.iterationRate * *batch, 1);
    else
        record.itemRate = alone(values, Quantity::itemRate, Quantity::timePerItem);
}

/// The roughness of the numbers that its rates are made of.
float roughnessIn(const LogRecord& record, const LineValues& values, const std::optional<Printed>& time)
{
    const auto of = [](const std::optional<Printed>& number) {
        return number && tells(*number) ? roughnessOf(*number) : 0;
    };
    const auto each = values.get(Quantity::timePerIteration);
    const bool isReckoned = record.seconds && record.iterations;
    const double ofIterations = of(isReckoned ? time : each ? each : values.get(Quantity::iterationRate));
    return static_cast<float>(ofIterations + of(values.get(Quantity::itemRate)));
}

} // namespace

MeasuredMean measureMean(const LineValues& values, const Before& before, const MeanBefore& mean)
{
    // A running mean's digits say little of its last iterations after many of them. Lines are combined until what lies
    // between them is known to this share.
    constexpr double kMostUncertainty = 0.01;
    // One with few digits never is. It is taken apart as soon as two thirds more iterations have followed.
    constexpr double kMostRoughnesses = 4;
    const auto iteration = values.whole(Quantity::iteration);
    const auto rate = values.get(Quantity::itemRate);
    const auto each = values.get(Quantity::timePerIteration);
    if (!iteration || *iteration <= mean.ofEarlierRun || (!rate && !each))
        return {};
    const Printed& told = each ? *each : *rate;
    if (!isPlausible(told) || told.value == 0)
        return {.finding = Finding{FindingCode::implausible, 0, told.value}};
    if (rate && !isPlausible(*rate))
        return {.finding = Finding{FindingCode::implausible, 0, rate->value}};
    const double count = static_cast<double>(*iteration - mean.ofEarlierRun);
    const Printed total = (each ? told : inverse(told)) * count;
    const double between = total.value - mean.total.value;
    const double uncertainty = total.halfStep + mean.total.halfStep;
    const double most = std::max(kMostUncertainty, kMostRoughnesses * roughnessOf(told));
    if (!(between > 0) || uncertainty > most * between)
        return {};

    LogRecord record;
    record.epoch = values.whole(Quantity::epoch);
    record.iteration = iteration;
    record.iterations = static_cast<double>(*iteration - before.iteration.value_or(mean.ofEarlierRun));
    record.isByMean = true;
    record.roughness = static_cast<float>(uncertainty / between);
    if (const auto loss = values.get(Quantity::loss))
        record.loss = loss->value;
    if (each) {
        record.seconds = between;
        record.iterationRate = *record.iterations / between;
    } else {
        record.itemRate = *record.iterations / between;
    }
    if (each && rate && tells(*rate)) { // both together say how many items an iteration has
        record.itemRate = *record.iterationRate * each->value * rate->value;
        record.roughness += static_cast<float>(roughnessOf(*each) + roughnessOf(*rate));
    }
    const auto finding = each ? againstStamps({between, uncertainty}, elapsedIn(before)) : std::nullopt;
    record.isRefused = record.isTooLong = finding.has_value();
    return {.record = record, .finding = finding, .total = total};
}

void addPhases(LogLane& lane, LogRecord& record, const LineValues& values)
{
    if (values.phases() == record.phases)
        return;
    record.firstPhase = static_cast<std::uint32_t>(lane.phases.size());
    for (const Phase phase : kPhases)
        if (const auto time = values.get(quantityOf(phase)))
            lane.phases.push_back({phase, time->value});
    record.phases = values.phases() & 0xF;
}

std::optional<Finding> gapBefore(const LineValues& values, const Before& before)
{
    auto first = values.whole(Quantity::firstIteration);
    if (const auto previous = values.whole(Quantity::previousIteration))
        first = *previous + 1;
    if (!first || !before.iteration || *first <= *before.iteration + 1)
        return std::nullopt;
    return Finding{FindingCode::iterationsMissing, 0, static_cast<double>(*first),
                   static_cast<double>(*before.iteration + 1)};
}

bool isPlausible(const Printed& number)
{
    return number.value == 0 || (number.value >= 1 / kMostRate && number.value <= kMostRate);
}

bool agree(const Printed& one, const Printed& other)
{
    const double slack = 1 + kMostDifference;
    return one.low() <= other.high() * slack && other.low() <= one.high() * slack;
}

Printed inverse(const Printed& number)
{
    const double low = 1 / number.high();
    const double high = number.low() > 0 ? 1 / number.low() : std::numeric_limits<double>::infinity();
    return {1 / number.value, std::isfinite(high) ? (high - low) / 2 : high};
}

Measured measure(const LineValues& values, Meaning meaning, const Before& before)
{
    Measured measured;
    LogRecord& record = measured.record;
    record.epoch = values.whole(Quantity::epoch);
    record.iteration = values.whole(Quantity::iteration);
    record.iterations = countOf(values, meaning, before);
    if (const auto items = values.get(Quantity::items))
        record.items = items->value;
    else if (record.iterations && before.batch)
        record.items = *record.iterations * *before.batch;
    record.statesBatch = before.batch.has_value();
    setLoss(record, values);
    record.holdsTest = values.has(Quantity::testScore);

    const Times times = timesOf(values, record, meaning, before);
    measured.finding = times.finding;
    record.isRefused = times.finding.has_value();
    record.isTooLong = times.finding && times.finding->code == FindingCode::timeAgainstStamps;
    record.isByStamps = times.isByStamps;
    if (times.used && tells(*times.used))
        record.seconds = times.used->value;
    setRates(record, values, before.batch);
    record.roughness = roughnessIn(record, values, times.used);
    return measured;
}

} // namespace ringside::logs
