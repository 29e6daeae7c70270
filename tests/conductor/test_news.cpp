// SPDX-License-Identifier: MIT
// The sink learns of a change in one way: by rows of the runs that changed, or as an experiment to query again.
#include "tests/conductor/conductorfixture.h"

#include "core/conductor/storethread.h"

#include <SQLiteCpp/SQLiteCpp.h>

using namespace ringside;
using namespace ringside::test;

namespace {

/// A campaign of two runs that waits for its site.
struct Launched : ConductorFixture
{
    RecordingSink sink;
    std::unique_ptr<WaitingConductor> conductor;

    Launched()
    {
        ConductorOptions away = options();
        away.agent = folder / "missing-agent";
        conductor = must(WaitingConductor::open(away, sink));
        must(conductor->saveExperiment(experiment("[1]", 2, 5)));
        REQUIRE(!conductor->launch({"kill"}));
    }
};

} // namespace

TEST_CASE_FIXTURE(Launched, "the sink gets the row of a run that changed, and needs no further query")
{
    const RunId run = runs().front().id;
    conductor.reset();
    RecordingSink later;
    auto store = must(StoreThread::open(options().store, later));
    must(store->call([&](store::Database&) -> Result<void> {
        store->announce({run});
        return {};
    }));
    store.reset(); // nothing more is announced
    CHECK(later.rows.contains(run));
    CHECK(later.experiments.empty());
}

TEST_CASE_FIXTURE(Launched, "rows that cannot be read are reported once, and arrive as soon as they can be")
{
    const RunId run = runs().front().id;
    conductor.reset();
    RecordingSink later;
    auto store = must(StoreThread::open(options().store, later));
    const auto announce = [&](store::Database&) -> Result<void> {
        store->announce({run});
        return {};
    };
    const auto rename = [&](const char* from, const char* to) {
        SQLite::Database(options().store.string(), SQLite::OPEN_READWRITE, kLockWaitMs)
            .exec(fmt::format("ALTER TABLE {} RENAME TO {}", from, to));
    };
    rename("cells", "hidden");
    must(store->call(announce));
    must(store->call(announce));
    CHECK(later.waitUntil([&] { return later.problems.size() == 1; }));
    rename("hidden", "cells");
    CHECK(later.waitUntil([&] { return later.rows.contains(run); }));
    CHECK(later.problems.size() == 1);
}

TEST_CASE_FIXTURE(Launched, "a run that waits to be cancelled by its site is announced")
{
    {
        const std::lock_guard lock(sink.mutex);
        sink.experiments.clear();
    }
    must(conductor->control({{Control::Kind::cancel}, "kill"}));
    CHECK(runs()[1].reason == because(why::kBeingCancelled));
    CHECK(sink.waitUntil([&] { return sink.experiments.contains("kill"); }));
}
