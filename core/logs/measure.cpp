// SPDX-License-Identifier: MIT
#include "core/logs/measure.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringside::logs {

namespace {

/// A time, or a rate, that can be.
bool isPlausible(const Printed& number)
{
    return std::isfinite(number.value) && number.value > 0 && number.high() > 0;
}

std::optional<double> countOf(const LineValues& values, Meaning meaning, const Before& before)
{
    if (meaning == Meaning::iteration)
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

/// The line's time by each of its numbers that tell it; the most direct one first.
struct Times
{
    std::optional<Printed> used;
    std::optional<Finding> finding;

    void add(const std::optional<Printed>& seconds, FindingCode ifNot)
    {
        if (!seconds || finding)
            return;
        if (!isPlausible(*seconds))
            finding = Finding{FindingCode::implausible, 0, seconds->value};
        else if (!used)
            used = seconds;
        else if (!agree(*used, *seconds))
            finding = Finding{ifNot, 0, seconds->value, used->value};
    }
};

std::optional<Printed> over(const std::optional<double>& count, const std::optional<Printed>& rate)
{
    return count && rate ? std::optional(inverse(*rate) * *count) : std::nullopt;
}

Times timesOf(const LineValues& values, const LogRecord& record, const Before& before)
{
    Times times;
    times.add(values.get(Quantity::time), FindingCode::rateAgainstTime);
    if (const auto each = values.get(Quantity::timePerIteration); each && record.iterations)
        times.add(*each * *record.iterations, FindingCode::rateAgainstTime);
    times.add(over(record.iterations, values.get(Quantity::iterationRate)), FindingCode::rateAgainstTime);
    times.add(over(record.items, values.get(Quantity::itemRate)), FindingCode::rateAgainstTime);
    if (!before.secondsSince)
        return times;
    const Printed elapsed{*before.secondsSince, 2 * before.stampHalfStep};
    if (!times.used && !times.finding)
        times.used = isPlausible(elapsed) ? std::optional(elapsed) : std::nullopt;
    else if (times.used && times.used->low() > elapsed.high() * (1 + kMostDifference))
        times.finding = Finding{FindingCode::timeAgainstStamps, 0, times.used->value, elapsed.value};
    return times;
}

std::optional<double> lossOf(const LineValues& values, const std::optional<double>& iterations)
{
    if (const auto mean = values.get(Quantity::loss))
        return mean->value;
    const auto sum = values.get(Quantity::lossSum);
    return sum && iterations && *iterations > 0 ? std::optional(sum->value / *iterations) : std::nullopt;
}

/// A rate that stands alone: no count and time to reckon it from.
std::optional<double> alone(const LineValues& values, Quantity quantity)
{
    const auto rate = values.get(quantity);
    return rate && isPlausible(*rate) ? std::optional(rate->value) : std::nullopt;
}

void setRates(LogRecord& record, const LineValues& values)
{
    if (record.seconds && record.items)
        record.itemRate = *record.items / *record.seconds;
    else
        record.itemRate = alone(values, Quantity::itemRate);
    if (record.seconds && record.iterations)
        record.iterationRate = *record.iterations / *record.seconds;
    else if (const auto each = values.get(Quantity::timePerIteration); each && isPlausible(*each))
        record.iterationRate = 1 / each->value;
    else
        record.iterationRate = alone(values, Quantity::iterationRate);
}

} // namespace

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
    record.loss = lossOf(values, record.iterations);
    for (const Phase phase : kPhases)
        if (const auto time = values.get(quantityOf(phase)))
            record.phases[static_cast<std::size_t>(phase)] = time->value;

    const Times times = timesOf(values, record, before);
    measured.finding = times.finding;
    record.isRefused = times.finding.has_value();
    if (times.used)
        record.seconds = times.used->value;
    setRates(record, values);
    return measured;
}

} // namespace ringside::logs
