// SPDX-License-Identifier: MIT
#include "core/protocol/plausible.h"
#include "core/protocol/record.h"

#include <doctest/doctest.h>

using namespace ringside;

TEST_CASE("what a rank can measure is plausible, however slow or large")
{
    Sample sample;
    sample.seq = kMaxIterations - 1;
    sample.phases[3] = std::int64_t{1} << 58;
    sample.bytesSent = kMaxBytesSent;
    CHECK(!refusalOf(sample));
    sample.told = {Phase::backward};
    sample.phases[static_cast<std::size_t>(Phase::other)] = 7;
    CHECK(!refusalOf(sample));
    CHECK(!refusalOf(BucketTimings{3, {{0, -5, 0, 7}}})); // began before the iteration did
    CHECK(!refusalOf(LayerTimings{3, {LayerTiming{}}}));
    CHECK(!refusalOf(ClockOffset{1, -7, 2}));
    CHECK(!refusalOf(Telemetry{}));
}

TEST_CASE("more items than a spool holds are refused where it is read, and not before")
{
    Sample sample;
    sample.seq = 4;
    const auto read = [&](std::uint64_t items) {
        sample.items = items;
        CHECK(!refusalOf(sample));
        std::string bytes;
        appendRecord(bytes, sample);
        std::optional<RefusedRecord> refused;
        CHECK(decodeRecords(bytes, [&](const Record& record) { refused = refusalOfSpooled(record); }));
        return refused;
    };
    CHECK(!read(kTooManyItems - 1));
    CHECK(read(kTooManyItems) == RefusedRecord{4, "items"});
    CHECK(read(5'000'000'000) == RefusedRecord{4, "items"});
}

TEST_CASE("what no rank can have measured is refused, with the reason")
{
    Sample negative, late, much;
    negative.seq = 4;
    negative.phases[6] = -1;
    late.seq = ~0u;
    much.bytesSent = ~0ull;
    CHECK(refusalOf(negative) == RefusedRecord{4, "negative_time"});
    CHECK(refusalOf(late) == RefusedRecord{~0u, "iteration"});
    CHECK(refusalOf(much) == RefusedRecord{0, "bytes"});
    Sample notTold;
    notTold.seq = 5;
    notTold.phases[static_cast<std::size_t>(Phase::update)] = 1;
    notTold.told = {Phase::forward};
    CHECK(refusalOf(notTold) == RefusedRecord{5, "not_told"});
    const auto covering = [](std::uint32_t seq, std::uint32_t iterations, std::uint32_t ofRanks) {
        Sample sample;
        sample.seq = seq;
        sample.iterations = iterations;
        sample.ofRanks = ofRanks;
        return refusalOf(sample);
    };
    CHECK(!covering(49, 50, 1)); // all since the first
    CHECK(!covering(kMaxIterations - 1, kMaxIterations, kMaxOfRanks));
    CHECK(covering(49, 51, 1) == RefusedRecord{49, "covers"});
    CHECK(covering(49, 0, 1) == RefusedRecord{49, "covers"});
    CHECK(covering(49, ~0u, 1) == RefusedRecord{49, "covers"});
    CHECK(covering(49, 1, 0) == RefusedRecord{49, "covers"});
    CHECK(covering(49, 1, kMaxOfRanks + 1) == RefusedRecord{49, "covers"});
    CHECK(refusalOf(BucketTimings{3, {{0, 0, -1, 7}}}) == RefusedRecord{3, "negative_time"});
    CHECK(refusalOf(BucketTimings{3, {{0, 0, 1, ~0ull}}}) == RefusedRecord{3, "bytes"});
    for (auto field : {&LayerTiming::forwardStartNs, &LayerTiming::forwardNs, &LayerTiming::backwardStartNs,
                       &LayerTiming::backwardNs, &LayerTiming::readyNs}) {
        LayerTimings layers{3, {LayerTiming{}, LayerTiming{}}};
        layers.layers[1].*field = -1;
        CHECK(refusalOf(layers) == RefusedRecord{3, "negative_time"});
    }
}
