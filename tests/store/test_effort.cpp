// SPDX-License-Identifier: MIT
// The work of SQLite for a question grows no faster than the answer: counted in its own steps, not in seconds.
#include "tests/store/storefixture.h"
#include "tests/support/addcampaign.h"

#include <sqlite3.h>

using namespace ringside;
using namespace ringside::test;

namespace {

/// Returns the steps of SQLite's virtual machine, in hundreds, while `ask` is answered.
template <class Ask> int effortOf(const store::Database& db, Ask ask)
{
    int hundreds = 0;
    const auto count = [](void* counted) { return ++*static_cast<int*>(counted), 0; };
    sqlite3_progress_handler(db.handle().getHandle(), 100, count, &hundreds);
    ask();
    sqlite3_progress_handler(db.handle().getHandle(), 0, nullptr, nullptr);
    return hundreds;
}

/// A campaign of so many runs, and one of as many that waits for its end.
struct ManyRuns : StoreFixture
{
    explicit ManyRuns(int number)
    {
        for (const auto stage : {campaign::Stage::submitted, campaign::Stage::waiting}) {
            CampaignPlan many = plan;
            many.campaign = CampaignId::random();
            many.runs.assign(static_cast<std::size_t>(number), plan.runs[0]);
            for (RunSpec& run : many.runs) {
                run.id = RunId::random();
                run.repeat = ++m_repeat;
            }
            must(test::addCampaign(db, many));
            must(store::setStage(db, many.campaign, stage));
        }
    }
    int effort() const
    {
        return effortOf(db, [&] { CHECK(must(store::runs(db)).size() > 100); });
    }

private:
    int m_repeat = 100;
};

int effortForNewest(int readings)
{
    StoreFixture store;
    store::SpoolArrival arrival = store.samples(0, 0, 0, 1, 100);
    for (int i = 0; i < readings; ++i) {
        Telemetry reading;
        reading.atNs = i;
        arrival.records.emplace_back(reading);
    }
    store::Ingest ingest = must(store::Ingest::create(store.db));
    must(ingest.drain({arrival}));
    return effortOf(store.db,
                    [&] { CHECK(must(store::telemetry(store.db, store.plan.runs[0].id, 1, 20)).size() == 20); });
}

} // namespace

TEST_CASE("four times as many runs take four times the effort to list, whatever they wait for")
{
    CHECK(ManyRuns(400).effort() < 6 * ManyRuns(100).effort());
}

TEST_CASE("the newest readings of telemetry take little more effort where there are many")
{
    CHECK(effortForNewest(8'000) < 4 * effortForNewest(1'000));
}
