// SPDX-License-Identifier: MIT
// App side and site side over real pipes: RelayClient on LocalHost, ringside-agent relay, its runner, testworker.
#include "agent/runner/lease.h"
#include "core/jobs/schedulers/table.h"
#include "tests/relay/site.h"
#include "tests/support/processstat.h"
#include "tests/support/runningtime.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <fstream>
#include <future>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <random>
#include <sstream>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <thread>

using namespace ringside;
using namespace ringside::test;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kLong{30'000};

/// This computer as a site, in a folder of its own.
class LocalSite : public Site
{
public:
    LocalSite()
        : LocalSite(std::make_unique<TemporaryFolder>())
    {
        ::setenv("RINGSIDE_TEST_TIME_SCALE", "0.1", 1);
    }
    ~LocalSite() override
    {
        for (const auto& campaign : m_submitted) // so that no runner outlives its test
            (void)writeFileAtomically(layout::cancelFile(layout::campaignFolder(root(), campaign)), "");
        for (const auto& campaign : m_submitted)
            eventually(kLong, [&] { return processesWith(campaign.str()).empty(); });
    }

private:
    explicit LocalSite(std::unique_ptr<TemporaryFolder> folder)
        : Site({relayCommand(agentPath(), folder->path(), testworkerPath()), folder->path(), folder->path(),
                testworkerPath().string()})
        , m_folder(std::move(folder))
    {
    }
    std::unique_ptr<TemporaryFolder> m_folder;
};

/// Pids, of those that have ended and were not waited for, too.
std::vector<pid_t> childrenOf(pid_t parent)
{
    std::vector<pid_t> children;
    for (const pid_t pid : processesWith("")) // any command line, be it empty
        if (const auto stat = readProcessStat(pid); stat && stat->parent == parent)
            children.push_back(pid);
    return children;
}

pid_t runnerOf(const wire::SubmitReply& submitted)
{
    return std::atoi(submitted.job.c_str() + submitted.job.find(':') + 1);
}

/// From now on this thread, and what it starts, has a kernel as before Linux 3.17, without files in memory.
bool forgetMemoryFiles()
{
    sock_filter program[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                             BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
                             BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                             BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog filter{std::size(program), program};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

} // namespace

TEST_CASE("a campaign is submitted, followed to its end, and everything arrives byte by byte")
{
    LocalSite site;
    site.connect();
    const auto plan = site.makePlan({makeRun(1, 20), makeRun(2, 20)});
    const auto reply = site.submit(plan);
    REQUIRE(reply);
    CHECK_FALSE(reply->alreadyThere);
    CHECK_FALSE(reply->job.empty());
    site.follow(plan);
    REQUIRE(site.pumpToEnd());
    CHECK(site.endedTooEarly.empty());
    int spools = 0;
    int logs = 0;
    int facts = 0;
    for (const auto& [path, bytes] : site.files()) {
        CAPTURE(path);
        CHECK(bytes == readFile(site.root() / path).value_or("unreadable"));
        spools += path.ends_with(".spool") ? 1 : 0;
        logs += path.ends_with(".log") ? 1 : 0;
        facts += path.ends_with("facts.json") ? 1 : 0;
    }
    CHECK(spools == 3);
    CHECK(facts == 2);
    CHECK(logs >= 3);
    CHECK(site.status(plan).state == wire::CampaignState::ended);
}

TEST_CASE("a runner has none of the files that its relay was started with")
{
    LocalSite site;
    const fs::path file = site.root() / "inherited";
    auto& relay = site.place().relay.arguments;
    const std::vector<std::string> shell{"sh", "-c", "exec 9>\"$1\"; shift; exec \"$@\"", "sh", file.string()};
    relay.insert(relay.begin(), shell.begin(), shell.end());
    site.connect();
    const auto holders = [&](const std::string& part) {
        std::error_code ended, closed; // meanwhile
        std::ptrdiff_t count = 0;
        for (const pid_t pid : processesWith(part))
            for (fs::directory_iterator at(fmt::format("/proc/{}/fd", pid), ended), end; at != end; at.increment(ended))
                count += fs::read_symlink(at->path(), closed) == file ? 1 : 0;
        return count;
    };
    const auto plan = site.makePlan({makeRun(1, 100'000)});
    REQUIRE(site.submit(plan));
    REQUIRE(holders(site.root().string()) == 1);
    CHECK(holders(plan.campaign.str()) == 0);
    CHECK_FALSE(processesWith(plan.campaign.str()).empty());
}

TEST_CASE("submitting again starts nothing, returns the same job, and refuses another plan")
{
    LocalSite site;
    site.connect();
    auto plan = site.makePlan({makeRun(1, 200)});
    const auto first = site.submit(plan);
    const auto again = site.submit(plan);
    REQUIRE(first);
    REQUIRE(again);
    CHECK(again->alreadyThere);
    CHECK(again->job == first->job);
    const fs::path job = layout::jobFile(layout::campaignFolder(site.root(), plan.campaign));
    CHECK(eventually(kLong, [&] { return readFile(job).value_or("") == first->job + "\n"; }));
    plan.experiment = "other";
    CHECK(site.submit(plan).error().code == ErrorCode::exists);
}

TEST_CASE("a campaign goes on without a connection, and is picked up by a new connection")
{
    LocalSite site;
    site.connect();
    const auto plan = site.makePlan({makeRun(1, 50), makeRun(2, 50)});
    REQUIRE(site.submit(plan));
    site.disconnect();
    site.connect();
    CHECK(site.status(plan).state == wire::CampaignState::running);
    site.follow(plan);
    CHECK(site.pumpToEnd());
    CHECK(site.endedTooEarly.empty());
}

TEST_CASE("submitting after the runner was killed starts a successor that finishes the work")
{
    LocalSite site;
    site.connect();
    const auto plan = site.makePlan({makeRun(1, 60)});
    const auto first = site.submit(plan);
    REQUIRE(first);
    ::kill(runnerOf(*first), SIGKILL);
    REQUIRE(eventually(kLong, [&] { return site.status(plan).state == wire::CampaignState::lost; }));
    const auto second = site.submit(plan);
    REQUIRE(second);
    CHECK(second->job != first->job);
    site.follow(plan);
    CHECK(site.pumpToEnd());
}

TEST_CASE("a runner that does not begin in time never begins")
{
    LocalSite site;
    const fs::path programs = site.root() / "programs", asked = site.root() / "asked";
    fs::create_directories(programs);
    // Answers about the job that had the campaign before. The relay, which asks first, is answered at once, the runner
    // late.
    std::ofstream(programs / "squeue") << fmt::format(
        "#!/bin/sh\necho >>{0}\n[ $(wc -l <{0}) = 2 ] && sleep 2\nexit 0\n", asked.string());
    fs::permissions(programs / "squeue", fs::perms::owner_all);
    const std::vector<std::string> shell{"env", fmt::format("PATH={}:/usr/bin:/bin", programs.string()),
                                         "RINGSIDE_TEST_TIME_SCALE=0.01"};
    auto& relay = site.place().relay.arguments;
    relay.insert(relay.begin(), shell.begin(), shell.end());
    site.connect();
    const auto plan = site.makePlan({makeRun(1, 15)});
    runner::LeaseOwner former{{}, "4711"};
    former.scheduler = jobs::schedulers().front();
    const fs::path lease = layout::leaseFolder(layout::campaignFolder(site.root(), plan.campaign), 1);
    fs::create_directories(lease);
    REQUIRE(writeFileAtomically(lease / "owner", runner::ownerToJson(former)));
    const auto refused = site.submit(plan);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("did not start") != std::string::npos);
    REQUIRE(readFile(asked).value_or("").size() == 2);
    CHECK(processesWith(plan.campaign.str()).empty());
    std::this_thread::sleep_for(milliseconds(3'000));
    CHECK_FALSE(fs::exists(layout::runFolder(site.root(), plan.runs[0].id)));
    CHECK(site.submit(plan)); // it can begin later
    CHECK(eventually(kLong, [&] { return site.status(plan).state == wire::CampaignState::ended; }));
}

TEST_CASE("what a rank writes after its attempt was given up comes home before the runner's last line")
{
    LocalSite site;
    site.connect();
    RunSpec failing = makeRun(1, 20);
    failing.settings["behaviour"] = std::string("exit");
    failing.settings["at"] = std::int64_t{5};
    const auto plan = site.makePlan({failing, makeRun(1, 150)});
    REQUIRE(site.submit(plan));
    site.follow(plan);
    const auto hasEnded = [&](const wire::Message& message) {
        const auto* chunk = std::get_if<wire::FileChunk>(&message);
        return chunk && chunk->kind == wire::FileKind::journal &&
               chunk->bytes.find("attempt_ended") != std::string::npos;
    };
    REQUIRE(site.pump(kLong, hasEnded));
    const fs::path spool = layout::spoolFile(layout::attemptFolder(site.root(), failing.id, 1), 0);
    std::ofstream(spool, std::ios::app | std::ios::binary) << "late";
    CHECK(site.pumpToEnd());
    CHECK(site.files().at(spool.lexically_relative(site.root()).string()) == readFile(spool).value_or("unreadable"));
}

TEST_CASE("a relay that is killed again and again loses and doubles nothing")
{
    std::mt19937 random(7);
    LocalSite site;
    site.connect();
    const auto plan = site.makePlan({makeRun(2, 150), makeRun(1, 150)});
    REQUIRE(site.submit(plan));
    for (int kill = 0; kill < 8; ++kill) {
        site.follow(plan);
        site.pump(milliseconds(random() % 300), [](const wire::Message&) { return false; });
        for (const pid_t pid : processesWith("relay"))
            if (const auto words = readFile(fmt::format("/proc/{}/cmdline", pid));
                words && words->find(site.root()) != std::string::npos)
                ::kill(pid, SIGKILL);
        site.disconnect();
        site.connect();
    }
    site.follow(plan);
    REQUIRE(site.pumpToEnd());
    CHECK(site.endedTooEarly.empty());
    for (const auto& [path, bytes] : site.files()) {
        CAPTURE(path);
        CHECK(bytes == readFile(site.root() / path).value_or("unreadable"));
    }
}

TEST_CASE("cancel and hold reach the runner")
{
    LocalSite site;
    site.connect();
    const auto plan = site.makePlan({makeRun(1, 100'000), makeRun(1, 2)});
    REQUIRE(site.submit(plan));
    REQUIRE(site.ask<wire::ControlReply>(wire::ControlRequest{0, plan.campaign, {Control::Kind::hold, {}}}));
    REQUIRE(site.ask<wire::ControlReply>(
        wire::ControlRequest{0, plan.campaign, {Control::Kind::cancelRun, plan.runs[0].id}}));
    CHECK(eventually(kLong, [&] { return site.status(plan).reason == because(why::kHeld); }));
    REQUIRE(site.ask<wire::ControlReply>(wire::ControlRequest{0, plan.campaign, {Control::Kind::proceed, {}}}));
    site.follow(plan);
    CHECK(site.pumpToEnd());
    CHECK(site.status(plan).state == wire::CampaignState::ended);
}

TEST_CASE("a cancel that is asked for again is as old as the first, by which a site says how long it is not obeyed")
{
    LocalSite site;
    site.connect();
    const auto plan = site.makePlan({makeRun(1, 100'000)});
    REQUIRE(site.submit(plan));
    const wire::ControlRequest cancel{0, plan.campaign, {Control::Kind::cancel, {}}};
    REQUIRE(site.ask<wire::ControlReply>(cancel));
    const fs::path file = layout::cancelFile(layout::campaignFolder(site.root(), plan.campaign));
    const auto longAgo = fs::last_write_time(file) - std::chrono::seconds(100);
    fs::last_write_time(file, longAgo);
    REQUIRE(site.ask<wire::ControlReply>(cancel));
    CHECK(fs::last_write_time(file) == longAgo);
    site.follow(plan);
    CHECK(site.pumpToEnd());
}

TEST_CASE("a runner that was stopped is ended once it has not heeded a cancel for long, and the end is recorded")
{
    LocalSite site;
    site.connect();
    const auto plan = site.makePlan({makeRun(1, 100'000), makeRun(1, 2)});
    const auto submitted = site.submit(plan);
    REQUIRE(submitted);
    const fs::path attempt = layout::attemptFolder(site.root(), plan.runs[0].id, 1);
    REQUIRE(eventually(kLong, [&] { return samplesIn(layout::spoolFile(attempt, 0)) > 0; }));
    ::kill(runnerOf(*submitted), SIGSTOP);
    site.follow(plan);
    REQUIRE(site.control(plan, Control::Kind::cancel));
    CHECK_FALSE(site.pumpToEnd(milliseconds(3'000)));
    const fs::path campaign = layout::campaignFolder(site.root(), plan.campaign);
    for (const fs::path& file : {layout::jobFile(campaign), layout::cancelFile(campaign)})
        fs::last_write_time(file, fs::last_write_time(file) - std::chrono::seconds(100));
    const bool isOver = site.pumpToEnd();
    CHECK(isOver);
    if (!isOver)
        ::kill(runnerOf(*submitted), SIGCONT);
    CHECK(site.status(plan).state == wire::CampaignState::ended);
    CHECK(eventually(kLong, [&] { return processesWith(plan.runs[0].id.str()).empty(); }));
}

TEST_CASE("a cancelled campaign comes to its end although its runner's death cannot be proven")
{
    LocalSite site;
    site.connect();
    const auto plan = site.makePlan({makeRun(1, 2)});
    const fs::path campaign = layout::campaignFolder(site.root(), plan.campaign);
    REQUIRE(makePrivateFolder(layout::leaseFolder(campaign, 1)));
    const runner::LeaseOwner former{{"boot", "pid:[1]", "renamed-meanwhile", 4711, 1}, {}};
    REQUIRE(writeFileAtomically(layout::leaseFolder(campaign, 1) / "owner", runner::ownerToJson(former)));
    REQUIRE(site.submit(plan));
    REQUIRE(site.control(plan, Control::Kind::cancel));
    CHECK(site.status(plan).reason == because(why::kRunnerElsewhere));
    site.follow(plan);
    fs::last_write_time(layout::cancelFile(campaign), fs::file_time_type::clock::now() - std::chrono::minutes(11));
    CHECK(site.pumpToEnd());
    CHECK(site.status(plan).state == wire::CampaignState::ended);
}

TEST_CASE("the journal of a campaign that is over is read once")
{
    LocalSite site;
    site.connect();
    const auto plan = site.makePlan({makeRun(1, 5)});
    REQUIRE(site.submit(plan));
    REQUIRE(eventually(kLong, [&] { return site.status(plan).state == wire::CampaignState::ended; }));
    const Reason note = site.status(plan).reason;
    REQUIRE(fs::remove(layout::journalFile(layout::campaignFolder(site.root(), plan.campaign))));
    CHECK(site.status(plan).state == wire::CampaignState::ended);
    CHECK(site.status(plan).reason == note);
}

TEST_CASE("a running campaign is not deleted, a finished one is")
{
    LocalSite site;
    site.connect();
    const auto plan = site.makePlan({makeRun(1, 100'000)});
    REQUIRE(site.submit(plan));
    site.follow(plan);
    const fs::path spool = layout::spoolFile(layout::attemptFolder(site.root(), plan.runs[0].id, 1), 0);
    REQUIRE(
        eventually(kLong, [&] { return fs::exists(spool) && fs::file_size(spool) > 0; })); // or there is none to lose
    wire::DeleteRequest request{0, {plan.runs[0].id}, {plan.campaign}, {}, {}};
    CHECK(site.ask<wire::DeleteReply>(request)->refused.size() == 2);
    REQUIRE(site.ask<wire::ControlReply>(wire::ControlRequest{0, plan.campaign, {Control::Kind::cancel, {}}}));
    REQUIRE(eventually(kLong, [&] { return processesWith(plan.campaign.str()).empty(); }));
    CHECK(site.ask<wire::DeleteReply>(request)->refused.size() == 2); // nothing is said to be stored
    REQUIRE(site.pumpToEnd());
    request.stored = site.cursors();
    const auto reply = site.ask<wire::DeleteReply>(request);
    REQUIRE(reply);
    CHECK(reply->refused.empty());
    CHECK(reply->freedBytes > 0);
    CHECK_FALSE(fs::exists(layout::campaignFolder(site.root(), plan.campaign)));
    CHECK_FALSE(fs::exists(layout::runFolder(site.root(), plan.runs[0].id)));
    CHECK_FALSE(site.status(plan).known);
}

TEST_CASE("a probe tells what the machine is and what the worker can")
{
    LocalSite site;
    site.connect();
    const auto reply = site.ask<wire::ProbeReply>(wire::ProbeRequest{});
    REQUIRE(reply);
    CHECK(reply->values.at("root_writable") == "true");
    CHECK(std::stoull(reply->values.at("memory_bytes")) > 100'000'000);
    CHECK(std::stoi(reply->values.at("cores")) >= 1);
    CHECK(std::stoull(reply->values.at("free_bytes")) > 0);
    CHECK(reply->values.at("worker_features").find("models") != std::string::npos);
}

TEST_CASE("requests about what is not there are answered, and the relay goes on")
{
    LocalSite site;
    site.connect();
    const auto nowhere = CampaignId::random();
    CHECK(site.ask<wire::ControlReply>(wire::ControlRequest{0, nowhere, {Control::Kind::cancel, {}}}).error().code ==
          ErrorCode::notFound);
    CHECK(site.ask<wire::ControlReply>(wire::FollowRequest{0, nowhere, {}}).error().code == ErrorCode::notFound);
    CHECK(site.ask<wire::SubmitReply>(wire::SubmitRequest{0, nowhere, "", "{\"format\": 1"}).error().code ==
          ErrorCode::damaged);
    REQUIRE(site.client().send(wire::Ping{42}));
    CHECK(site.pump(kLong, [](const wire::Message& message) { return std::get_if<wire::Pong>(&message) != nullptr; }));
}

TEST_CASE("a campaign that cannot be looked at is neither unknown nor lost; one whose plan is gone is unknown")
{
    LocalSite site;
    site.connect();
    const auto plan = site.makePlan({makeRun(1, 5)});
    const fs::path folder = layout::campaignFolder(site.root(), plan.campaign), aside = folder.string() + ".aside";
    fs::create_directories(folder);
    REQUIRE(writeFileAtomically(layout::planFile(folder), planToJson(plan)));
    CHECK(site.status(plan).known);
    const auto errorOfStatus = [&] {
        const auto answer = site.ask<wire::StatusReply>(wire::StatusRequest{0, {plan.campaign}});
        return answer ? std::nullopt : std::optional(answer.error().code);
    };
    fs::rename(folder, aside);
    fs::create_symlink(folder, folder); // no path through it leads anywhere
    CHECK(errorOfStatus() == ErrorCode::io);
    CHECK(site.control(plan, Control::Kind::cancel).error().code == ErrorCode::io);
    fs::remove(folder);
    fs::rename(aside, folder);
    CHECK(site.status(plan).known);
    fs::remove(layout::planFile(folder));
    CHECK_FALSE(site.status(plan).known);
}

TEST_CASE("requests that last are carried out where the kernel has no files in memory, and leave nothing behind")
{
    auto isDone = std::async(std::launch::async, [] { // a thread of its own: the others keep their kernel
        if (!forgetMemoryFiles()) {
            MESSAGE("skipped: no filter for system calls can be set here");
            return true;
        }
        LocalSite site;
        site.connect();
        const auto inventory = site.ask<wire::InventoryReply>(wire::InventoryRequest{});
        CHECK_MESSAGE(inventory, (inventory ? "" : inventory.error().text()));
        const fs::directory_iterator entries(site.root());
        return std::none_of(begin(entries), end(entries), [](const fs::directory_entry& entry) {
            return entry.path().filename().string().starts_with("request-");
        });
    });
    CHECK(isDone.get());
}

TEST_CASE("a relay leaves no process of a request behind")
{
    LocalSite site;
    site.connect();
    const auto relays = processesWith(site.root());
    REQUIRE(relays.size() == 1);
    for (int request = 0; request < 3; ++request)
        REQUIRE(site.ask<wire::InventoryReply>(wire::InventoryRequest{}));
    CHECK(eventually(kLong, [&] {
        REQUIRE(site.client().send(wire::Ping{42})); // a turn of its loop
        site.pump(kLong, [](const wire::Message& message) { return std::get_if<wire::Pong>(&message) != nullptr; });
        return childrenOf(relays[0]).empty();
    }));
}

TEST_CASE("another thread wakes a client that waits")
{
    LocalSite site;
    site.connect();
    std::thread other([&] {
        std::this_thread::sleep_for(milliseconds(50));
        site.client().wake();
    });
    const RunningTime time;
    const auto message = site.client().receive(kLong);
    other.join();
    REQUIRE(message);
    CHECK_FALSE(*message);
    CHECK(time.elapsed() < std::chrono::seconds(5));
}

TEST_CASE("an idle relay uses next to no time and little memory, and ends with its input")
{
    LocalSite site;
    site.connect();
    const auto relays = processesWith(site.root());
    REQUIRE(relays.size() == 1);
    const fs::path proc = fmt::format("/proc/{}", relays[0]);
    const auto ticks = [&] { return readProcessStat(proc).value_or(ProcessStat{}).ticks; };
    const auto before = ticks();
    CHECK_FALSE(site.pump(milliseconds(2'000), [](const wire::Message&) { return false; }));
    CHECK(ticks() - before <= 1); // a tick is 10 ms
    const auto status = readFile(proc / "status").value_or("");
#ifndef __SANITIZE_ADDRESS__
    const long memory = std::atol(status.c_str() + status.find("VmRSS:") + 6);
    MESSAGE("agent_memory ", memory, " kB, at most 20000");
    CHECK(memory < 20'000);
#endif
    site.disconnect();
    CHECK(processesWith(site.root()).empty());
}
