// SPDX-License-Identifier: MIT
// Clean-up leaves what unfinished campaigns of other stores need, and what came to be needed while it was under way.
#include "agent/runner/lease.h"
#include "tests/cleaner/sitefixture.h"

#include <chrono>

using namespace ringside;
using namespace ringside::cleaner;
using namespace ringside::test;
using wire::Item;
using wire::ItemKind;

namespace {

/// The owner of a lease who has ended: another process got its number.
std::string deadOwner()
{
    auto owner = runner::thisOwner();
    REQUIRE(owner);
    owner->process.startTicks += 1;
    return runner::ownerToJson(*owner);
}

wire::DeleteRequest everythingOf(const StoreId& store)
{
    wire::DeleteRequest request;
    request.store = store;
    request.items = {{ItemKind::worker, "abc"}, {ItemKind::worker, "def"}, {ItemKind::data, "data"}};
    return request;
}

/// A campaign that is not over and has no runner: it is gone on with if its store asks for it.
struct ForsakenSite : Site
{
    ForsakenSite()
        : Site(false)
    {
        for (const char* path : {"workers/abc/ringside-worker", "workers/def/ringside-worker", "data/a.jpg"})
            file(path);
    }
    fs::path inCampaign(const fs::path& path) const { return campaign().lexically_relative(root()) / path; }
};

} // namespace

TEST_CASE_FIXTURE(ForsakenSite, "what an unfinished campaign of another store needs stays, though its runner is dead")
{
    SUBCASE("its runner died")
    {
        file(inCampaign("lease-1/owner"), deadOwner());
    }
    SUBCASE("it is yet to be handed over") {}
    const auto reply = remove(everythingOf(StoreId::random()));
    REQUIRE(reply.refused.size() == 2);
    CHECK(reply.refused[0].path == "workers/abc");
    CHECK(reply.refused[0].reason ==
          because(why::kNeededBy, {{"campaign", plan().campaign.str()}, {"experiment", "test"}}));
    CHECK(reply.refused[1].path == "data");
    CHECK(fs::exists(root() / "workers/abc"));
    CHECK_FALSE(fs::exists(root() / "workers/def"));
}

TEST_CASE_FIXTURE(
    ForsakenSite,
    "a store knows itself what of its own is given up, and a campaign is not waited for longer than a month")
{
    StoreId asker = StoreId::random();
    SUBCASE("its own store asks")
    {
        asker = plan().store;
    }
    SUBCASE("nothing was done in it for long")
    {
        const auto before = fs::file_time_type::clock::now() - std::chrono::days(31);
        for (const fs::path& path : {layout::journalFile(campaign()), campaign()})
            fs::last_write_time(path, before);
    }
    SUBCASE("it is over")
    {
        note(JournalKind::runnerEnded);
    }
    CHECK(remove(everythingOf(asker)).refused.empty());
    CHECK_FALSE(fs::exists(root() / "workers/abc"));
}

// The lease of its dead runner leads to what is removed first: without one the campaign's job is yet to begin.

TEST_CASE_FIXTURE(ForsakenSite,
                  "a run whose campaign has become busy while others were removed stays, and so does that")
{
    const RunId first = RunId::random();
    const fs::path former = layout::runFolder(root(), first) / "former";
    file(former.lexically_relative(root()) / "owner", deadOwner());
    fs::create_directory_symlink(former, layout::leaseFolder(campaign(), 1));
    file(inCampaign(layout::jobFile({})), "4711\n");
    wire::DeleteRequest all = request();
    all.runs.insert(all.runs.begin(), first);
    const auto reply = remove(all);
    CHECK_FALSE(fs::exists(former));
    REQUIRE(reply.refused.size() == 2);
    for (const wire::Refusal& refusal : reply.refused)
        CHECK(refusal.reason == because(why::kKeptWaits));
    CHECK(fs::exists(spool()));
    CHECK(fs::exists(campaign()));
}

TEST_CASE_FIXTURE(ForsakenSite, "a worker that came to be needed while others were removed stays")
{
    const fs::path former = root() / "workers/aaa/former";
    file(former.lexically_relative(root()) / "owner", deadOwner());
    fs::create_directory_symlink(former, layout::leaseFolder(campaign(), 1));
    file(inCampaign(layout::jobFile({})), "4711\n");
    wire::DeleteRequest workers;
    workers.items = {{ItemKind::worker, "aaa"}, {ItemKind::worker, "abc"}};
    const auto reply = remove(workers);
    CHECK_FALSE(fs::exists(former));
    REQUIRE(reply.refused.size() == 1);
    CHECK(reply.refused[0].path == "workers/abc");
    CHECK(fs::exists(root() / "workers/abc"));
}
