// SPDX-License-Identifier: MIT
// Campaigns through a real Slurm: submitted, followed, steered, asked about.
#include "core/jobs/schedulers/slurm/slurm.h"
#include "core/base/clock.h"
#include "core/protocol/layout.h"
#include "tests/relay/democluster.h"

#include <csignal>
#include <random>
#include <set>
#include <thread>

using namespace ringside;
using namespace ringside::test;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kJobLimit{120'000};

int jobsOf(const DemoCluster& cluster, const CampaignPlan& plan)
{
    const auto jobs = cluster.jobs();
    return static_cast<int>(
        std::count_if(jobs.begin(), jobs.end(), [&](const auto& job) { return job.campaign == plan.campaign; }));
}

} // namespace

TEST_CASE("one allocation serves runs on 1, 2 and 3 nodes, by srun with and without MPI and by mpirun")
{
    DemoCluster* cluster = DemoCluster::get();
    if (!cluster)
        return;
    for (const char* launcher : {"srun", "mpirun", "direct"}) {
        CAPTURE(std::string(launcher));
        SlurmSite site(*cluster);
        site.connect();
        const auto plan = site.plan({onNodes(1, 10), onNodes(2, 10), onNodes(3, 10)}, 3, launcher);
        const auto reply = site.submit(plan);
        REQUIRE_MESSAGE(reply, (reply ? "" : reply.error().text()));
        CHECK(slurm::kSlurm.isJobId(reply->job));
        site.follow(plan);
        REQUIRE(site.pumpToEnd(kJobLimit));
        checkOneToThreeNodes(site, plan);
        CHECK(site.endedTooEarly.empty());
    }
}

TEST_CASE("however often it is submitted, and whatever is killed meanwhile, there is one job")
{
    DemoCluster* cluster = DemoCluster::get();
    if (!cluster)
        return;
    std::mt19937 random(3);
    SlurmSite site(*cluster);
    for (int round = 0; round < 6; ++round) {
        site.connect();
        const auto plan = site.plan({onNodes(1, 2)}, 1, "srun", heldJobs());
        for (int kill = 0; kill < 3; ++kill) {
            REQUIRE(site.client().send(
                wire::SubmitRequest{99, plan.campaign, site.place().script, planToJson(plan), "slurm"}));
            std::this_thread::sleep_for(milliseconds(random() % 400));
            const char* victim = kill % 2 ? "submit" : "relay"; // of this user on the login node
            cluster->on("login",
                        {"pkill", "-KILL", "-u", "ringside-demo", "-f", std::string("ringside-agent ") + victim});
            site.disconnect();
            site.connect();
        }
        const auto reply = site.submit(plan);
        REQUIRE_MESSAGE(reply, (reply ? "" : reply.error().text()));
        CHECK(jobsOf(*cluster, plan) == 1);
        CHECK(site.jobOf(plan).id == reply->job);
        site.disconnect();
    }
}

TEST_CASE("a waiting job says why, is seen by seldom questions, and is taken back by a cancel that is recorded")
{
    DemoCluster* cluster = DemoCluster::get();
    if (!cluster)
        return;
    SlurmSite site(*cluster);
    site.connect();
    const auto plan = site.plan({onNodes(2, 100'000), onNodes(1, 2)}, 2, "srun", heldJobs());
    const auto reply = site.submit(plan);
    REQUIRE_MESSAGE(reply, (reply ? "" : reply.error().text()));
    auto status = site.status(plan);
    CHECK(status.state == wire::CampaignState::queued);
    CHECK(status.jobState == JobState::pending);
    CHECK(status.reason ==
          because(why::kJob,
                  {{"scheduler", "slurm"}, {"job", reply->job}, {"state", "pending"}, {"word", "JobHeldUser"}}));
    CHECK(status.job == reply->job);
    CHECK(status.expectedStartNs == 0); // cannot be known
    const std::int64_t beginNs = monotonicNs();
    for (int i = 0; i < 50; ++i)
        status = site.status(plan);
    CHECK(monotonicNs() - beginNs < 20'000'000'000);
    site.follow(plan);
    REQUIRE(site.control(plan, Control::Kind::cancel));
    REQUIRE(site.pumpToEnd(kJobLimit));
    CHECK(site.story(plan) == "runner_started\nattempt_ended 0/0 cancelled cancelled\n"
                              "attempt_ended 1/0 cancelled cancelled\nrunner_ended cancelled\n");
    CHECK(site.jobOf(plan).state == JobState::cancelled);
    CHECK(site.submit(plan)->alreadyThere);
    CHECK(jobsOf(*cluster, plan) == 1);
}

TEST_CASE("a job that is submitted by hand is awaited, found and followed")
{
    DemoCluster* cluster = DemoCluster::get();
    if (!cluster)
        return;
    SlurmSite site(*cluster);
    site.connect();
    const auto plan = site.plan({onNodes(2, 10)}, 2);
    site.place().scheduler = "slurm_by_hand";
    const auto reply = site.submit(plan);
    REQUIRE_MESSAGE(reply, (reply ? "" : reply.error().text()));
    CHECK(reply->job.empty());
    CHECK(site.submit(plan)->job.empty());
    CHECK(jobsOf(*cluster, plan) == 0);
    const auto status = site.status(plan);
    CHECK(status.state == wire::CampaignState::queued);
    const std::string command = status.reason.word("command"), submits = "sbatch ";
    CHECK(status.reason.code == why::kSubmitByHand);
    REQUIRE(command.starts_with(submits));
    site.follow(plan);

    const std::string script = command.substr(submits.size());
    REQUIRE(cluster->asUser({"sbatch", script}) != "");
    REQUIRE(site.pumpToEnd(kJobLimit));
    CHECK(site.story(plan) == "runner_started\nattempt_started 0/1\nattempt_ended 0/1 done none\nrunner_ended done\n");
    CHECK(site.submit(plan)->alreadyThere);
    CHECK(jobsOf(*cluster, plan) == 1);
    const fs::path log = layout::runnerLog(layout::campaignFolder(site.root(), plan.campaign));
    CHECK(fs::file_size(log) > 0); // written by Slurm for its job
    CHECK(fs::status(log).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("a cancel while it runs ends every rank with its spool complete, on all nodes")
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
    CHECK(eventually(2 * milliseconds(3'000), // the queue is asked every 3 s at most
                     [&] { return site.status(plan).state == wire::CampaignState::running; }));
    CHECK(site.status(plan).jobState == JobState::running);
    REQUIRE(site.control(plan, Control::Kind::cancel));
    REQUIRE(site.pumpToEnd(kJobLimit));
    CHECK(site.story(plan) ==
          "runner_started\nattempt_started 0/1\nattempt_ended 0/1 cancelled cancelled\nrunner_ended cancelled\n");
    const auto attempt = layout::attemptFolder(site.root(), plan.runs[0].id, 1);
    for (int rank = 0; rank < 3; ++rank)
        CHECK(std::holds_alternative<End>(readSpool(layout::spoolFile(attempt, rank)).back()));
}

TEST_CASE("a refused job says what to change, and can be submitted once that is done")
{
    DemoCluster* cluster = DemoCluster::get();
    if (!cluster)
        return;
    SlurmSite site(*cluster);
    site.connect();
    jobs::JobSettings settings;
    settings.partition = "nope";
    const auto plan = site.plan({onNodes(1, 2)}, 1, "srun", settings);
    const auto refused = site.submit(plan);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::usage);
    CHECK(refused.error().hint == "There is no such partition. Choose one of the site's.");
}

TEST_CASE("a job that its limit ends is requeued work with the cause told, and nothing is begun that cannot fit")
{
    DemoCluster* cluster = DemoCluster::get();
    if (!cluster)
        return;
    SlurmSite site(*cluster);
    site.connect();
    jobs::JobSettings settings;
    settings.timeLimitSeconds = 60;
    const auto plan = site.plan({onNodes(2, 100'000), onNodes(1, 2)}, 2, "srun", settings);
    REQUIRE(site.submit(plan));
    site.follow(plan);
    REQUIRE(site.pumpToEnd(kJobLimit));
    CHECK(site.story(plan) ==
          "runner_started\nattempt_started 0/1\nattempt_ended 0/1 requeued time_limit\nrunner_ended requeued\n");
}

TEST_CASE("a launch prefix stands before the worker, which gets its arguments and environment through it")
{
    DemoCluster* cluster = DemoCluster::get();
    if (!cluster)
        return;
    SlurmSite site(*cluster);
    site.connect();
    fs::create_directories(site.root());
    const fs::path record = site.place().rootThere / "prefix";
    REQUIRE(
        writeFileAtomically(site.root() / "stand-in", "#!/bin/sh\n"
                                                      "{ for word; do printf '%s|' \"$word\"; done\n"
                                                      "printf '%s|%s\\n' \"$RINGSIDE_ATTEMPT\" \"$PMIX_RANK\"; } >> " +
                                                          record.string() +
                                                          ".$SLURM_PROCID\n"
                                                          "shift 3\nexec \"$@\"\n"));
    cluster->on("login",
                {"sh", "-c",
                 fmt::format("chmod 700 {0}/stand-in; chown -R ringside-demo: {0}", site.place().rootThere.string())});
    auto plan = site.plan({onNodes(2, 5)}, 2);
    plan.launchPrefix = {(site.place().rootThere / "stand-in").string(), "exec", "--nv", "it's an $(image).sif"};
    REQUIRE(site.submit(plan));
    site.follow(plan);
    REQUIRE(site.pumpToEnd(kJobLimit));
    CHECK(site.events().back().state == RunState::done);
    const auto attempt = layout::attemptFolder(site.place().rootThere, plan.runs[0].id, 1).string();
    for (int rank = 0; rank < 2; ++rank)
        CHECK(readFile(site.root() / fmt::format("prefix.{}", rank)) ==
              fmt::format("exec|--nv|it's an $(image).sif|{}|train|--plan|{}|--run|{}|--attempt|{}|{}|{}\n",
                          plan.worker,
                          layout::planFile(layout::campaignFolder(site.place().rootThere, plan.campaign)).string(),
                          plan.runs[0].id.str(), attempt, attempt, rank));
}

TEST_CASE("a probe tells what login node and compute nodes are, in the same words")
{
    DemoCluster* cluster = DemoCluster::get();
    if (!cluster)
        return;
    SlurmSite site(*cluster);
    site.connect();
    const auto reply = site.ask<wire::ProbeReply>(wire::ProbeRequest{});
    REQUIRE(reply);
    CHECK(reply->values.at("host") == "login");
    CHECK(reply->values.at("slurm").starts_with("slurm"));
    CHECK(reply->values.at("partitions").find("\"name\":\"main\"") != std::string::npos);
    CHECK(reply->values.at("partitions").find("\"gpus_per_node\":{\"fake\":2}") != std::string::npos);
    CHECK(reply->values.at("glibc").starts_with("glibc "));
    CHECK(std::stoull(reply->values.at("free_bytes")) > 0);
    const auto node = site.ask<wire::ProbeReply>(wire::NodeProbeRequest{0, {"--partition=main", "--nodelist=n2"}});
    REQUIRE(node);
    CHECK(node->values.at("node") == "n2");
    CHECK(node->values.at("root_writable") == "true");
    CHECK(node->values.at("arch") == reply->values.at("arch"));
}
