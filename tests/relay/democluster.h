// SPDX-License-Identifier: MIT
// The demo cluster (tests/cluster) for tests: the one of RINGSIDE_TEST_CLUSTER (its --state folder), else one that is
// brought up for this program and taken down at its end.
#pragma once

#include "core/jobs/schedulers/slurm/slurm.h"
#include "tests/relay/site.h"

#include <memory>
#include <string>
#include <vector>

namespace ringside::test {

class DemoCluster
{
public:
    /// nullptr, with the reason printed, where there is none.
    static DemoCluster* get();
    /// The same with slurmdbd: accounts, preemption, and a memory of jobs that the queue has forgotten.
    static DemoCluster* withAccounting();
    ~DemoCluster();

    /// The demo user's home on this machine; on the cluster it is kHome.
    fs::path home() const;
    /// Standard output of a command on a host, as root; empty if it fails.
    std::string on(const std::string& host, const std::vector<std::string>& command) const;
    /// The same as the demo user, in whose name jobs are submitted.
    std::string asUser(const std::vector<std::string>& command) const;
    /// ctl.sh: crash, revive, restart …
    bool control(const std::vector<std::string>& words) const;
    std::vector<jobs::JobReport> jobs() const;
    /// link.sh: outside cut, outside mend …
    bool link(const std::vector<std::string>& words) const;
    /// Waits until all nodes are idle, after reviving them.
    bool mend() const;
    CommandLine relayCommand() const;
    /// By which ssh and Ringside reach its login node as “demo”.
    fs::path sshConfig() const { return m_state / "ssh_config"; }
    /// /home is a disk that ctl.sh fills and frees.
    bool hasDisk() const;
    /// The monotonic clocks of its nodes are minutes apart; not so where no time namespaces can be made.
    bool hasOwnClocks() const;
    /// Memory is limited by cgroups; without them Slurm ends a job that takes too much as failed.
    bool limitsMemory() const;

    /// A folder that all hosts have as kShared.
    fs::path shared() const { return m_state / "cluster"; }

    static constexpr const char* kHome = "/home/ringside-demo";
    static constexpr const char* kShared = "/srv";

private:
    DemoCluster(fs::path state, bool isOurs);
    static std::unique_ptr<DemoCluster> make(const fs::path& folder, const std::vector<std::string>& options);
    bool hasSetting(const std::string& line) const;
    /// Returns why it cannot be used; empty if it can.
    std::string bringUp(const std::vector<std::string>& options) const;
    void install() const;

    fs::path m_state;
    bool m_isOurs;
};

/// The cluster as a site, with a root of its own; jobs that are left over are cancelled at its end.
class SlurmSite : public Site
{
public:
    explicit SlurmSite(DemoCluster& cluster);
    /// With its root in this folder of the home, whatever characters it has.
    SlurmSite(DemoCluster& cluster, const std::string& folder);
    ~SlurmSite() override;

    DemoCluster& cluster() const { return m_cluster; }
    /// A plan for `nodes` nodes and its script; the site submits that.
    CampaignPlan plan(std::vector<RunSpec> runs, int nodes, const std::string& launcher = "srun",
                      jobs::JobSettings settings = {});
    /// Job of the campaign as the queue says it.
    jobs::JobReport jobOf(const CampaignPlan& plan) const;
    /// Waits until the ranks of the first attempt (or a later one) have written samples.
    bool trains(const RunSpec& run, int attempt = 1);
    /// Returns the part of its journal that arrived (campaignfixture.h).
    std::string story(const CampaignPlan& plan) const { return storyOf(plan, events()); }

private:
    DemoCluster& m_cluster;
};

/// A job of these waits until it is released.
jobs::JobSettings heldJobs();

/// Host of a rank of a first attempt, from its spool as it arrived; "nowhere" if that is not there.
std::string hostOf(const Site& site, const RunSpec& run, int rank);

/// Returns whether three runs, on one, two and three nodes, are done at the first attempt, each rank on a node of its
/// own, and everything arrived as it is there.
void checkOneToThreeNodes(Site& site, const CampaignPlan& plan);

/// A run on several nodes, one rank each.
RunSpec onNodes(int nodes, int iterations, Settings settings = {});

} // namespace ringside::test
