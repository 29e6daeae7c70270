// SPDX-License-Identifier: MIT
#include "core/protocol/plausible.h"

#include "core/protocol/record.h"

#include <algorithm>
#include <array>

namespace ringside {

namespace {

constexpr std::string_view kNegativeTime = "negative_time", kIteration = "iteration", kBytes = "bytes",
                           kNotToldTime = "not_told", kCovers = "covers", kItems = "items";

bool isNegative(std::int64_t ns)
{
    return ns < 0;
}

bool hasNegativeTime(const Sample& s)
{
    const auto rest = {s.startNs, s.readNs, s.decodeNs, s.h2dTotalNs, s.commTotalNs};
    return std::ranges::any_of(s.phases, isNegative) || std::ranges::any_of(rest, isNegative);
}

bool hasNegativeTime(const BucketTimings& timings)
{
    return std::ranges::any_of(timings.buckets, [](const BucketTiming& b) { return isNegative(b.lengthNs); });
}

bool hasNegativeTime(const LayerTimings& timings)
{
    return std::ranges::any_of(timings.layers, [](const LayerTiming& layer) {
        return std::ranges::any_of(
            std::array{layer.forwardStartNs, layer.forwardNs, layer.backwardStartNs, layer.backwardNs, layer.readyNs},
            isNegative);
    });
}

bool sendsTooMuch(const Sample& s)
{
    return s.bytesSent > kMaxBytesSent;
}

bool sendsTooMuch(const BucketTimings& timings)
{
    return std::ranges::any_of(timings.buckets, [](const BucketTiming& b) { return b.bytes > kMaxBytesSent; });
}

bool sendsTooMuch(const LayerTimings&)
{
    return false;
}

bool hasTimeNotTold(const Sample& s)
{
    return std::ranges::any_of(
        kPhases, [&](Phase phase) { return !s.told.has(phase) && s.phases[static_cast<std::size_t>(phase)] != 0; });
}

template <class Details> bool hasTimeNotTold(const Details&)
{
    return false;
}

bool coversTooMuch(const Sample& s)
{
    return s.iterations < 1 || s.iterations > s.seq + 1 || s.ofRanks < 1 || s.ofRanks > kMaxOfRanks;
}

template <class Details> bool coversTooMuch(const Details&)
{
    return false;
}

template <class OfIteration> std::optional<RefusedRecord> refusal(const OfIteration& record)
{
    if (record.seq >= kMaxIterations)
        return RefusedRecord{record.seq, kIteration};
    if (hasNegativeTime(record))
        return RefusedRecord{record.seq, kNegativeTime};
    if (sendsTooMuch(record))
        return RefusedRecord{record.seq, kBytes};
    if (hasTimeNotTold(record))
        return RefusedRecord{record.seq, kNotToldTime};
    if (coversTooMuch(record))
        return RefusedRecord{record.seq, kCovers};
    return std::nullopt;
}

} // namespace

std::optional<RefusedRecord> refusalOf(const Record& record)
{
    if (const auto* sample = std::get_if<Sample>(&record))
        return refusal(*sample);
    if (const auto* buckets = std::get_if<BucketTimings>(&record))
        return refusal(*buckets);
    if (const auto* layers = std::get_if<LayerTimings>(&record))
        return refusal(*layers);
    return std::nullopt;
}

std::optional<RefusedRecord> refusalOfSpooled(const Record& record)
{
    const auto* sample = std::get_if<Sample>(&record);
    const auto refused = refusalOf(record);
    return !refused && sample && sample->items >= kTooManyItems ? RefusedRecord{sample->seq, kItems} : refused;
}

} // namespace ringside
