// SPDX-License-Identifier: MIT
#include "core/protocol/spool.h"
#include "core/protocol/block.h"
#include "core/protocol/bytes.h"
#include "core/protocol/record.h"
#include "tests/protocol/examples.h"

#include <doctest/doctest.h>
#include <limits>

namespace ringside::test {

namespace {

struct Outcome
{
    std::vector<Record> records;
    std::uint64_t offset = 0;
    std::optional<Error> error;
};

/// Feeds `bytes` in pieces of `piece` bytes.
Outcome readIn(std::string_view bytes, std::size_t piece, std::uint64_t from = 0)
{
    Outcome outcome;
    SpoolReader reader(from);
    for (; !bytes.empty() && !outcome.error; bytes.remove_prefix(std::min(piece, bytes.size()))) {
        if (auto fed = reader.feed(bytes.substr(0, piece), [&](const Record& r) { outcome.records.push_back(r); });
            !fed)
            outcome.error = fed.error();
    }
    outcome.offset = reader.offset();
    return outcome;
}

Outcome readAtOnce(std::string_view bytes)
{
    return readIn(bytes, std::max<std::size_t>(1, bytes.size()));
}

std::string headerBytes()
{
    return SpoolEncoder::encodeHeader(exampleHeader());
}

std::string withBlock(std::string_view payload)
{
    std::string bytes = headerBytes();
    appendBlock(bytes, payload);
    return bytes;
}

std::string rawRecord(std::uint16_t type, std::string_view fields)
{
    std::string bytes;
    putNumber(bytes, type);
    putNumber(bytes, static_cast<std::uint32_t>(fields.size()));
    return bytes + std::string(fields);
}

std::string encoded(const Record& record)
{
    std::string bytes;
    appendRecord(bytes, record);
    return bytes;
}

} // namespace

TEST_CASE("a spool reads the same in pieces of any size")
{
    const std::string bytes = exampleSpool();
    for (const std::size_t piece : {1u, 2u, 3u, 7u, 64u, 1000u}) {
        const Outcome outcome = readIn(bytes, piece);
        CHECK_FALSE(outcome.error);
        CHECK(outcome.records == exampleRecords());
        CHECK(outcome.offset == bytes.size());
    }
}

TEST_CASE("a torn last block is not there yet, and the cursor stays before it")
{
    const std::string bytes = exampleSpool();
    for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
        const Outcome torn = readAtOnce(std::string_view(bytes).substr(0, cut));
        REQUIRE_FALSE(torn.error);
        REQUIRE(torn.offset <= cut);
        const Outcome rest = readIn(std::string_view(bytes).substr(torn.offset), 1000, torn.offset);
        REQUIRE_FALSE(rest.error);
        REQUIRE(torn.records.size() + rest.records.size() == exampleRecords().size());
    }
}

TEST_CASE("every damaged byte is found")
{
    const std::string bytes = exampleSpool();
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
        const Outcome outcome = readAtOnce(damaged);
        // A length that grew is only known to be wrong once that much has come; nothing false comes out of it.
        CHECK((outcome.error || outcome.offset < bytes.size()));
        CHECK(outcome.records.size() < exampleRecords().size());
    }
}

TEST_CASE("an error names the last good border and stays")
{
    std::string bytes = exampleSpool();
    const std::size_t border = bytes.size();
    bytes += std::string(16, '\0'); // what some file systems leave behind after a loss of power
    SpoolReader reader;
    const auto ignore = [](const Record&) {};
    const auto fed = reader.feed(bytes, ignore);
    REQUIRE_FALSE(fed);
    CHECK(fed.error().code == ErrorCode::damaged);
    CHECK(fed.error().message.find(std::to_string(border)) != std::string::npos);
    CHECK(reader.offset() == border);
    CHECK_FALSE(reader.feed(exampleSpool(), ignore));
}

TEST_CASE("a foreign file is refused at its first byte, a newer format is told apart")
{
    CHECK(readAtOnce("#").error->code == ErrorCode::damaged);
    std::string bytes = headerBytes();
    bytes[8] = 2;
    CHECK(readAtOnce(bytes).error->code == ErrorCode::newerVersion);
}

TEST_CASE("a block that claims too much is refused before it comes")
{
    std::string bytes = headerBytes();
    putNumber(bytes, kMaxSpoolBlockBytes + 1);
    putNumber(bytes, std::uint32_t{0});
    CHECK(readAtOnce(bytes).error->code == ErrorCode::damaged);
}

TEST_CASE("later versions may add types and append fields")
{
    std::string longer = encoded(sampleNumber(3)).substr(6);
    putNumber(longer, ~0u); // reported phases, of which a later version has more
    putNumber(longer, 1u);  // iterations
    putNumber(longer, 1u);  // of ranks
    longer += "more";
    const Outcome outcome = readAtOnce(withBlock(rawRecord(999, "?") + rawRecord(1, longer) + rawRecord(998, "")));
    CHECK_FALSE(outcome.error);
    CHECK(outcome.records == std::vector<Record>{sampleNumber(3)});
}

TEST_CASE("records that lie about their length are refused")
{
    const std::string sample = encoded(sampleNumber(0));
    CHECK(readAtOnce(withBlock(rawRecord(1, sample.substr(6, 119)))).error);
    CHECK(readAtOnce(withBlock(sample.substr(0, sample.size() - 1))).error);
    CHECK(readAtOnce(withBlock(sample + "\x01")).error);
    std::string timings = encoded(BucketTimings{1, {{}, {}}});
    timings[6 + 4] = 3; // three buckets, bytes for two
    CHECK(readAtOnce(withBlock(timings)).error);
    std::string layers = encoded(LayerTimings{1, {{}}});
    layers[6 + 8] = 39; // a stride that a layer does not fit in
    CHECK(readAtOnce(withBlock(layers)).error);
}

TEST_CASE("times that would overflow in a sum are refused")
{
    Sample sample = sampleNumber(0);
    sample.phases[0] = std::numeric_limits<std::int64_t>::max();
    CHECK(readAtOnce(withBlock(encoded(sample))).error);
    sample.phases[0] = std::numeric_limits<std::int64_t>::min();
    CHECK(readAtOnce(withBlock(encoded(sample))).error);
}

TEST_CASE("a phase that only a later version knows reads as other")
{
    std::string heartbeat = encoded(Heartbeat{1, 2, Phase::h2d});
    heartbeat.back() = 77;
    CHECK(readAtOnce(withBlock(heartbeat)).records == std::vector<Record>{Heartbeat{1, 2, Phase::other}});
}

TEST_CASE("what a system has printed stands behind its communication, or not at all")
{
    const Heartbeat silent{1, 2, Phase::other, Communication{}}, printing{1, 2, Phase::other, Communication{}, 80};
    CHECK(encoded(printing).size() == encoded(silent).size() + 8);
    CHECK(readAtOnce(withBlock(encoded(printing))).records == std::vector<Record>{printing});
}

TEST_CASE("a sample says which phases it reports; whatever the bits, they are phases, and other is one of them")
{
    Sample sample = sampleNumber(3);
    for (std::uint32_t bits = 0; bits <= PhaseSet::all().bits(); ++bits) {
        sample.told = PhaseSet::ofBits(bits);
        REQUIRE(sample.told.has(Phase::other));
        REQUIRE(readAtOnce(withBlock(encoded(sample))).records == std::vector<Record>{sample});
    }
    const std::string fields = encoded(sampleNumber(3)).substr(6);
    CHECK(encoded(sampleNumber(3)).size() == 6 + 120); // as the first writers wrote it
    for (const std::uint32_t bits : {0u, 0x8000'0000u, 0xffff'ff80u, 0xffff'ffffu, PhaseSet::bitOf(Phase::h2d)}) {
        std::string hostile = fields;
        putNumber(hostile, bits);
        const auto records = readAtOnce(withBlock(rawRecord(1, hostile))).records;
        REQUIRE(records.size() == 1);
        CHECK(std::get<Sample>(records[0]).told == PhaseSet::ofBits(bits));
    }
    for (std::size_t cut = 1; cut < sizeof(std::uint32_t); ++cut)
        CHECK(readAtOnce(withBlock(rawRecord(1, fields + std::string(cut, '\xff')))).error);
}

TEST_CASE("a sample of several iterations, or ranks, is read as it was written, and ends where it says no more")
{
    const auto samples = [](const std::string& fields) {
        const auto records = readAtOnce(withBlock(rawRecord(1, fields))).records;
        return records.size() == 1 ? std::optional(std::get<Sample>(records[0])) : std::nullopt;
    };
    for (const PhaseSet told : {PhaseSet::all(), PhaseSet{Phase::forward}})
        for (const std::uint32_t iterations : {1u, 4u})
            for (const std::uint32_t ofRanks : {1u, 8u}) {
                Sample sample = sampleNumber(3);
                sample.told = told;
                keepTold(sample.phases, told);
                sample.iterations = iterations;
                sample.ofRanks = ofRanks;
                const std::string fields = encoded(sample).substr(6);
                const std::size_t tail = ofRanks > 1 ? 12 : iterations > 1 ? 8 : told.hasAll() ? 0 : 4;
                CHECK(fields.size() == 120 + tail);
                CHECK(samples(fields) == sample);
                if (tail > 8) // a version between would have ended here
                    CHECK(samples(fields.substr(0, 128))->ofRanks == 1);
                if (tail > 0)
                    CHECK(readAtOnce(withBlock(rawRecord(1, fields.substr(0, fields.size() - 1)))).error);
            }
    Sample several = sampleNumber(3);
    several.iterations = 4;
    CHECK(several.firstSeq() == 0);
    CHECK_FALSE(several.isSingle());
    CHECK(sampleNumber(3).firstSeq() == 3);
    CHECK(sampleNumber(3).isSingle());
}

TEST_CASE("sets of phases have what was put in, and other")
{
    const PhaseSet some{Phase::forward, Phase::update};
    for (const Phase phase : kPhases)
        CHECK(some.has(phase) == (phase == Phase::forward || phase == Phase::update || phase == Phase::other));
    CHECK_FALSE(some.hasAll());
    CHECK(PhaseSet::all().hasAll());
    CHECK((some & PhaseSet::all()) == some);
    CHECK((some & PhaseSet{Phase::forward, Phase::h2d}) == PhaseSet{Phase::forward});
    CHECK(PhaseSet::ofBits(~some.bits()) ==
          (PhaseSet{Phase::inputWait, Phase::h2d, Phase::backward, Phase::commExposed}));
}

TEST_CASE("time that is not reported is a part of its own, in the place of other")
{
    const PhaseSet some{Phase::forward};
    CHECK(partsOf(PhaseSet::all()).size() == kPhaseCount);
    REQUIRE(partsOf(some).size() == kPhaseCount + 1);
    CHECK(partsOf(some).back() == kNotTold);
    CHECK(nameOf(kNotTold) == "not_told");
    CHECK(partOf(Phase::other, some) == kNotTold);
    CHECK(partOf(Phase::other, PhaseSet::all()) == PhasePart(Phase::other));
    CHECK(partOf(Phase::forward, some) == PhasePart(Phase::forward));
    for (const PhasePart part : partsOf(some))
        CHECK(hasPart(some, part) == (part == Phase::forward || part == kNotTold));
    CHECK_FALSE(hasPart(PhaseSet::all(), kNotTold));
    PhaseTimes times{1, 2, 4, 8, 16, 32, 64};
    keepTold(times, PhaseSet::all());
    CHECK(times == PhaseTimes{1, 2, 4, 8, 16, 32, 64});
    keepTold(times, some);
    CHECK(times == PhaseTimes{0, 0, 4, 0, 0, 0, 123});
}

TEST_CASE("a sample's phases add up to its length")
{
    CHECK(sampleNumber(0).lengthNs() == 100'000'000);
    CHECK(sampleNumber(0).endNs() == sampleNumber(1).startNs);
    for (const Phase phase : kPhases)
        CHECK(phaseFromName(nameOf(phase)) == phase);
    CHECK_FALSE(phaseFromName("sleep"));
}

} // namespace ringside::test
