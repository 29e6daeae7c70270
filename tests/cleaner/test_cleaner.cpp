// SPDX-License-Identifier: MIT
// Clean-up lists and removes the right things, and above all leaves the others.
#include "agent/runner/lease.h"
#include "core/protocol/installedengine.h"
#include "tests/cleaner/sitefixture.h"
#include "tests/support/refusedcall.h"
#include "tests/support/runningtime.h"

#include <chrono>
#include <sys/stat.h>
#include <thread>

using namespace ringside;
using namespace ringside::cleaner;
using namespace ringside::test;
using wire::Item;
using wire::ItemKind;

TEST_CASE("an agent whose relay of the command before still ends is awaited, and one that serves another app stays")
{
    Site site;
    const std::string name = "0.1.0/linux-x86_64-0123456789ab";
    const fs::path agent = site.root() / "bin" / name / "ringside-agent";
    {
        const Running ending(agent, "0.5");
        CHECK(site.removeItem(ItemKind::agent, name).refused.empty());
        CHECK(!fs::exists(agent));
    }
    const Running serving(agent, "60");
    const test::RunningTime time;
    const auto reply = site.removeItem(ItemKind::agent, name);
    CHECK(time.elapsed() < std::chrono::seconds(20));
    REQUIRE(reply.refused.size() == 1);
    CHECK(reply.refused[0].reason == because(why::kProgramRuns));
    CHECK(fs::exists(agent));
}

TEST_CASE("the probe of a connection does not make its agent one that is in use")
{
    Site site;
    const std::string name = "0.1.0/linux-x86_64-0123456789ab";
    const fs::path agent = site.root() / "bin" / name / "ringside-agent";
    {
        const Running probe(agent, "/usr/bin/tail", "probe", "-F"); // waits for a file of this name
        CHECK(test::eventually(std::chrono::seconds(10),            // it has no words at once
                               [&] { return !site.find(ItemKind::agent, name)->inUse; }));
    }
    const Running serving(agent, "60");
    CHECK(site.find(ItemKind::agent, name)->inUse);
}

TEST_CASE("a source bundle, which is a file and has no samples, can be removed")
{
    Site site;
    site.file("workers/source-0123456789ab.tar.gz");
    CHECK(site.removeItem(ItemKind::source, "source-0123456789ab.tar.gz").refused.empty());
    CHECK(!site.find(ItemKind::source, "source-0123456789ab.tar.gz"));
}

TEST_CASE("the inventory names what is there, how large it is, whose, and what for")
{
    Site site;
    site.file("bin/0.1.0/linux-x86_64-0123456789ab/ringside-agent", std::string(1000, 'x'));
    site.file("workers/abc/ringside-worker", std::string(2000, 'x'));
    site.file("workers/abc/worker.json", "{\"from\": {\"torch\": \"2.11.0\", \"torch_folder\": \"/opt/torch\"}}");
    site.file("workers/source-0123456789ab.tar.gz");
    site.file("torch/2.11.0/torch/lib/x", std::string(3000, 'x'));
    site.file("data/a.jpg");
    fs::create_directories(site.root() / "engines/mine");
    REQUIRE(writeInstalledEngine(site.root() / "engines/mine", {.version = {}, .python = "/usr/bin/python3"}));
    CHECK(site.find(ItemKind::engine, "mine")->about == "mine"); // nothing is known of its version
    CHECK(site.find(ItemKind::agent, "0.1.0/linux-x86_64-0123456789ab")->bytes == 1000);
    CHECK(site.find(ItemKind::worker, "abc")->bytes > 2000);
    CHECK(site.find(ItemKind::worker, "abc")->about == "torch 2.11.0");
    CHECK(site.find(ItemKind::source, "source-0123456789ab.tar.gz")->bytes == 7);
    CHECK(site.find(ItemKind::torch, "2.11.0")->path == "torch/2.11.0");
    CHECK(site.find(ItemKind::data, "data")->bytes == 7);
    const auto* campaign = site.find(ItemKind::campaign, site.plan().campaign.str());
    REQUIRE(campaign);
    CHECK(campaign->about == "test");
    CHECK(campaign->store == site.plan().store);
    CHECK_FALSE(campaign->inUse);
    const auto* run = site.find(ItemKind::run, site.plan().runs[0].id.str());
    REQUIRE(run);
    CHECK(run->store == site.plan().store);
    CHECK(run->usedNs > 1'700'000'000'000'000'000);
}

TEST_CASE("a run and its campaign go when the store has all of them")
{
    Site site;
    const auto reply = site.remove(site.request());
    CHECK(reply.refused.empty());
    CHECK(reply.freedBytes > 0);
    CHECK_FALSE(fs::exists(site.run()));
    CHECK_FALSE(fs::exists(site.campaign()));
    CHECK(fs::is_empty(site.root() / "runs"));
}

TEST_CASE("a spool that the store has not got to its end stays, whatever the app claims")
{
    const auto refuses = [](auto change) {
        Site site;
        wire::DeleteRequest request = site.request();
        change(site, request);
        const auto reply = site.remove(request);
        CHECK(fs::exists(site.spool()));
        CHECK(fs::exists(site.campaign())); // leads to it
        REQUIRE_FALSE(reply.refused.empty());
        CHECK(reply.refused[0].path == site.run().lexically_relative(site.root()));
        return reply.refused[0].reason;
    };
    const Reason unknown = refuses([](Site&, auto& request) { request.stored.clear(); });
    CHECK(unknown.code == why::kNotStored);
    CHECK(unknown.word("file") == "rank-0.spool");
    CHECK(unknown.number("stored_bytes") == 0);
    const Reason nearly = refuses([](Site&, auto& request) { request.stored[0].offset -= 1; });
    CHECK(nearly.code == why::kNotStored);
    CHECK(*nearly.number("stored_bytes") == *nearly.number("bytes") - 1);
    const auto ofAnotherFile = [](Site&, auto& request) { request.stored[0].fileId = FileId::random().str(); };
    CHECK(refuses(ofAnotherFile).number("stored_bytes") == 0);
    CHECK(refuses([](Site& site, auto&) {
              SpoolEncoder encoder;
              encoder.add(Heartbeat{9, 9, Phase::forward});
              std::ofstream(site.spool(), std::ios::app) << encoder.takeBlock();
          }).code == why::kNotStored);
}

TEST_CASE("a campaign that stays because of a run says which")
{
    Site site;
    wire::DeleteRequest request = site.request();
    request.stored.erase(request.stored.begin()); // of the spool
    const auto reply = site.remove(request);
    REQUIRE(reply.refused.size() == 2);
    Reason expected = reply.refused[0].reason;
    expected.add("run", site.plan().runs[0].id.str());
    CHECK(reply.refused[1].reason == expected);
}

TEST_CASE("a torn last block, and a spool without a whole header, hold nothing that a store could have")
{
    Site site;
    const auto request = site.request();
    SpoolEncoder encoder;
    encoder.add(Heartbeat{9, 9, Phase::forward});
    const std::string block = encoder.takeBlock();
    std::ofstream(site.spool(), std::ios::app) << block.substr(0, block.size() - 1);
    site.file(layout::spoolFile(site.run() / "attempt-2", 0).lexically_relative(site.root()), "\x89RSP");
    CHECK(site.remove(request).refused.empty());
    CHECK_FALSE(fs::exists(site.run()));
}

TEST_CASE("a journal that goes on behind the cursor keeps its campaign")
{
    Site site;
    const auto request = site.request();
    site.note(JournalKind::runnerEnded);
    const auto reply = site.remove(request);
    REQUIRE(reply.refused.size() == 1);
    CHECK(reply.refused[0].reason == because(why::kJournalNotStored));
    CHECK(fs::exists(site.campaign()));
    CHECK_FALSE(fs::exists(site.run()));
}

TEST_CASE("what a campaign that is not over needs stays: its runs, its agent, its worker, its data")
{
    Site site(false);
    site.file("bin/0.0.9/linux-x86_64-old/ringside-agent");
    site.file("bin/0.0.8/linux-x86_64-older/ringside-agent");
    site.file("workers/abc/ringside-worker");
    site.file("workers/def/ringside-worker");
    site.file("data/a.jpg");
    site.file(layout::jobFile(site.campaign()).lexically_relative(site.root()), "4711\n");
    wire::DeleteRequest request = site.request();
    request.items = {{ItemKind::agent, "0.0.9/linux-x86_64-old"},
                     {ItemKind::agent, "0.0.8/linux-x86_64-older"},
                     {ItemKind::worker, "abc"},
                     {ItemKind::worker, "def"},
                     {ItemKind::data, "data"}};
    const auto reply = site.remove(request);
    CHECK(reply.refused.size() == 5);
    for (const wire::Refusal& refusal : reply.refused) {
        const bool isFolder = refusal.path.starts_with("runs/") || refusal.path.starts_with("campaigns/");
        const Reason named = because(refusal.path == "data" ? why::kMayNeed : why::kNeededBy,
                                     {{"campaign", site.plan().campaign.str()}, {"experiment", "test"}});
        CAPTURE(refusal.path);
        CHECK(refusal.reason == (isFolder ? because(why::kKeptWaits) : named));
    }
    for (const char* path : {"bin/0.0.9/linux-x86_64-old/ringside-agent", "workers/abc/ringside-worker", "data/a.jpg"})
        CHECK(fs::exists(site.root() / path));
    CHECK(fs::exists(site.spool()));
    CHECK(fs::exists(site.campaign()));
    CHECK_FALSE(fs::exists(site.root() / "bin/0.0.8/linux-x86_64-older"));
    CHECK_FALSE(fs::exists(site.root() / "workers/def"));
}

TEST_CASE("a campaign that is not over and cannot be read may need whatever it does not name")
{
    Site site(false);
    for (const char* path : {"bin/0.0.9/linux-x86_64-old/ringside-agent", "bin/0.0.8/linux-x86_64-older/ringside-agent",
                             "workers/abc/ringside-worker", "torch/2.11.0/torch/lib/x", "engines/mine/engine.json"})
        site.file(path);
    site.file(layout::jobFile(site.campaign()).lexically_relative(site.root()), "4711\n");
    std::string plan = planToJson(site.plan());
    SUBCASE("a damaged plan")
    {
        plan = plan.substr(0, plan.size() / 2);
    }
    SUBCASE("a plan of a later version")
    {
        const std::string format = "\"format\":1";
        REQUIRE(plan.find(format) != std::string::npos);
        plan.replace(plan.find(format), format.size(), "\"format\":1000");
    }
    REQUIRE(writeFileAtomically(layout::planFile(site.campaign()), plan));
    wire::DeleteRequest request = site.request();
    request.items = {{ItemKind::worker, "abc"},
                     {ItemKind::torch, "2.11.0"},
                     {ItemKind::engine, "mine"},
                     {ItemKind::agent, "0.0.9/linux-x86_64-old"},
                     {ItemKind::agent, "0.0.8/linux-x86_64-older"}};
    const auto reply = site.remove(request);
    CHECK(reply.refused.size() == 6);
    for (const wire::Refusal& refusal : reply.refused) {
        CAPTURE(refusal.path);
        const bool isNamed = refusal.path.starts_with("bin/");
        if (refusal.path.starts_with("campaigns/"))
            CHECK(refusal.reason == because(why::kKeptWaits));
        else
            CHECK(refusal.reason == because(isNamed ? why::kNeededBy : why::kMayNeed,
                                            {{"campaign", site.plan().campaign.str()}, {"experiment", ""}}));
    }
    CHECK(fs::exists(site.spool()));
    CHECK_FALSE(fs::exists(site.root() / "bin/0.0.8/linux-x86_64-older"));
    site.note(JournalKind::runnerEnded);
    CHECK(site.remove(request).refused.size() == 1); // its journal has gone on
    CHECK_FALSE(fs::exists(site.root() / "workers/abc"));
}

TEST_CASE("a campaign that waits to be submitted by hand stays, and says so, until it is over")
{
    Site site(false);
    site.file(layout::schedulerFile(site.campaign()).lexically_relative(site.root()), "slurm_by_hand\n");
    const auto* listed = site.find(ItemKind::campaign, site.plan().campaign.str());
    REQUIRE(listed);
    CHECK(listed->inUse);
    CHECK(listed->reason == because(why::kKeptByHand));
    CHECK(site.remove(site.request()).refused.size() == 2);
    CHECK(fs::exists(layout::scriptFile(site.campaign())));
    site.note(JournalKind::runnerEnded);
    CHECK(site.remove(site.request()).refused.empty());
    CHECK_FALSE(fs::exists(site.campaign()));
}

TEST_CASE("what belongs to another store stays, even if the asker has all of it")
{
    Site site;
    auto request = site.request();
    request.store = StoreId::random();
    const auto reply = site.remove(request);
    REQUIRE(reply.refused.size() == 2);
    for (const auto& refusal : reply.refused)
        CHECK(refusal.reason == because(why::kOtherStore));
    CHECK(fs::exists(site.spool()));
    CHECK(fs::exists(site.campaign()));
    request.store = site.plan().store;
    CHECK(site.remove(request).refused.empty());
    CHECK_FALSE(fs::exists(site.campaign()));
}

TEST_CASE("a campaign whose runner lives stays, and one whose runner died goes once it is stored")
{
    Site site(false);
    const auto owner = runner::thisOwner();
    REQUIRE(owner);
    site.file(fs::path("campaigns") / site.plan().campaign.str() / "lease-1/owner", runner::ownerToJson(*owner));
    const auto alive = site.remove(site.request());
    REQUIRE(alive.refused.size() == 2);
    CHECK(alive.refused[0].reason == because(why::kKeptRuns));
    runner::LeaseOwner dead = *owner;
    dead.process.startTicks += 1; // another process got its number
    site.file(fs::path("campaigns") / site.plan().campaign.str() / "lease-1/owner", runner::ownerToJson(dead));
    CHECK(site.remove(site.request()).refused.empty());
}

namespace {

/// The owner of a lease: this process for 0, else one of the same number that has ended.
std::string ownerWith(std::uint64_t otherTicks)
{
    auto owner = runner::thisOwner();
    REQUIRE(owner);
    owner->process.startTicks += otherTicks;
    return runner::ownerToJson(*owner);
}

} // namespace

TEST_CASE("the agent that answers goes last, and with it what is empty then")
{
    Site site;
    site.file("bin/0.1.0/linux-x86_64-self/ringside-agent");
    site.runsAgent("bin/0.1.0/linux-x86_64-self/ringside-agent");
    site.file("workers/abc/worker.json", "{}");
    site.file("drivers/0123456789ab/pytorch.py");
    site.file("bin/0.0.9/.gone-1/ringside-agent");
    fs::create_directories(site.root() / "bin/0.1.0/.gone-2");
    site.file("turn", "");
    site.file("engines/.mine.leases/lease-1/owner", ownerWith(1)); // another process got its number
    site.file("engines/.yours.lock", "");
    wire::DeleteRequest all = site.request();
    all.items = {{ItemKind::agent, "0.1.0/linux-x86_64-self"}, {ItemKind::worker, "abc"}};
    SUBCASE("nothing stays")
    {
        CHECK(site.remove(all).refused.empty());
        CHECK_FALSE(fs::exists(site.root()));
    }
    SUBCASE("the lease of an installation that begins stays, and a file that is none of a claim")
    {
        site.file("engines/.mine.leases/lease-2/owner", ownerWith(0));
        site.file("engines/my.lock", "");
        (void)site.remove(all);
        CHECK(fs::exists(site.root() / "engines/.mine.leases/lease-2/owner"));
        CHECK(fs::exists(site.root() / "engines/my.lock"));
        CHECK_FALSE(fs::exists(site.root() / "engines/.yours.lock"));
    }
    SUBCASE("what is not stored stays, and what its runners need")
    {
        all.stored.clear();
        CHECK_FALSE(site.remove(all).refused.empty());
        CHECK_FALSE(fs::exists(site.root() / "bin"));
        CHECK(fs::exists(site.spool()));
        CHECK(fs::exists(site.root() / "turn"));
        CHECK(fs::exists(site.root() / "drivers/0123456789ab/pytorch.py"));
    }
}

TEST_CASE("of the agent that answers it is not taken for gone what cannot be looked at, and that is said")
{
    Site site;
    const fs::path version = site.root() / "bin/0.1.0";
    fs::create_directories(version.parent_path());
    fs::create_directory_symlink(version, version);
    site.runsAgent("bin/0.1.0/linux-x86_64-self/ringside-agent");
    site.file("turn", "");
    wire::DeleteRequest all = site.request();
    all.items = {{ItemKind::agent, "0.1.0/linux-x86_64-self"}};
    const auto reply = site.remove(all);
    REQUIRE(reply.refused.size() == 1);
    CHECK(reply.refused[0].path == "bin/0.1.0/linux-x86_64-self");
    CHECK(reply.refused[0].reason == because(why::kNotSeen, {{"said", "Too many levels of symbolic links"}}));
    CHECK_FALSE(fs::exists(site.campaign()));
    CHECK(fs::exists(site.root() / "turn"));
}

TEST_CASE("a pipe in place of what a worker was built from stops no inventory")
{
    Site site;
    const fs::path folder = site.root() / "workers/piped";
    fs::create_directories(folder);
    REQUIRE(::mkfifo(layout::workerFile(folder).c_str(), 0600) == 0);
    const auto items = inventory(site.root(), Sizes::summed); // with a blocking open it would never come back
    CHECK(std::ranges::any_of(items, [](const auto& item) { return item.item.name == "piped"; }));
}

TEST_CASE("a torch stays while a worker was built with it")
{
    Site site;
    site.file("torch/2.11.0/torch/lib/x");
    site.file("workers/abc/worker.json",
              "{\"from\": {\"torch_folder\": \"" + (site.root() / "torch/2.11.0/torch").string() + "\"}}");
    const auto alone = site.removeItem(ItemKind::torch, "2.11.0");
    REQUIRE(alone.refused.size() == 1);
    CHECK(alone.refused[0].reason == because(why::kBuiltWith, {{"worker", "abc"}}));
    wire::DeleteRequest both;
    both.items = {{ItemKind::torch, "2.11.0"}, {ItemKind::worker, "abc"}};
    CHECK(site.remove(both).refused.empty());
    CHECK_FALSE(fs::exists(site.root() / "torch/2.11.0"));
}

TEST_CASE("a system that is being installed stays, also where another host installs it")
{
    Site site;
    site.file("engines/mine/engine.json");
    const fs::path lease = site.root() / "engines/.mine.leases/lease-1";
    auto owner = runner::thisOwner();
    REQUIRE(owner);
    owner->process.host = "another-host";
    owner->process.bootId = "another";
    site.file("engines/.mine.leases/lease-1/owner", runner::ownerToJson(*owner));
    REQUIRE(site.find(ItemKind::engine, "mine"));
    CHECK(site.find(ItemKind::engine, "mine")->reason == because(why::kBeingInstalled));
    const auto refused = site.removeItem(ItemKind::engine, "mine").refused;
    REQUIRE(refused.size() == 1);
    CHECK(refused[0].reason == because(why::kBeingInstalled));
    fs::last_write_time(lease / "owner", fs::file_time_type::clock::now() - std::chrono::hours(1));
    CHECK(site.find(ItemKind::engine, "mine")->reason.empty());
    CHECK(site.removeItem(ItemKind::engine, "mine").refused.empty());
    CHECK_FALSE(fs::exists(site.root() / "engines/mine"));
}

TEST_CASE("a full disk prevents no removal of a system, unless that is being installed")
{
    Site site;
    site.file("engines/mine/engine.json");
    site.file("engines/yours/engine.json");
    site.file("engines/.yours.leases/lease-1/owner", ownerWith(0));
    bool isRefused = false;
    std::thread([&] {
        isRefused = refuseSystemCall(SYS_write, ENOSPC);
        for (const char* name : {"mine", "yours"})
            (void)site.removeItem(ItemKind::engine, name);
    }).join();
    if (!isRefused) {
        MESSAGE("skipped: no filter for system calls can be set here");
        return;
    }
    CHECK_FALSE(fs::exists(site.root() / "engines/mine"));
    CHECK(fs::exists(site.root() / "engines/yours/engine.json"));
}

TEST_CASE("names that lead elsewhere are no names of items")
{
    Site site;
    site.file("precious");
    for (const char* name : {"../precious", "..", ".", "", "/etc", "a/b", ".gone-x"})
        for (const ItemKind kind : {ItemKind::worker, ItemKind::torch, ItemKind::source})
            CHECK_FALSE(wire::isItemName({kind, name}));
    CHECK_FALSE(wire::isItemName({ItemKind::agent, "0.1.0"}));
    CHECK_FALSE(wire::isItemName({ItemKind::agent, "../x"}));
    (void)site.removeItem(ItemKind::worker, "../precious");
    CHECK(fs::exists(site.root() / "precious"));
    CHECK(fs::exists(site.run()));
}

TEST_CASE("what an interrupted removal left goes with the next one")
{
    Site site;
    site.file("workers/.gone-1/x");
    site.file("runs/.gone-2/x");
    (void)site.remove({});
    CHECK_FALSE(fs::exists(site.root() / "workers/.gone-1"));
    CHECK_FALSE(fs::exists(site.root() / "runs/.gone-2"));
}
