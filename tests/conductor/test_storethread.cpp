// SPDX-License-Identifier: MIT
#include "core/conductor/quietsink.h"
#include "core/conductor/storethread.h"
#include "core/protocol/facts.h"
#include "tests/store/storefixture.h"

using namespace ringside;
using namespace ringside::test;

namespace {

struct ProblemSink : QuietSink
{
    void problem(const Error& error) override { problems.push_back(error); }
    std::vector<Error> problems; ///< of the store's thread: to be read behind what it did
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
