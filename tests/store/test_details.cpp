// SPDX-License-Identifier: MIT
#include "core/protocol/facts.h"
#include "tests/store/storefixture.h"

using namespace ringside;
using namespace ringside::test;

namespace {

const LayerTiming kFirst{100, 200, 5'000, 600, 5'700}, kSecond{300, 400, 4'000, 900, 4'950};

/// Both ranks of the second run: ten iterations; the third and the eighth in detail, the fifth with buckets only.
struct DetailedStore : StoreFixture
{
    DetailedStore();
};

DetailedStore::DetailedStore()
{
    store::Ingest ingest = must(store::Ingest::create(db));
    for (const int rank : {0, 1}) {
        store::SpoolArrival arrival = samples(1, rank, 0, 10, 500);
        for (const std::uint32_t seq : {2u, 7u})
            arrival.records.emplace_back(LayerTimings{seq, {kFirst, kSecond}});
        arrival.records.emplace_back(BucketTimings{4, {{0, 10, 20, 30}}});
        arrival.records.emplace_back(BucketTimings{7, {{0, 4'960, 20, 30}, {1, 5'710, 60, 70u + unsigned(rank)}}});
        arrival.records.emplace_back(ClockOffset{9, -rank * 1'000, rank * 50});
        must(ingest.drain({arrival}));
        CHECK(must(ingest.drain({arrival})) == 0);
    }
    Facts facts;
    facts.layers = {{"conv1", 1'824}, {"fc", 3'400}};
    facts.machine["cpu"] = "AMD EPYC 7763";
    facts.versions["torch"] = "2.11.0";
    facts.transport = "tcp";
    facts.ranks.resize(2);
    must(ingest.drain({store::FactsArrival{plan.runs[1].id, 1, factsToJson(facts)}}));
}

} // namespace

TEST_CASE("work before the samples that are read is given by rank, until the attempt has a rate")
{
    StoreFixture store;
    store::Ingest ingest = must(store::Ingest::create(store.db));
    for (int rank : {0, 1})
        must(ingest.drain({store.samples(1, rank, 0, 10, 100)}));
    const RunId run = store.plan.runs[1].id;
    const auto work = must(store::steadyWork(store.db, run, 1, 7)); // warm-up: 0 and 1
    REQUIRE(work.size() == 2);
    CHECK(work[1].rank == 1);
    CHECK(work[1].items == 5 * 4);
    CHECK(work[1].beginNs == 1'020'000'000);
    CHECK(must(store::steadyWork(store.db, run, 1, 2)).empty());
    store.db.handle().exec("UPDATE attempts SET items_per_second = 1");
    CHECK(must(store::steadyWork(store.db, run, 1, 7)).empty());
}

TEST_CASE("an iteration is given out with the buckets and layers of each rank")
{
    const DetailedStore store;
    CHECK(store.count("layers") == 8);
    const RunId run = store.plan.runs[1].id;
    const auto last = must(store::detailedIteration(store.db, run, 1));
    CHECK(last.seq == 7);
    CHECK(last.recorded == std::vector<std::uint32_t>{2, 4, 7});
    CHECK(last.layers == std::vector<LayerFacts>{{"conv1", 1'824}, {"fc", 3'400}});
    CHECK(last.facts == store::RunFacts{"AMD EPYC 7763", "2.11.0", "tcp"});
    REQUIRE(last.clocks.size() == 2);
    REQUIRE(last.ranks.size() == 2);
    for (const int rank : {0, 1}) {
        const store::RankIteration& each = last.ranks[std::size_t(rank)];
        CHECK(each.rank == rank);
        CHECK(each.host == "alder");
        CHECK(each.sample.seq == 7);
        CHECK(each.sample.startNs == 1'070'000'000);
        CHECK(each.layers == std::vector<LayerTiming>{kFirst, kSecond});
        REQUIRE(each.buckets.size() == 2);
        CHECK(each.buckets[1] == BucketTiming{1, 5'710, 60, 70u + unsigned(rank)});
    }
}

TEST_CASE("any iteration that was recorded can be asked for, no other")
{
    const DetailedStore store;
    const RunId run = store.plan.runs[1].id;
    const auto buckets = must(store::detailedIteration(store.db, run, 1, 4));
    REQUIRE(buckets.ranks.size() == 2);
    CHECK(buckets.ranks[0].layers.empty());
    CHECK(buckets.ranks[0].buckets.size() == 1);
    const auto none = must(store::detailedIteration(store.db, run, 1, 5));
    CHECK(none.seq == 5);
    CHECK(none.ranks.empty());
    CHECK(none.recorded.size() == 3);
    CHECK(must(store::detailedIteration(store.db, run, 2)).recorded.empty());
    const auto other = must(store::detailedIteration(store.db, store.plan.runs[0].id, 1));
    CHECK(other.recorded.empty());
    CHECK(other.facts == store::RunFacts{});
}
