// SPDX-License-Identifier: MIT
// A site behind a real sshd: the agent is brought there, the campaign runs there, and the line may break.
#include "core/base/files.h"
#include "core/protocol/layout.h"
#include "core/protocol/plan.h"
#include "tests/conductor/remotesession.h"
#include "tests/conductor/spoolcompare.h"
#include "tests/remote/ssh/commands.h"
#include "tests/support/built.h"
#include "tests/support/runningtime.h"

#include <algorithm>
#include <csignal>
#include <set>
#include <sstream>
#include <thread>

using namespace ringside;
using namespace ringside::test;

namespace {

struct UntrustedSession : Session
{
    UntrustedSession()
        : Session(false)
    {
    }
};

} // namespace

TEST_CASE_FIXTURE(Session, "a campaign is carried out behind SSH, and every sample comes home")
{
    REQUIRE_SSHD(sshd);
    start();
    must(launch(experiment("[1]", 3, 8)));
    REQUIRE(waitForEnd(3));
    must(conductor->collect());
    CHECK(requireStoreEqualsSpools(options().store, thereRoot) == 3 * 8);
    for (const store::RunRow& run : runs()) {
        CHECK(run.state == RunState::done);
        CHECK(run.site == kSite);
        CHECK(textOf(run.settings, "site") == kSite);
    }
    CHECK(sink.problems.empty());
    CHECK(person.rounds.empty());
    const auto agents = fs::recursive_directory_iterator(thereRoot / "bin");
    CHECK(std::any_of(begin(agents), end(agents),
                      [](const fs::directory_entry& each) { return each.path().filename() == "ringside-agent"; }));
}

TEST_CASE_FIXTURE(Session,
                  "the line breaks in the middle: the job goes on, contact comes back by itself, nothing is lost")
{
    REQUIRE_SSHD(sshd);
    start();
    must(launch(experiment("[1]", 3, 60)));
    REQUIRE(sink.waitUntil([&] { return sink.samples.size() > 20; }));
    sshd.signalSessions(SIGKILL);
    REQUIRE(sink.waitUntil([&] { return hasContact(SiteStatus::Contact::lost); }));
    REQUIRE(waitForEnd(3));
    must(conductor->collect());
    CHECK(requireStoreEqualsSpools(options().store, thereRoot) == 3 * 60);
    CHECK(std::set(sink.samples.begin(), sink.samples.end()).size() == sink.samples.size());
    for (const store::RunRow& run : runs())
        CHECK(run.attempt == 1);
}

TEST_CASE_FIXTURE(Session,
                  "a log is followed while it is written, over a broken line, and each of its lines is shown once")
{
    REQUIRE_SSHD(sshd);
    start();
    must(launch(experiment("[1]", 1, 150)));
    REQUIRE(sink.waitUntil([&] { return sink.samples.size() > 10; }));
    const RunId run = runs().front().id;
    must(conductor->followLog(run));
    const auto shows = [&](int iteration) {
        return sink.logs[run].find(fmt::format("rank 0 iteration {}\n", iteration)) != std::string::npos;
    };
    REQUIRE(sink.waitUntil([&] { return shows(20); }));
    CHECK(!isFinal(runs().front().state));
    sshd.signalSessions(SIGKILL);
    REQUIRE(sink.waitUntil([&] { return hasContact(SiteStatus::Contact::lost); }));
    REQUIRE(sink.waitUntil([&] { return shows(149); }));
    REQUIRE(sink.waitUntil([&] { return sink.logs[run].find("Run 1: done.") != std::string::npos; })); // by the runner
    std::istringstream lines(sink.logs[run]);
    std::vector<std::string> shown, wanted;
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("rank 0 iteration "))
            shown.push_back(line);
    for (int iteration = 0; iteration < 150; ++iteration)
        wanted.push_back(fmt::format("rank 0 iteration {}", iteration));
    CHECK(shown == wanted);
}

TEST_CASE_FIXTURE(UntrustedSession, "a host whose key is not accepted gets nothing, and no campaign is planned for it")
{
    REQUIRE_SSHD(sshd);
    start();
    const auto launched = launch(experiment("[1]", 1, 8));
    REQUIRE(!launched);
    CHECK(person.hostKeys.size() == 1); // asked once, and the answer was no
    CHECK(runs().empty());
    CHECK(must(store::campaigns(reader())).empty());
    CHECK(!fs::exists(thereRoot));
    CHECK(sink.waitUntil([&] { return hasContact(SiteStatus::Contact::needsPerson); }));

    person.trusts = true;
    must(launch(experiment("[1]", 1, 8)));
    CHECK(waitForEnd(1));
}

TEST_CASE_FIXTURE(Session, "a site that is not described is refused with the names that are")
{
    start();
    LaunchRequest request{"kill"};
    request.site = "aldr";
    must(conductor->saveExperiment(experiment("[1]", 1, 8)));
    const auto launched = conductor->launch(request);
    REQUIRE(!launched);
    CHECK(launched.error().code == ErrorCode::notFound);
    CHECK(launched.error().text().find("“alder”") != std::string::npos);
}

TEST_CASE_FIXTURE(Session, "getting a site ready reports every step in order")
{
    REQUIRE_SSHD(sshd);
    start();
    must(conductor->prepareSite(kSite, true));
    std::vector<SiteStep::Kind> ended;
    for (const SiteStep& step : sink.steps)
        if (step.state != SiteStep::State::running)
            ended.push_back(step.kind);
    CHECK(ended == std::vector<SiteStep::Kind>(kSiteSteps.begin(), kSiteSteps.end()));
    REQUIRE_FALSE(sink.facts.empty());
    CHECK(sink.facts.back().label == "Installed"); // asked for last, so that what was brought is in it
    CHECK(sink.facts.back().text.starts_with("1 agent ("));
}

TEST_CASE_FIXTURE(Session, "a preview shows what a launch hands over, and keeps nothing")
{
    REQUIRE_SSHD(sshd);
    start();
    const spec::Experiment what = experiment("[1]", 2, 8);
    LaunchRequest request = launchOf(what, kSite);
    const LaunchPreview preview = must(conductor->preview(request));
    CHECK(preview.site == kSite);
    CHECK(preview.runs == 2);
    CHECK(preview.scheduler.empty());
    CHECK(preview.script.find(testProgram("testworker")) != std::string::npos);
    CHECK(sink.experiments.empty());

    request.campaign = preview.campaign;
    must(conductor->launch(request));
    REQUIRE(waitForEnd(2));
    CHECK(fs::exists(layout::campaignFolder(thereRoot, preview.campaign)));
    CHECK(must(conductor->preview(request)).runs == 0); // nothing is missing any more
}

TEST_CASE_FIXTURE(Session, "a site that was disconnected by hand is left alone until it is asked for")
{
    REQUIRE_SSHD(sshd);
    start();
    must(launch(experiment("[1]", 3, 60)));
    must(conductor->disconnectSite(kSite));
    REQUIRE(sink.waitUntil([&] { return hasContact(SiteStatus::Contact::lost); }));
    const std::size_t connections = sshd.connections();
    std::this_thread::sleep_for(std::chrono::seconds(3)); // longer than the first pauses before a retry
    CHECK(sshd.connections() == connections);
    must(conductor->prepareSite(kSite));
    CHECK(sshd.connections() == connections + 1);
    CHECK(waitForEnd(3));
}

TEST_CASE_FIXTURE(Session, "leaving does not wait for a site that answers no more, and lets go of the database at once")
{
    REQUIRE_SSHD(sshd);
    start();
    SUBCASE("with a line that a launch made") {}
    SUBCASE("with one that a test of the connection made")
    {
        must(conductor->prepareSite(kSite));
    }
    must(launch(experiment("[1]", 3, 60)));
    REQUIRE(sink.waitUntil([&] { return !sink.samples.empty(); }));
    sshd.signalSessions(SIGSTOP); // what a cable that is pulled looks like
    const test::RunningTime time;
    conductor.reset();
    const auto took = time.elapsed();
    sshd.signalSessions(SIGCONT);
    CHECK(took < std::chrono::seconds(10)); // it took up to 34 s
    start();                                // the database is not locked
    CHECK(waitForEnd(3));
}

TEST_CASE_FIXTURE(Session, "after a restart without contact, that is lost since the site was last heard of")
{
    REQUIRE_SSHD(sshd);
    start();
    must(launch(experiment("[1]", 1, 60)));
    REQUIRE(sink.waitUntil([&] { return !sink.samples.empty(); }));
    sshd.signalSessions(SIGSTOP);
    conductor.reset();
    sshd.signalSessions(SIGKILL);
    const std::int64_t endedNs = wallNs();
    const std::string config = must(readFile(sshd.file("client/.ssh/config")));
    REQUIRE(writeFileAtomically(sshd.file("client/.ssh/config"), "Host *\n  Port 1\n" + config)); // nothing answers
    std::this_thread::sleep_for(std::chrono::seconds(2));
    sink.sites.clear();
    start();
    REQUIRE(sink.waitUntil([&] { return hasContact(SiteStatus::Contact::lost); }));
    for (const SiteStatus& status : sink.sites)
        if (status.name == kSite && status.contact == SiteStatus::Contact::lost) {
            CHECK(status.since < endedNs + 500'000'000); // when its newest sample was made
            CHECK(status.since > endedNs - 60'000'000'000);
        }
}

TEST_CASE_FIXTURE(Session, "a campaign of another store that waits to be submitted is listed as foreign, and kept")
{
    REQUIRE_SSHD(sshd);
    start();
    must(conductor->prepareSite(kSite));
    CampaignPlan plan;
    plan.campaign = CampaignId::random();
    plan.store = StoreId::random();
    plan.experiment = "theirs";
    plan.site = kSite;
    plan.worker = (thereRoot / "workers/x/ringside-worker").string();
    plan.runs.resize(1);
    plan.runs[0].id = RunId::random();
    const fs::path campaign = layout::campaignFolder(thereRoot, plan.campaign);
    must(makePrivateFolder(campaign));
    must(writeFileAtomically(layout::planFile(campaign), planToJson(plan)));
    must(writeFileAtomically(layout::scriptFile(campaign), "#!/bin/sh\n"));
    const auto installed = must(conductor->listInstalled(kSite));
    const wire::Item item{wire::ItemKind::campaign, plan.campaign.str()};
    const auto listed = std::ranges::find(installed, item, &wire::InstalledItem::item);
    REQUIRE(listed != installed.end());
    CHECK(listed->inUse);
    CHECK(listed->reason == because(why::kOtherStore));
    const auto removed = must(conductor->removeInstalled(kSite, {item})); // asked for in spite of it
    REQUIRE(removed.refused.size() == 1);
    CHECK(removed.refused[0].reason == because(why::kOtherStore));
    CHECK(fs::exists(layout::scriptFile(campaign)));
}

TEST_CASE_FIXTURE(Session, "clean-up removes what was put there, and no sample that is not stored")
{
    REQUIRE_SSHD(sshd);
    start();
    must(launch(experiment("[1]", 2, 8)));
    REQUIRE(waitForEnd(2));
    must(conductor->collect());
    REQUIRE(sink.waitUntil([&] { return must(store::campaigns(reader(), true)).empty(); })); // else it is in use
    // Samples of another store, which has not collected them: only that one may remove them.
    const fs::path foreign = thereRoot / "runs" / RunId::random().str() / "attempt-1";
    fs::create_directories(foreign);
    const auto spools = fs::recursive_directory_iterator(thereRoot / "runs");
    for (const fs::directory_entry& each : spools)
        if (each.path().extension() == ".spool") {
            fs::copy_file(each.path(), foreign / each.path().filename());
            break;
        }
    const auto installed = must(conductor->listInstalled(kSite));
    REQUIRE(!installed.empty());
    std::vector<wire::Item> items;
    for (const wire::InstalledItem& item : installed)
        items.push_back(item.item);
    const wire::DeleteReply removed = must(conductor->removeInstalled(kSite, items));
    CHECK(removed.freedBytes > 0);
    CHECK(!fs::is_empty(foreign));
    std::set<std::string> left;
    for (const auto& entry : fs::recursive_directory_iterator(thereRoot))
        if (!entry.path()
                 .lexically_relative(thereRoot / "runs")
                 .string()
                 .starts_with(foreign.parent_path().filename().string()))
            left.insert(entry.path().lexically_relative(thereRoot).string());
    CHECK(fmt::format("{}", fmt::join(left, ", ")) == "runs"); // the agent has gone, and all that was empty
    CHECK(std::ranges::any_of(removed.refused, [&](const wire::Refusal& refusal) {
        return foreign.string().find(refusal.path) != std::string::npos;
    }));
    CHECK(runs().size() == 2);                                // the store keeps what it has
    const auto again = must(conductor->listInstalled(kSite)); // an agent is brought there again
    CHECK(std::ranges::any_of(again, [](const auto& item) { return item.item.kind == wire::ItemKind::agent; }));
}
