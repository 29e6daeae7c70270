// SPDX-License-Identifier: MIT
// Work that is answered as done has been flushed to disk. SQLite's own calls for that are counted here, in their place.
#include "tests/store/storefixture.h"
#include "tests/support/addcampaign.h"

#include <atomic>
#include <functional>
#include <sys/syscall.h>
#include <unistd.h>

using namespace ringside;
using namespace ringside::test;

namespace {

std::atomic<int> flushesOfLogs = 0;

int flush(long call, int fd)
{
    std::error_code ignored;
    const fs::path file = fs::read_symlink("/proc/self/fd/" + std::to_string(fd), ignored);
    flushesOfLogs += file.string().ends_with("-wal");
    return static_cast<int>(::syscall(call, fd));
}

} // namespace

extern "C" int fsync(int fd)
{
    return flush(SYS_fsync, fd);
}
extern "C" int fdatasync(int fd)
{
    return flush(SYS_fdatasync, fd);
}

TEST_CASE_FIXTURE(StoreFixture, "what people ask for is on disk before it is answered as done")
{
    const store::ExperimentEdit other{"other", "", "local", 1, "format = 1\n", {}};
    const std::pair<const char*, std::function<Result<void>()>> orders[] = {
        {"save", [&] { return store::saveExperiment(db, other); }},
        {"archive", [&] { return store::setArchived(db, "other", true); }},
        {"star", [&] { return store::setStarred(db, "other", true); }},
        {"delete", [&] { return store::deleteExperiment(db, "other"); }},
        {"hold", [&] { return store::setHeld(db, plan.campaign, true); }},
        {"cancel one", [&] { return store::setRunsCancelled(db, plan.campaign, {plan.runs[0].id}); }},
        {"cancel all", [&] { return store::setCancelled(db, plan.campaign); }},
        {"launch again",
         [&] {
             plan.campaign = CampaignId::random();
             return test::addCampaign(db, plan);
         }},
        {"launch again, each run a job",
         [&] {
             std::vector plans{plan};
             plans[0].campaign = CampaignId::random();
             return store::addCampaigns(db, plans, {store::Submission{}});
         }},
        {"submit", [&] { return store::setStage(db, plan.campaign, campaign::Stage::submitting); }},
    };
    for (const auto& [name, order] : orders) {
        CAPTURE(std::string(name));
        const int before = flushesOfLogs;
        must(order());
        CHECK(flushesOfLogs > before);
    }
    const int before = flushesOfLogs; // what a site says can be asked for again
    must(store::setContact(db, plan.campaign, 1, {}));
    auto ingest = must(store::Ingest::create(db));
    must(ingest.drain({samples(0, 0, 0, 3, 1000)}));
    CHECK(flushesOfLogs == before);
    for (const int times : {1, 2}) { // before the site removes its copy
        must(store::flushToDisk(db));
        CHECK(flushesOfLogs >= before + times);
    }
}
