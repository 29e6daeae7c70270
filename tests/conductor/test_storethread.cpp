// SPDX-License-Identifier: MIT
#include "core/conductor/quietsink.h"
#include "core/conductor/storethread.h"
#include "core/imports/importing.h"
#include "core/protocol/facts.h"
#include "tests/imports/logfixture.h"
#include "tests/store/storefixture.h"

#include <chrono>
#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <stop_token>

using namespace ringside;
using namespace ringside::test;

namespace {

struct ProblemSink : QuietSink
{
    void problem(const Error& error) override { problems.push_back(error); }
    std::vector<Error> problems; ///< of the store's thread: to be read behind what it did
};

/// Remembers the latest row of each run.
struct RowSink : QuietSink
{
    void runsChanged(const std::vector<store::RunRow>& changed) override
    {
        const std::lock_guard lock(mutex);
        for (const store::RunRow& row : changed)
            rows.insert_or_assign(row.id, row);
        news.notify_all();
    }
    template <class Condition> bool waitForRow(const RunId& run, Condition holds)
    {
        std::unique_lock lock(mutex);
        return news.wait_for(lock, std::chrono::minutes(1), [&] { return rows.contains(run) && holds(rows.at(run)); });
    }

    std::mutex mutex;
    std::condition_variable news;
    std::map<RunId, store::RunRow> rows;
};

} // namespace

TEST_CASE_FIXTURE(StoreFixture, "what the database has no place for is left out and reported, and the rest is stored")
{
    (void)store::Database(std::move(db)); // from now on the store's thread writes
    const RunId first = plan.runs[0].id, second = plan.runs[1].id;
    ProblemSink sink;
    const auto writer = must(StoreThread::open(path, sink));
    writer->post({samples(0, 0, 0, 5, 100), store::FactsArrival{first, 1, "\xEF\xBB\xBF{}"},
                  change(1, 1, RunState::unknown, kStart), store::FactsArrival{second, 0, "{}"},
                  change(0, 1, RunState::done, kStart), store::FactsArrival{first, 1, factsToJson(Facts{})}},
                 {});
    const auto rows = must(writer->call([&](store::Database& store) { return store::runsById(store, {first}); }));
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].samples == 5);
    CHECK(rows[0].state == RunState::done);
    CHECK(must(writer->call([&](store::Database& store) { return store::facts(store, first, 1); })));
    REQUIRE(sink.problems.size() == 3);
    CHECK(sink.problems[0].message.starts_with("The description of attempt 1 of run " + first.str()));
    CHECK(sink.problems[1].message.starts_with("The state of attempt 1 of run " + second.str()));
    CHECK(sink.problems[2].message.starts_with("The description of attempt 0 of run " + second.str()));
}

TEST_CASE_FIXTURE(StoreFixture, "a store whose summaries cannot be made opens, and says so")
{
    auto ingest = must(store::Ingest::create(db));
    must(ingest.drain({samples(0, 0, 0, 5, 100), change(0, 1, RunState::done, kStart)}));
    db.handle().exec(
        "CREATE TRIGGER refusing BEFORE UPDATE OF summarised ON attempts BEGIN SELECT raise(ABORT, 'no'); END");
    ProblemSink sink;
    {
        (void)store::Ingest(std::move(ingest));
        (void)store::Database(std::move(db)); // from now on the store's thread writes
        const auto writer = must(StoreThread::open(path, sink));
        CHECK(must(writer->call([](store::Database& store) { return store::runs(store); })).size() == 2);
    }
    REQUIRE(!sink.problems.empty());
    CHECK_MESSAGE(sink.problems[0].message.find(path.string()) != std::string::npos, sink.problems[0].text());
}

TEST_CASE_FIXTURE(StoreFixture, "whatever arrives counts with all that it holds: who brings more waits for the disk")
{
    (void)store::Database(std::move(db));  // from now on the store's thread writes
    const RunId unknown = RunId::random(); // nothing of it is stored
    store::SpoolArrival spool;
    spool.run = unknown;
    store::Arrival large = spool;
    SUBCASE("facts")
    {
        large = store::FactsArrival{unknown, 1, std::string(kMaxQueuedBytes, ' ')};
    }
    SUBCASE("buckets")
    {
        spool.records = {BucketTimings{0, std::vector<BucketTiming>(kMaxQueuedBytes / sizeof(BucketTiming) + 1)}};
        large = spool;
    }
    SUBCASE("layers")
    {
        spool.records = {LayerTimings{0, std::vector<LayerTiming>(kMaxQueuedBytes / sizeof(LayerTiming) + 1)}};
        large = spool;
    }
    SUBCASE("refused records")
    {
        spool.refused.resize(kMaxQueuedBytes / sizeof(RefusedRecord) + 1);
        large = spool;
    }
    SUBCASE("the text of a reason")
    {
        campaign::RunChange failed{unknown, 1, RunState::failed};
        failed.reason.text.resize(kMaxQueuedBytes);
        large = failed;
    }
    SUBCASE("what a reason is about")
    {
        campaign::RunChange failed{unknown, 1, RunState::failed};
        failed.reason = because(why::kNotStarted, {{"said", std::string(kMaxQueuedBytes, 'x')}});
        large = failed;
    }
    QuietSink sink;
    const auto writer = must(StoreThread::open(path, sink));
    std::promise<void> isBusy, isFree;
    writer->post([&](store::Database&) {
        isBusy.set_value();
        isFree.get_future().wait();
    });
    isBusy.get_future().wait();
    writer->post({std::move(large)}, {});
    auto next = std::async(std::launch::async, [&] { writer->post({store::FactsArrival{unknown, 1, "{}"}}, {}); });
    CHECK(next.wait_for(std::chrono::milliseconds(200)) == std::future_status::timeout);
    isFree.set_value();
    next.wait();
}

TEST_CASE_FIXTURE(StoreFixture, "what arrives while the program ends is stored although the queue is full")
{
    (void)store::Database(std::move(db)); // from now on the store's thread writes
    ProblemSink sink;
    auto writer = must(StoreThread::open(path, sink));
    std::promise<void> isBusy, isFree;
    writer->post([&](store::Database&) {
        isBusy.set_value();
        isFree.get_future().wait();
    });
    isBusy.get_future().wait();
    writer->post({store::FactsArrival{RunId::random(), 1, std::string(kMaxQueuedBytes, ' ')}}, {});
    std::stop_source stop;
    stop.request_stop();
    writer->post({change(0, 1, RunState::done, kStart)}, stop.get_token());
    isFree.set_value();
    writer.reset(); // it stores what is queued
    db = must(store::Database::openForReading(path));
    CHECK(row(0).state == RunState::done);
}

TEST_CASE_FIXTURE(StoreFixture,
                  "a run whose end is stored together with an import is announced with its rate, as is the import")
{
    (void)store::Database(std::move(db)); // from now on the store's thread writes
    const RunId run = plan.runs[0].id;
    RowSink sink;
    auto writer = must(StoreThread::open(path, sink));
    writer->post({change(0, 1, RunState::starting, kStart)}, {});
    REQUIRE(sink.waitForRow(run, [](const store::RunRow& row) { return row.state == RunState::starting; }));
    writer->post({samples(0, 0, 0, 10, 900)}, {});
    REQUIRE(sink.waitForRow(run, [](const store::RunRow& row) { return row.samples == 10; })); // nothing else is due

    const imports::Import import{"logs", must(LogFixture::preview({formatLog("mxnet.module")}, {"ranks=2"}))};
    std::promise<void> isQueued;
    writer->post([queued = isQueued.get_future().share()](store::Database&) { queued.wait(); });
    writer->post({change(0, 1, RunState::done, kStart + 1'000'000'000)}, {});
    writer->post([&](store::Database& store) { must(imports::storeImport(store, import)); });
    isQueued.set_value();
    writer.reset(); // it stores all of it

    const auto isMeasured = [](const auto& each) { return each.second.itemsPerSecond.has_value(); };
    CHECK(sink.rows.at(run).state == RunState::done);
    CHECK(sink.rows.size() == 2);
    CHECK(std::ranges::all_of(sink.rows, isMeasured));
}
