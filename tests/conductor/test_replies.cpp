// SPDX-License-Identifier: MIT
// What a relay says of a campaign, and what is kept of it.
#include "core/conductor/campaigndriver.h"
#include "core/conductor/quietsink.h"
#include "tests/store/storefixture.h"
#include "tests/support/built.h"

#include <atomic>

using namespace ringside;
using namespace ringside::test;

namespace {

struct CountingSink : QuietSink
{
    void problem(const Error&) override { ++problems; }
    std::atomic<int> problems = 0;
};

/// A campaign for Slurm, and contact with a relay that leaves all answers to the test.
struct Replies : StoreFixture
{
    explicit Replies(campaign::Stage stage)
        : access(CommandLine{{testProgram("muterelay")}})
        , link("alder", access, sink)
    {
        db.handle().exec("UPDATE campaigns SET scheduler = 'slurm'");
        must(store::setStage(db, plan.campaign, stage));
        (void)store::Database(std::move(db)); // from now on the store's thread writes
        writer = must(StoreThread::open(path, sink));
        driver.emplace(link, *writer, sink, std::stop_token());
        must(link.connect(Presence::unattended, {}));
        driver->watch(plan.campaign, {});
    }
    ~Replies() { writer.reset(); } // its queue may hold jobs of the driver

    Reason note()
    {
        const auto row =
            writer->call([id = plan.campaign](store::Database& store) { return store::campaignById(store, id); });
        return must(row)->note;
    }
    /// What is kept of such a status.
    Reason kept(const Reason& reason, std::int64_t expectedStartNs)
    {
        wire::CampaignStatus status{plan.campaign, true, wire::CampaignState::queued, "4711", reason};
        status.jobState = valueNamed<JobState>(reason.word("state")).value_or(JobState::unknown);
        status.expectedStartNs = expectedStartNs;
        driver->handle(wire::StatusReply{0, {status}});
        return note();
    }
    /// The campaign is submitted again, and the relay answers with this error.
    void refuse(const Error& error)
    {
        const std::uint32_t before = link.nextRequest();
        driver->onConnected();
        driver->handle(wire::ErrorReply{before + 1, error});
    }

    CountingSink sink;
    LocalAccess access;
    SiteLink link;
    std::unique_ptr<StoreThread> writer;
    std::optional<CampaignDriver> driver;
};

} // namespace

TEST_CASE(
    "of a job that waits its scheduler's word is kept, and when it is expected to start; of others there is no start")
{
    Replies site(campaign::Stage::submitted);
    Reason waits =
        because(why::kJob, {{"scheduler", "slurm"}, {"job", "4711"}, {"state", "pending"}, {"word", "Resources"}});
    CHECK(site.kept(waits, 0) == waits);
    const Reason silent = because(why::kSchedulerSilent, {{"scheduler", "slurm"}, {"said", "down"}});
    CHECK(site.kept(silent, kStart) == silent);
    CHECK(site.kept({}, kStart).empty());
    const Reason failed = because(why::kJob, {{"scheduler", "slurm"}, {"job", "4711"}, {"state", "node_fail"}});
    CHECK(site.kept(failed, kStart) == failed);
    const Reason kept = site.kept(waits, kStart + 30'000'000'000);
    waits.add("starts_ns", kStart);
    CHECK(kept == waits); // to the minute
}

TEST_CASE("why a campaign cannot be submitted now is kept, and told once for the same reason")
{
    Replies site(campaign::Stage::submitting);
    const Error away{ErrorCode::unavailable, "Slurm does not answer.", ""};
    site.refuse(away);
    site.refuse(away);
    CHECK(site.sink.problems == 1);
    CHECK(site.note().code == why::kError);
    CHECK(site.note().text.starts_with(away.message));
    site.refuse({ErrorCode::busy, "Slurm is full.", ""});
    CHECK(site.sink.problems == 2);
    CHECK(site.note().text.starts_with("Slurm is full."));
}
