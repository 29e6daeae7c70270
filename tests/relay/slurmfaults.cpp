// SPDX-License-Identifier: MIT
// Faults of clusters, made in a real Slurm: ranks, runners and nodes die, jobs are put back, the controller is
// away.
#include "tests/relay/democluster.h"
#include "tests/support/runningtime.h"

#include <thread>

using namespace ringside;
using namespace ringside::test;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kJobLimit{180'000};

/// Waits for the end of an attempt in what arrives, or has arrived.
std::optional<JournalEvent> endOf(Site& site, const RunSpec& run, int attempt, milliseconds limit)
{
    std::optional<JournalEvent> end;
    const auto isEnd = [&] {
        for (const auto& event : site.events())
            if (event.kind == JournalKind::attemptEnded && event.run == run.id && event.attempt == attempt)
                end = event;
        return end.has_value();
    };
    if (!isEnd())
        site.pump(limit, [&](const wire::Message&) { return isEnd(); });
    return end;
}

/// None of the attempt's guards and ranks is on the host. The brackets keep the search from finding itself.
bool isClear(const DemoCluster& cluster, const std::string& host, const RunSpec& run)
{
    const std::string pattern = fmt::format("[a]ttempt.*{0}|{0}.*[a]ttempt", run.id.str());
    return cluster.on(host, {"sh", "-c", "pgrep -f '" + pattern + "'; echo looked"}) == "looked\n";
}

void kill(const DemoCluster& cluster, const std::string& host, const std::string& pattern)
{
    cluster.on(host, {"pkill", "-KILL", "-u", "ringside-demo", "-f", pattern});
}

} // namespace

TEST_CASE("a rank that is killed, or stops, ends its attempt within 30 s with its host named; the next run goes on")
{
    DemoCluster* cluster = DemoCluster::get();
    if (!cluster)
        return;
    for (const char* launcher : {"srun", "mpirun"}) {
        CAPTURE(std::string(launcher));
        SlurmSite site(*cluster);
        site.connect();
        const auto plan = site.plan({onNodes(3, 100'000), onNodes(3, 100'000), onNodes(3, 5)}, 3, launcher);
        REQUIRE(site.submit(plan));
        site.follow(plan);
        REQUIRE(site.trains(plan.runs[0]));
        kill(*cluster, "n2", "^" + plan.worker);
        const auto killed = endOf(site, plan.runs[0], 1, milliseconds(30'000));
        REQUIRE(killed);
        CHECK(killed->cause == Cause::lostRank);
        CHECK(killed->rank == 1);
        CHECK(killed->host == "n2");
        REQUIRE(site.trains(plan.runs[1]));
        const RunningTime time;
        cluster->on("n3", {"pkill", "-STOP", "-u", "ringside-demo", "-f", "^" + plan.worker});
        const auto stopped = endOf(site, plan.runs[1], 1, milliseconds(40'000));
        REQUIRE(stopped);
        CHECK(time.elapsed() < milliseconds(31'000)); // and a second until it is seen here
        CHECK(stopped->cause == Cause::lostRank);
        CHECK(stopped->host == "n3");
        REQUIRE(site.pumpToEnd(kJobLimit));
        CHECK(site.events().back().state == RunState::done);
        const auto last = endOf(site, plan.runs[2], 1, milliseconds(0));
        REQUIRE(last);
        CHECK(last->state == RunState::done);
    }
}

TEST_CASE("a job that is put back begins the run again as its next attempt")
{
    DemoCluster* cluster = DemoCluster::get();
    if (!cluster)
        return;
    SlurmSite site(*cluster);
    site.connect();
    const auto plan = site.plan({onNodes(3, 800)}, 3);
    const auto reply = site.submit(plan);
    REQUIRE(reply);
    site.follow(plan);
    REQUIRE(site.trains(plan.runs[0]));
    cluster->on("login", {"scontrol", "requeue", reply->job});
    REQUIRE(site.pumpToEnd(kJobLimit));
    CHECK(site.story(plan) == "runner_started\nattempt_started 0/1\nattempt_ended 0/1 requeued none\n"
                              "runner_started\nattempt_started 0/2\nattempt_ended 0/2 done none\nrunner_ended done\n");
    CHECK(fs::exists(layout::leaseFolder(layout::campaignFolder(site.root(), plan.campaign), 2)));
    CHECK(site.jobOf(plan).id == reply->job);
}

TEST_CASE("when the runner is killed its ranks end within 10 s on all nodes, and what is lost is submitted again")
{
    DemoCluster* cluster = DemoCluster::get();
    if (!cluster)
        return;
    SlurmSite site(*cluster);
    site.connect();
    const auto plan = site.plan({onNodes(3, 800)}, 3);
    const auto first = site.submit(plan);
    REQUIRE(first);
    site.follow(plan);
    REQUIRE(site.trains(plan.runs[0]));
    kill(*cluster, "n1", "ringside-agent run");
    for (const char* host : {"n1", "n2", "n3"})
        CHECK(eventually(milliseconds(10'000), [&] { return isClear(*cluster, host, plan.runs[0]); }));
    wire::CampaignStatus status;
    CHECK(eventually(milliseconds(60'000), [&] {
        status = site.status(plan);
        return status.state == wire::CampaignState::lost;
    }));
    CHECK(status.jobState == JobState::failed);
    const auto second = site.submit(plan);
    REQUIRE_MESSAGE(second, (second ? "" : second.error().text()));
    CHECK(second->job != first->job);
    REQUIRE(site.pumpToEnd(kJobLimit));
    CHECK(site.story(plan) == "runner_started\nattempt_started 0/1\n"
                              "runner_started\nattempt_ended 0/1 requeued runner_lost\n"
                              "attempt_started 0/2\nattempt_ended 0/2 done none\nrunner_ended done\n");
}

TEST_CASE("a node that goes away ends the attempt within 30 s; the job comes back with the node")
{
    DemoCluster* cluster = DemoCluster::get();
    if (!cluster)
        return;
    SlurmSite site(*cluster);
    site.connect();
    const auto plan = site.plan({onNodes(3, 100'000)}, 3);
    REQUIRE(site.submit(plan));
    site.follow(plan);
    REQUIRE(site.trains(plan.runs[0]));
    const RunningTime time;
    REQUIRE(cluster->control({"crash", "n3"}));
    const auto lost = endOf(site, plan.runs[0], 1, milliseconds(40'000));
    REQUIRE(lost);
    CHECK(time.elapsed() < milliseconds(33'000)); // pulling the plug took some of it
    CHECK(lost->cause == Cause::lostRank);
    CHECK(lost->rank == 2);
    CHECK(lost->host == "n3");
    CHECK(cluster->mend());
}

TEST_CASE("the runner's own node goes away: ranks elsewhere end, Slurm puts the job back, the next runner goes on")
{
    DemoCluster* cluster = DemoCluster::get();
    if (!cluster)
        return;
    SlurmSite site(*cluster);
    site.connect();
    const auto plan = site.plan({onNodes(3, 1'500)}, 3);
    REQUIRE(site.submit(plan));
    site.follow(plan);
    REQUIRE(site.trains(plan.runs[0]));
    REQUIRE(cluster->control({"crash", "n1"}));
    for (const char* host : {"n2", "n3"})
        CHECK(eventually(milliseconds(12'000), [&] { return isClear(*cluster, host, plan.runs[0]); }));
    REQUIRE(cluster->control({"revive", "n1"}));
    REQUIRE(site.pumpToEnd(kJobLimit));
    const std::string story = site.story(plan); // in between, the revived node may refuse the first step
    CHECK(story.starts_with("runner_started\nattempt_started 0/1\n"
                            "runner_started\nattempt_ended 0/1 requeued runner_lost\nattempt_started 0/2\n"));
    CHECK(story.ends_with(" done none\nrunner_ended done\n"));
    CHECK(cluster->mend());
}

TEST_CASE("a job that is cancelled by hand, one whose time is over and one whose node goes away are told apart")
{
    DemoCluster* cluster = DemoCluster::get();
    if (!cluster)
        return;
    SlurmSite site(*cluster);
    site.connect();
    std::vector<CampaignPlan> plans;
    std::vector<std::string> jobs;
    for (const char* host : {"n1", "n2", "n3"}) {
        jobs::JobSettings settings;
        settings.timeLimitSeconds = 60;
        settings.extraLines = {"--no-requeue", std::string("--nodelist=") + host};
        plans.push_back(site.plan({onNodes(1, 100'000)}, 1, "srun", settings));
        const auto reply = site.submit(plans.back());
        REQUIRE_MESSAGE(reply, (reply ? "" : reply.error().text()));
        jobs.push_back(reply->job);
    }
    for (const auto& plan : plans)
        REQUIRE(site.trains(plan.runs[0]));
    cluster->on("login", {"scancel", jobs[0]});
    cluster->on("n2", {"pkill", "-STOP", "-u", "ringside-demo", "-f", "ringside-agent run"}); // Slurm has to wake it
    REQUIRE(cluster->control({"crash", "n3"}));
    const auto awaitEnd = [&](std::size_t job, JobState state) {
        CAPTURE(std::string(nameOf(state)));
        wire::CampaignStatus status;
        CHECK(eventually(kJobLimit, [&] {
            status = site.status(plans[job]);
            return status.state == wire::CampaignState::lost;
        }));
        CHECK(status.jobState == state);
        CHECK(status.reason.code == why::kJob);
        CHECK(status.reason.word("job") == jobs[job]);
        CHECK(status.reason.word("state") == nameOf(state));
    };
    awaitEnd(0, JobState::cancelled);
    awaitEnd(2, JobState::nodeFail);
    site.follow(plans[1]);
    REQUIRE(site.pumpToEnd(kJobLimit));
    CHECK(site.story(plans[1]) ==
          "runner_started\nattempt_started 0/1\nattempt_ended 0/1 requeued time_limit\nrunner_ended requeued\n");
    CHECK(cluster->mend());
}

TEST_CASE("while the controller is away nothing is submitted twice and nothing is said to be lost")
{
    DemoCluster* cluster = DemoCluster::get();
    if (!cluster)
        return;
    SlurmSite site(*cluster);
    site.connect();
    const auto plan = site.plan({onNodes(2, 6'000)}, 2); // a minute: the answers below take their time
    const auto first = site.submit(plan);
    REQUIRE(first);
    site.follow(plan);
    REQUIRE(site.trains(plan.runs[0]));
    REQUIRE(cluster->control({"stop", "slurmctld"}));
    const auto again = site.ask<wire::SubmitReply>(
        wire::SubmitRequest{0, plan.campaign, site.place().script, planToJson(plan), "slurm"}, milliseconds(120'000));
    REQUIRE_FALSE(again);
    CHECK((again.error().code == ErrorCode::unavailable || again.error().code == ErrorCode::timeout));
    const auto status = site.ask<wire::StatusReply>(wire::StatusRequest{0, {plan.campaign}}, milliseconds(60'000));
    REQUIRE(status);
    CHECK(status->campaigns.at(0).state == wire::CampaignState::running);
    REQUIRE(cluster->control({"start", "slurmctld"}));
    REQUIRE(site.pumpToEnd(kJobLimit));
    CHECK(site.events().back().state == RunState::done);
    CHECK(site.submit(plan)->job == first->job);
}
