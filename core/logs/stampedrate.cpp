// SPDX-License-Identifier: MIT
#include "core/logs/stampedrate.h"

#include "core/logs/lanerates.h"
#include "core/logs/measure.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace ringside::logs {

namespace {

/// Stamps of whole seconds say little of a short time, so records are taken together until their time is known to this
/// share.
constexpr double kMostUncertainty = 0.05;
/// Most of fewer may hold a pause, such as one for a checkpoint.
constexpr std::size_t kLeastSpans = 5;
/// Lines that report more than so many times the time that passed were held back: printing takes far less than
/// training.
constexpr double kMostHurried = 20;

/// Records one behind the other.
struct Span
{
    std::uint64_t line = 0; ///< the first one
    std::size_t begin = 0, end = 0;
    double iterations = 0;
    Printed told = {0, 0};  ///< s that their iterations took, as they report it
    double passed = 0;      ///< s, by their stamps
    bool isByBatch = false; ///< they report items
};

bool tellsIterations(const LogRecord& record)
{
    return record.iterationRate && !record.isByStamps;
}

/// The time of one iteration at the record's own rate.
std::optional<Printed> secondsOfOne(const LogRecord& record, const KnownOfLane& known)
{
    const auto printed = [&](double seconds) { return Printed{seconds, seconds * record.roughness}; };
    if (tellsIterations(record))
        return printed(1 / *record.iterationRate);
    return record.itemRate && known.batch ? std::optional(printed(*known.batch / *record.itemRate)) : std::nullopt;
}

/// A log may print any numbers.
double iterationsSince(const LogRecord& before, const LogRecord& record)
{
    return static_cast<double>(*record.iteration) - static_cast<double>(*before.iteration);
}

/// The time of all iterations since the record before; nothing where they are not counted, or an evaluation ran.
std::optional<Printed> secondsSince(const LogRecord& before, const LogRecord& record, const KnownOfLane& known)
{
    const bool isNext =
        before.iteration && record.iteration && before.epoch == record.epoch && *before.iteration < *record.iteration;
    if (!isNext || record.passed < 0 || record.holdsTest || record.isRefused)
        return std::nullopt;
    const auto each = secondsOfOne(record, known);
    return each ? std::optional(*each * iterationsSince(before, record)) : std::nullopt;
}

std::vector<Span> spansOf(const LogLane& lane, const KnownOfLane& known, int warmupRecords)
{
    std::vector<Span> spans;
    Span span;
    const auto& records = lane.records;
    for (auto record = afterWarmup(records, std::max(warmupRecords, 1)); record < records.end(); ++record) {
        const auto told = secondsSince(*std::prev(record), *record, known);
        if (!told) {
            span = {};
            continue;
        }
        if (span.line == 0) {
            span.line = record->line;
            span.begin = static_cast<std::size_t>(record - records.begin());
        }
        span.end = static_cast<std::size_t>(record - records.begin()) + 1;
        span.iterations += iterationsSince(*std::prev(record), *record);
        span.told = {span.told.value + told->value, span.told.halfStep + told->halfStep};
        span.passed += record->passed;
        span.isByBatch |= !tellsIterations(*record);
        if (2 * lane.stampHalfStep <= kMostUncertainty * span.passed)
            spans.push_back(std::exchange(span, {}));
    }
    return spans;
}

bool isStamped(const LogLane& lane)
{
    return std::ranges::any_of(lane.records, [](const LogRecord& record) { return record.passed >= 0; });
}

Printed passedIn(const Span& span, const LogLane& lane)
{
    return {span.passed, 2 * lane.stampHalfStep};
}

bool isLonger(const Span& span, const LogLane& lane)
{
    return !agree(span.told, passedIn(span, lane)) && span.told.value < span.passed;
}

bool isShorter(const Span& span, const LogLane& lane)
{
    return !agree(span.told, passedIn(span, lane)) && span.told.value > span.passed;
}

/// The time that is reported, over that which passed.
double shareOf(const Span& span)
{
    return span.told.value / span.passed;
}

/// Returns whether the stamps are of lines that were held back and came together, and say nothing of the time between
/// them.
bool areFlushed(const std::vector<Span>& spans)
{
    return std::ranges::any_of(spans, [](const Span& span) { return shareOf(span) > kMostHurried; });
}

/// Returns whether the records cannot have the times that they report: less time than passed may be that of a pause,
/// unless it is so for most. More is impossible, unless lines came late.
bool areContradicted(const std::vector<Span>& spans, const LogLane& lane)
{
    if (spans.size() < kLeastSpans)
        return false;
    const auto count = [&](auto is) {
        return static_cast<std::size_t>(std::ranges::count_if(spans, [&](const Span& span) { return is(span, lane); }));
    };
    const std::size_t longer = count(isLonger), shorter = areFlushed(spans) ? 0 : count(isShorter);
    return 2 * longer > spans.size() || (longer == 0 && 2 * shorter > spans.size());
}

/// Time of an iteration by their stamps, of the records that agree with these; nothing where those are few.
std::optional<double> usualSeconds(const std::vector<Span>& spans, const LogLane& lane)
{
    std::vector<Printed> each;
    for (const Span& span : spans)
        if (agree(span.told, passedIn(span, lane)))
            each.push_back({span.passed / span.iterations, 0});
    if (each.size() < kLeastSpans)
        return std::nullopt;
    return medianOf(std::move(each))->value;
}

/// Returns whether most of the lane's records were refused since they report more time than passed: the few that are
/// left, as those of the warm-up, are no figure of the run.
bool areMostTooLong(const LogLane& lane)
{
    const auto count = std::ranges::count_if(lane.records, [](const LogRecord& record) { return record.isTooLong; });
    return 2 * count > std::ssize(lane.records);
}

/// The rate of the first record that reports too long a time, and that by its stamp, if the batch is known.
std::optional<Finding> firstTooLong(const LogLane& lane, const KnownOfLane& known)
{
    for (const LogRecord& record : lane.records) {
        const auto rate = record.isTooLong && record.seconds ? rateOf(record, known) : std::nullopt;
        if (!rate)
            continue;
        const double passed = std::max<double>(record.passed, 2 * lane.stampHalfStep);
        return Finding{FindingCode::rateAgainstStamps,   record.line, *rate,
                       *rate * *record.seconds / passed, 1,           lane.file};
    }
    return std::nullopt;
}

} // namespace

void refuseAgainstStamps(LogLane& lane, const LogSettings& settings, int warmupRecords, std::vector<Finding>& findings)
{
    if (!isStamped(lane))
        return;
    const std::vector<Span> spans = spansOf(lane, knownOf(lane, settings), warmupRecords);
    const auto usual = usualSeconds(spans, lane);
    if (!usual || areContradicted(spans, lane)) // stampContradiction() is about these
        return;
    for (const Span& span : spans) {
        const Printed expected{*usual * span.iterations, 0};
        if (!isLonger(span, lane) || !agree(passedIn(span, lane), expected))
            continue;
        for (std::size_t record = span.begin; record < span.end; ++record) {
            lane.records[record].isRefused = true;
            addFinding(findings, {FindingCode::recordAgainstStamps, 0, span.told.value, span.passed},
                       lane.records[record].line);
        }
    }
}

std::optional<Finding> stampContradiction(const LogLane& lane, const LogSettings& settings, int warmupRecords)
{
    if (!isStamped(lane))
        return std::nullopt;
    const KnownOfLane known = knownOf(lane, settings);
    if (areMostTooLong(lane))
        return firstTooLong(lane, known);
    const std::vector<Span> spans = spansOf(lane, known, warmupRecords);
    if (!areContradicted(spans, lane))
        return std::nullopt;
    const auto rate = rateOf(lane, settings, warmupRecords);
    if (!rate)
        return std::nullopt;
    std::vector<Printed> shares;
    for (const Span& span : spans)
        shares.push_back({shareOf(span), 0});
    const double share = medianOf(std::move(shares))->value;
    const Span& first =
        *std::ranges::find_if(spans, [&](const Span& span) { return isLonger(span, lane) || isShorter(span, lane); });
    const auto code = first.isByBatch ? FindingCode::rateAgainstStampedBatch : FindingCode::rateAgainstStamps;
    return Finding{code, first.line, rate->value, rate->value * share, 1, lane.file};
}

} // namespace ringside::logs
