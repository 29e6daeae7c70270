// SPDX-License-Identifier: MIT
#include "core/logs/linesamples.h"
#include "tests/logs/examples.h"

#include <cmath>
#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace ringside;
using namespace ringside::logs;
using test::lineForm;

namespace {

constexpr std::int64_t kMs = 1'000'000;

LogFormat speedometer()
{
    return {.name = "speedometer",
            .title = "Speedometer",
            .lines = {lineForm("Epoch[{epoch}] Batch [{previous_iteration}-{iteration}] Speed: {items_per_second} "
                               "samples/sec{?} cross-entropy={loss}"),
                      lineForm("all ranks: {iteration} took {seconds}", Meaning::interval, Scope::all),
                      lineForm("Epoch[{epoch}] Time cost={seconds}", Meaning::epoch)}};
}

/// 32 items an iteration of each of four ranks, two on a node.
constexpr KnownOfRun kKnown{.batchPerRank = 32, .ranks = 4, .ranksPerNode = 2};

LogRecord interval(std::int64_t iteration, double iterations, std::optional<std::int64_t> epoch = {})
{
    LogRecord record;
    record.epoch = epoch;
    record.iteration = iteration;
    record.iterations = iterations;
    record.seconds = iterations / 100;
    return record;
}

std::vector<std::uint32_t> seqsOf(std::initializer_list<LogRecord> records)
{
    RecordSamples samples(kKnown);
    std::vector<std::uint32_t> seqs;
    for (const LogRecord& record : records)
        if (const auto sample = samples.next(record, Scope::rank))
            seqs.push_back(sample->seq);
    return seqs;
}

} // namespace

TEST_CASE("a record of several iterations is one sample, with their totals and the phases that it states")
{
    LogRecord record = interval(50, 50);
    record.itemRate = 3'200;
    record.loss = 2.5;
    std::vector<PhaseTime> phases = {{Phase::forward, 0.004}, {Phase::inputWait, 0.001}};
    RecordSamples samples(kKnown);
    const auto sample = samples.next(record, Scope::rank, phases);
    REQUIRE(sample);
    CHECK(sample->seq == 49);
    CHECK(sample->firstSeq() == 0);
    CHECK(sample->lengthNs() == 500 * kMs);
    CHECK(sample->items == 1'600);
    CHECK(sample->ofRanks == 1);
    CHECK(sample->loss == 2.5f);
    CHECK(sample->told == PhaseSet{Phase::forward, Phase::inputWait});
    CHECK(sample->phases == PhaseTimes{50 * kMs, 0, 200 * kMs, 0, 0, 0, 250 * kMs});

    phases.push_back({Phase::update, 0.006}); // more than the iteration has: nothing is known of any
    record.iteration = 100;
    const auto contradicting = samples.next(record, Scope::rank, phases);
    CHECK(contradicting->told == PhaseSet{});
    CHECK(contradicting->phases == PhaseTimes{0, 0, 0, 0, 0, 0, 500 * kMs});
}

TEST_CASE("work and time come from what the line states, and the batch fills in what it does not")
{
    const auto told = [](auto change, Scope scope = Scope::rank) {
        LogRecord record;
        record.iteration = 20;
        record.iterations = 20;
        change(record);
        return RecordSamples(kKnown).next(record, scope);
    };
    const auto rate = told([](LogRecord& r) { r.itemRate = 6'400; }); // as Speedometer has it
    CHECK(rate->items == 640);
    CHECK(rate->lengthNs() == 100 * kMs);
    const auto iterations = told([](LogRecord& r) { r.iterationRate = 10; }, Scope::all); // as Caffe has it
    CHECK(iterations->items == 20 * 32 * 4);
    CHECK(iterations->ofRanks == 4);
    CHECK(iterations->lengthNs() == 2'000 * kMs);
    CHECK(told([](LogRecord& r) { r.iterationRate = 10; }, Scope::node)->ofRanks == 2);
    const auto items = told([](LogRecord& r) { r.items = 500, r.seconds = 2; }); // the log's own count wins
    CHECK(items->items == 500);
    CHECK(std::isnan(items->loss));
    CHECK_FALSE(told([](LogRecord&) {}));
    CHECK_FALSE(told([](LogRecord& r) { r.seconds = 0; }));
    CHECK_FALSE(told([](LogRecord& r) { r.seconds = 1, r.isRefused = true; }));
    CHECK_FALSE(told([](LogRecord& r) { r.seconds = 1, r.iterations = {}; }));
    CHECK(told([](LogRecord& r) { r.itemRate = 5.4e6, r.iterationRate = 20 / 826.0; })->items == 4'460'400'000);
    CHECK(told([](LogRecord& r) { r.seconds = 1, r.items = 1e12; })->items == 1'000'000'000'000);
    CHECK_FALSE(told([](LogRecord& r) { r.seconds = 1, r.items = 1e16; }));
    CHECK_FALSE(told([](LogRecord& r) { r.seconds = 1e300; }));
    CHECK_FALSE(told([](LogRecord& r) { r.seconds = -1; }));
    LogRecord noBatch = interval(20, 20);
    CHECK_FALSE(RecordSamples(KnownOfRun{}).next(noBatch, Scope::rank));
}

TEST_CASE("iterations are counted from 0 through epochs, whatever the program counts from")
{
    using Seqs = std::vector<std::uint32_t>;
    CHECK(seqsOf({interval(50, 50), interval(100, 50), interval(120, 20)}) == Seqs{49, 99, 119}); // a short last one
    CHECK(seqsOf({interval(49, 50), interval(99, 50)}) == Seqs{49, 99});
    CHECK(seqsOf({interval(0, 1), interval(1, 1), interval(2, 1)}) == Seqs{0, 1, 2});
    CHECK(seqsOf({interval(1, 1), interval(2, 1), interval(3, 1)}) == Seqs{0, 1, 2});
    CHECK(seqsOf({interval(0, 1), interval(10, 1), interval(20, 1)}) == Seqs{0, 10, 20}); // each tenth
    CHECK(seqsOf({interval(10, 10), interval(40, 10)}) == Seqs{9, 39});                   // 20 are not reported
    CHECK(seqsOf({interval(20, 20, 0), interval(40, 20, 0), interval(20, 20, 1)}) == Seqs{19, 39, 59});
    CHECK(seqsOf({interval(20, 20), interval(40, 20), interval(20, 20)}) == Seqs{19, 39, 59}); // no word of epochs
    CHECK(seqsOf({interval(20, 20), interval(38, 20), interval(58, 20)}) == Seqs{19, 39, 59}); // none is covered twice
    LogRecord refused = interval(40, 20);
    refused.isRefused = true;
    CHECK(seqsOf({interval(20, 20), refused, interval(60, 20)}) == Seqs{19, 59});
    CHECK(seqsOf({interval(std::int64_t{1} << 40, 20), interval(-5, 20), interval(3, 2e9)}) == Seqs{19, 39});
}

TEST_CASE("lines of a process that runs become samples when nothing can be added to them any more")
{
    LineSamples lines(speedometer(), kKnown);
    lines.read(1, "Epoch[0] Batch [0-10]\tSpeed: 3200.00 samples/sec\taccuracy=0.1", 1'000 * kMs);
    CHECK(lines.take(1'010 * kMs).empty()); // a line for its loss may follow
    lines.read(2, "Epoch[0] Batch [0-10]\tSpeed: 3200.00 samples/sec\tcross-entropy=2.3", 1'011 * kMs);
    lines.read(3, "something else", 1'012 * kMs);
    CHECK(lines.take(1'020 * kMs).empty());
    const auto first = lines.take(1'000 * kMs + LineSamples::kSettleNs);
    REQUIRE(first.size() == 1);
    CHECK(first[0].seq == 9);
    CHECK(first[0].loss == 2.3f);
    CHECK(first[0].endNs() == 1'000 * kMs);
    CHECK(first[0].lengthNs() == 100 * kMs);

    lines.read(4, "Epoch[0] Batch [10-20]\tSpeed: 1600.00 samples/sec", 3'000 * kMs);
    lines.read(5, "Epoch[0] Batch [20-30]\tSpeed: 1600.00 samples/sec", 3'000 * kMs); // the program's buffer was full
    lines.read(6, "Epoch[0] Time cost=9.9", 3'100 * kMs);
    lines.read(7, "Epoch[1] Batch [0-10]\tSpeed: 1600.00 samples/sec", 3'300 * kMs);
    const auto rest = lines.take(3'300 * kMs, true);
    REQUIRE(rest.size() == 3);
    CHECK(rest[0].seq == 19);
    CHECK(rest[0].endNs() == 2'800 * kMs); // where the next one begins
    CHECK(rest[1].endNs() == 3'000 * kMs);
    CHECK(rest[2].seq == 39);
    CHECK(rest[2].endNs() == 3'300 * kMs);
    CHECK(lines.take(9'000 * kMs, true).empty());
}

TEST_CASE("what a process states of itself and of all counts once")
{
    LineSamples lines(speedometer(), kKnown);
    lines.read(1, "all ranks: 10 took 1.0", kMs);
    lines.read(2, "Epoch[0] Batch [0-10]\tSpeed: 320.00 samples/sec", 2 * kMs);
    lines.read(3, "all ranks: 20 took 1.0", 3 * kMs);
    lines.read(4, "Epoch[0] Batch [10-20]\tSpeed: 320.00 samples/sec", 4 * kMs);
    const auto samples = lines.take(5 * kMs, true);
    REQUIRE(!samples.empty());
    for (const Sample& sample : samples)
        CHECK(sample.ofRanks == samples.front().ofRanks);
}

TEST_CASE("a process that prints for ever costs no memory")
{
    LineSamples lines(speedometer(), kKnown);
    std::size_t samples = 0;
    for (std::uint64_t i = 1; i <= 100'000; ++i) {
        lines.read(i, fmt::format("Epoch[0] Batch [{}-{}]\tSpeed: 3200.00 samples/sec", i * 10 - 10, i * 10),
                   static_cast<std::int64_t>(i) * 100 * kMs);
        samples += lines.take(static_cast<std::int64_t>(i) * 100 * kMs).size();
    }
    CHECK(samples == 99'999);
    CHECK(lines.held() == 1);
}
