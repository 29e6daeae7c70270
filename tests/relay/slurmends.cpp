// SPDX-License-Identifier: MIT
// Ends that Slurm itself makes, each provoked on a real one with accounting: memory that a job may not have, and jobs
// that give way to others.
#include "tests/relay/democluster.h"

using namespace ringside;
using namespace ringside::test;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kJobLimit{180'000};

/// A run whose last rank takes more memory than `little()` leaves it.
RunSpec greedy(int nodes)
{
    return onNodes(nodes, 100'000, {{"behaviour", std::string("eat")}});
}

jobs::JobSettings little()
{
    jobs::JobSettings settings;
    settings.memory = "200M";
    return settings;
}

jobs::JobSettings givesWay(const char* qos)
{
    jobs::JobSettings settings;
    settings.qos = qos;
    settings.exclusive = true;
    return settings;
}

/// Another user's job, on all nodes and alone: it goes first.
void occupyAllNodes(const DemoCluster& cluster)
{
    cluster.asUser({"sbatch", "--nodes=3", "--exclusive", "--output=/dev/null", "--wrap=sleep 1"});
}

bool needsCgroups(const DemoCluster& cluster)
{
    if (!cluster.limitsMemory())
        MESSAGE("skipped: without cgroups of version 1 nobody ends a process that takes too much memory here");
    return cluster.limitsMemory();
}

std::string reasonOf(const Site& site, const RunSpec& run)
{
    for (const auto& event : site.events())
        if (event.kind == JournalKind::attemptEnded && event.run == run.id)
            return toText(event.reason);
    return "has not ended";
}

} // namespace

TEST_CASE("a rank that takes more memory than its job may ends so, on whichever node; the next run goes on")
{
    DemoCluster* cluster = DemoCluster::withAccounting();
    if (!cluster || !needsCgroups(*cluster))
        return;
    for (const char* launcher : {"srun", "mpirun"}) {
        CAPTURE(std::string(launcher));
        SlurmSite site(*cluster);
        site.connect();
        const auto plan = site.plan({greedy(1), greedy(2), onNodes(2, 5)}, 2, launcher, little());
        const auto reply = site.submit(plan);
        REQUIRE_MESSAGE(reply, (reply ? "" : reply.error().text()));
        site.follow(plan);
        REQUIRE(site.pumpToEnd(kJobLimit));
        CHECK(site.story(plan) == "runner_started\nattempt_started 0/1\nattempt_ended 0/1 failed out_of_memory rank=0\n"
                                  "attempt_started 1/1\nattempt_ended 1/1 failed out_of_memory rank=1\n"
                                  "attempt_started 2/1\nattempt_ended 2/1 done none\nrunner_ended done\n");
        CHECK(reasonOf(site, plan.runs[0]) == R"({"code":"out_of_memory","host":"n1","rank":0})");
        CHECK(reasonOf(site, plan.runs[1]) == R"({"code":"out_of_memory","host":"n2","rank":1})");
        CHECK(site.status(plan).state == wire::CampaignState::ended);
    }
}

TEST_CASE("a rank that is killed is no victim of memory that another job had not enough of")
{
    DemoCluster* cluster = DemoCluster::withAccounting();
    if (!cluster || !needsCgroups(*cluster))
        return;
    SlurmSite site(*cluster);
    site.connect();
    const auto plan = site.plan({onNodes(2, 100'000)}, 2);
    REQUIRE(site.submit(plan));
    site.follow(plan);
    REQUIRE(site.trains(plan.runs[0]));
    cluster->asUser({"srun", "--nodelist=n1", "--overcommit", "--oversubscribe", "--mem=50", "sh", "-c",
                     "head -c 200M /dev/zero | tail -c 200M | wc -c"});
    cluster->on("n2", {"pkill", "-KILL", "-u", "ringside-demo", "-f", "^" + plan.worker});
    REQUIRE(site.pumpToEnd(kJobLimit));
    CHECK(site.story(plan) ==
          "runner_started\nattempt_started 0/1\nattempt_ended 0/1 failed lost_rank rank=1\nrunner_ended done\n");
}

TEST_CASE("a job that gives way and is put back goes on with the run's next attempt; what is done stays done")
{
    DemoCluster* cluster = DemoCluster::withAccounting();
    if (!cluster)
        return;
    SlurmSite site(*cluster);
    site.connect();
    const auto plan = site.plan({onNodes(3, 5), onNodes(3, 800)}, 3, "srun", givesWay("preempt-requeue"));
    const auto reply = site.submit(plan);
    REQUIRE_MESSAGE(reply, (reply ? "" : reply.error().text()));
    site.follow(plan);
    REQUIRE(site.trains(plan.runs[1]));
    occupyAllNodes(*cluster);
    REQUIRE(site.pumpToEnd(kJobLimit));
    CHECK(site.story(plan) == "runner_started\nattempt_started 0/1\nattempt_ended 0/1 done none\n"
                              "attempt_started 1/1\nattempt_ended 1/1 requeued none\n"
                              "runner_started\nattempt_started 1/2\nattempt_ended 1/2 done none\nrunner_ended done\n");
    CHECK(site.jobOf(plan).id == reply->job);
}

TEST_CASE("a job that gives way and is ended is told as such, and submitted again makes the run's next attempt")
{
    DemoCluster* cluster = DemoCluster::withAccounting();
    if (!cluster)
        return;
    SlurmSite site(*cluster);
    site.connect();
    const auto plan = site.plan({onNodes(3, 5), onNodes(3, 800)}, 3, "srun", givesWay("preempt-cancel"));
    const auto first = site.submit(plan);
    REQUIRE_MESSAGE(first, (first ? "" : first.error().text()));
    site.follow(plan);
    REQUIRE(site.trains(plan.runs[1]));
    occupyAllNodes(*cluster);
    wire::CampaignStatus status;
    CHECK(eventually(kJobLimit, [&] {
        status = site.status(plan);
        return status.state == wire::CampaignState::lost;
    }));
    CHECK(status.jobState == JobState::preempted);
    CHECK(status.reason.code == why::kJob);
    CHECK(status.reason.word("job") == first->job);
    CHECK(status.reason.word("state") == "preempted");
    const auto second = site.submit(plan);
    REQUIRE_MESSAGE(second, (second ? "" : second.error().text()));
    CHECK(second->job != first->job);
    REQUIRE(site.pumpToEnd(kJobLimit));
    CHECK(site.story(plan) == "runner_started\nattempt_started 0/1\nattempt_ended 0/1 done none\n"
                              "attempt_started 1/1\nattempt_ended 1/1 requeued none\n"
                              "runner_started\nattempt_started 1/2\nattempt_ended 1/2 done none\nrunner_ended done\n");
}
