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

/// Records one behind the other.
struct Span
{
    std::uint64_t line = 0; ///< the first one
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

/// The time of all iterations since the record before; nothing where they are not counted, or an evaluation ran.
std::optional<Printed> secondsSince(const LogRecord& before, const LogRecord& record, const KnownOfLane& known)
{
    const bool isNext =
        before.iteration && record.iteration && before.epoch == record.epoch && *before.iteration < *record.iteration;
    if (!isNext || record.passed < 0 || record.holdsTest || record.isRefused)
        return std::nullopt;
    const auto each = secondsOfOne(record, known);
    return each ? std::optional(*each * static_cast<double>(*record.iteration - *before.iteration)) : std::nullopt;
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
        span.line = span.line == 0 ? record->line : span.line;
        span.told = {span.told.value + told->value, span.told.halfStep + told->halfStep};
        span.passed += record->passed;
        span.isByBatch |= !tellsIterations(*record);
        if (2 * lane.stampHalfStep <= kMostUncertainty * span.passed)
            spans.push_back(std::exchange(span, {}));
    }
    return spans;
}

} // namespace

std::optional<Finding> stampContradiction(const LogLane& lane, const LogSettings& settings, int warmupRecords)
{
    if (std::ranges::none_of(lane.records, [](const LogRecord& record) { return record.passed >= 0; }))
        return std::nullopt;
    const std::vector<Span> spans = spansOf(lane, knownOf(lane, settings), warmupRecords);
    const auto isLonger = [&](const Span& span) {
        return !agree(span.told, Printed{span.passed, 2 * lane.stampHalfStep}) && span.told.value < span.passed;
    };
    const auto longer = static_cast<std::size_t>(std::ranges::count_if(spans, isLonger));
    if (spans.size() < kLeastSpans || 2 * longer <= spans.size())
        return std::nullopt;
    const auto rate = rateOf(lane, settings, warmupRecords);
    if (!rate)
        return std::nullopt;
    std::vector<Printed> shares;
    for (const Span& span : spans)
        shares.push_back({span.told.value / span.passed, 0});
    const double share = medianOf(std::move(shares))->value;
    const Span& first = *std::ranges::find_if(spans, isLonger);
    const auto code = first.isByBatch ? FindingCode::rateAgainstStampedBatch : FindingCode::rateAgainstStamps;
    return Finding{code, first.line, rate->value, rate->value * share, 1, lane.file};
}

} // namespace ringside::logs
