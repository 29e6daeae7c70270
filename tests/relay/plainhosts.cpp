// SPDX-License-Identifier: MIT
// Campaigns without a scheduler on several hosts: mpirun reaches them by ssh from the host that is dialled.
#include "tests/relay/democluster.h"

#include <cstdlib>

using namespace ringside;
using namespace ringside::test;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kRunLimit{120'000};

/// A runner without a scheduler is known as boot:pid:start.
std::string pidOf(const std::string& job)
{
    const auto begin = job.find(':') + 1;
    return job.substr(begin, job.find(':', begin) - begin);
}

/// The login node of the demo cluster as a host without Slurm, from which n1 to n3 are reached by ssh.
class PlainSite : public SlurmSite
{
public:
    explicit PlainSite(DemoCluster& cluster)
        : SlurmSite(cluster)
    {
        place().scheduler.clear();
    }

    CampaignPlan planOnHosts(std::vector<RunSpec> runs, const std::string& launcher = "mpirun")
    {
        CampaignPlan plan = SlurmSite::plan(std::move(runs), 3, launcher);
        plan.hosts = {"n1", "n2", "n3"};
        place().script.clear();
        return plan;
    }

    /// Processes of the attempt's ranks on a host. The pattern does not match the command that looks for it.
    int ranksOn(const std::string& host, const RunSpec& run) const
    {
        const std::string found = cluster().on(host, {"pgrep", "--count", "--full", "--", "[-]-run " + run.id.str()});
        return std::atoi(found.c_str());
    }
};

} // namespace

TEST_CASE("without a scheduler ranks start on the hosts that a site names, by mpirun and by ssh alone")
{
    DemoCluster* cluster = DemoCluster::get();
    if (!cluster)
        return;
    for (const char* launcher : {"mpirun", "direct"}) {
        CAPTURE(std::string(launcher));
        PlainSite site(*cluster);
        site.connect();
        const auto plan = site.planOnHosts({onNodes(1, 10), onNodes(2, 10), onNodes(3, 10)}, launcher);
        const auto reply = site.submit(plan);
        REQUIRE_MESSAGE(reply, (reply ? "" : reply.error().text()));
        site.follow(plan);
        REQUIRE(site.pumpToEnd(kRunLimit));
        checkOneToThreeNodes(site, plan);
    }
}

TEST_CASE("ranks on other hosts end with their runner, and a successor does the run")
{
    DemoCluster* cluster = DemoCluster::get();
    if (!cluster)
        return;
    for (const char* launcher : {"mpirun", "direct"}) {
        CAPTURE(std::string(launcher));
        PlainSite site(*cluster);
        site.connect();
        const auto plan = site.planOnHosts({onNodes(3, 400)}, launcher);
        const auto first = site.submit(plan);
        REQUIRE_MESSAGE(first, (first ? "" : first.error().text()));
        REQUIRE(site.trains(plan.runs[0]));
        CHECK(site.ranksOn("n3", plan.runs[0]) > 0);
        site.cluster().on("login", {"kill", "-KILL", pidOf(first->job)});
        CHECK(eventually(milliseconds(40'000), [&] { return site.ranksOn("n3", plan.runs[0]) == 0; }));
        const auto second = site.submit(plan);
        REQUIRE_MESSAGE(second, (second ? "" : second.error().text()));
        CHECK(second->job != first->job);
        site.follow(plan);
        REQUIRE(site.pumpToEnd(kRunLimit));
        CHECK(site.story(plan).ends_with("attempt_started 0/2\nattempt_ended 0/2 done none\nrunner_ended done\n"));
    }
}

TEST_CASE("a host that cannot be reached fails its run with its name")
{
    DemoCluster* cluster = DemoCluster::get();
    if (!cluster)
        return;
    for (const char* launcher : {"mpirun", "direct"}) {
        PlainSite site(*cluster);
        site.connect();
        auto plan = site.planOnHosts({onNodes(2, 10)}, launcher);
        plan.hosts = {"n1", "nowhere"};
        const auto reply = site.submit(plan);
        REQUIRE_MESSAGE(reply, (reply ? "" : reply.error().text()));
        site.follow(plan);
        REQUIRE(site.pumpToEnd(kRunLimit));
        std::string reasons;
        for (const JournalEvent& event : site.events())
            reasons += toText(event.reason) + "\n";
        CAPTURE(reasons);
        CHECK(reasons.find("nowhere") != std::string::npos);
    }
}
