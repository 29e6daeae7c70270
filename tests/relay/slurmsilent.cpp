// SPDX-License-Identifier: MIT
// A scheduler that does not answer: what can be known without it is said, and nothing else.
#include "core/base/clock.h"
#include "tests/relay/democluster.h"

using namespace ringside;
using namespace ringside::test;
using std::chrono::milliseconds;

namespace {

/// squeue tries for half a minute before it gives up; a sign of life grows old in as long.
constexpr milliseconds kSilenceLimit{150'000};
constexpr milliseconds kJobLimit{180'000};

/// Stopped until the end of a test case.
class SilentSlurm
{
public:
    explicit SilentSlurm(DemoCluster& cluster)
        : m_cluster(cluster)
    {
        REQUIRE(cluster.control({"stop", "slurmctld"}));
    }
    ~SilentSlurm() { CHECK(m_cluster.control({"start", "slurmctld"})); }

private:
    DemoCluster& m_cluster;
};

wire::CampaignStatus statusOf(Site& site, const CampaignPlan& plan)
{
    const auto reply = site.ask<wire::StatusReply>(wire::StatusRequest{0, {plan.campaign}}, milliseconds(60'000));
    REQUIRE(reply);
    return reply->campaigns.at(0);
}

} // namespace

TEST_CASE("while Slurm is silent a run that writes runs, and one that only waited is unknown since it was known")
{
    DemoCluster* cluster = DemoCluster::get();
    if (!cluster)
        return;
    SlurmSite site(*cluster);
    site.connect();
    const auto waiting = site.plan({onNodes(1, 2)}, 1, "srun", heldJobs());
    REQUIRE(site.submit(waiting));
    const auto running = site.plan({onNodes(2, 100'000)}, 2);
    REQUIRE(site.submit(running));
    REQUIRE(site.trains(running.runs[0]));
    CHECK(statusOf(site, waiting).knownAtNs == 0);
    {
        const std::int64_t beganNs = wallNs();
        const SilentSlurm silence(*cluster);
        wire::CampaignStatus status;
        CHECK(eventually(kSilenceLimit, [&] {
            status = statusOf(site, waiting);
            return status.knownAtNs > 0;
        }));
        CHECK(status.knownAtNs < beganNs + 5'000'000'000); // the word of the last moment may still have come
        CHECK(status.knownAtNs > beganNs - 60'000'000'000);
        CHECK(status.state == wire::CampaignState::queued);
        CHECK(status.jobState == JobState::unknown);
        CHECK(status.reason.code == why::kSchedulerSilent);
        CHECK(status.reason.word("said") != "");
        status = statusOf(site, running);
        CHECK(status.state == wire::CampaignState::running);
        CHECK(status.knownAtNs == 0);
    }
    CHECK(eventually(kSilenceLimit, [&] { return statusOf(site, waiting).jobState == JobState::pending; }));
    REQUIRE(site.control(running, Control::Kind::cancel));
}

TEST_CASE("what loses its runner while Slurm is silent is unknown since it last wrote, and lost when Slurm says so")
{
    DemoCluster* cluster = DemoCluster::get();
    if (!cluster)
        return;
    SlurmSite site(*cluster);
    site.connect();
    jobs::JobSettings once;
    once.extraLines = {"--no-requeue"};
    const auto plan = site.plan({onNodes(2, 100'000)}, 2, "srun", once);
    REQUIRE(site.submit(plan));
    REQUIRE(site.trains(plan.runs[0]));
    {
        const SilentSlurm silence(*cluster);
        cluster->on("n1", {"pkill", "-KILL", "-u", "ringside-demo", "-f", "ringside-agent run"});
        wire::CampaignStatus status;
        CHECK(eventually(kSilenceLimit, [&] {
            status = statusOf(site, plan);
            return status.knownAtNs > 0;
        }));
        CHECK(status.state == wire::CampaignState::running); // as far as anything is known
        const auto attempt = layout::attemptFolder(site.root(), plan.runs[0].id, 1);
        const std::int64_t lastNs =
            std::max(modifiedNs(layout::spoolFile(attempt, 0)), modifiedNs(layout::spoolFile(attempt, 1)));
        CHECK(status.knownAtNs == lastNs);
    }
    CHECK(eventually(kJobLimit, [&] { return statusOf(site, plan).state == wire::CampaignState::lost; }));
}
