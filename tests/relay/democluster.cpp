// SPDX-License-Identifier: MIT
#include "tests/relay/democluster.h"
#include "tests/support/built.h"

#include "agent/runner/command.h"
#include "core/base/clock.h"
#include "core/base/environment.h"
#include "core/base/shellquote.h"
#include "core/jobs/schedulers/slurm/slurm.h"

#include <cstdlib>
#include <unistd.h>

namespace ringside::test {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kUpLimit{300'000};
constexpr milliseconds kCommandLimit{120'000};
/// MiB of /home. What tests put there is far less; filling it takes nothing away from this machine.
constexpr const char* kDisk = "1024";

fs::path script(const char* name)
{
    return sourceFolder() / "tests/cluster" / name;
}

/// Its folders and site files go below `state`, so that a cluster that is in use is left alone.
Result<std::string> run(const fs::path& state, const char* name, const std::vector<std::string>& words,
                        milliseconds limit = kCommandLimit)
{
    std::vector<std::string> command{"env", "XDG_CONFIG_HOME=" + (state.parent_path() / "config").string(),
                                     script(name).string(), "--state", state.string()};
    command.insert(command.end(), words.begin(), words.end());
    return runner::outputOf(command, runner::ask(command, {limit}));
}

} // namespace

DemoCluster::DemoCluster(fs::path state, bool isOurs)
    : m_state(std::move(state))
    , m_isOurs(isOurs)
{
}

DemoCluster::~DemoCluster()
{
    if (m_isOurs)
        (void)run(m_state, "down.sh", {});
}

DemoCluster* DemoCluster::get()
{
    static const TemporaryFolder folder;
    static const std::unique_ptr<DemoCluster> cluster = make(folder.path(), {"--disk", kDisk});
    return cluster.get();
}

DemoCluster* DemoCluster::withAccounting()
{
    static const TemporaryFolder folder;
    static const std::unique_ptr<DemoCluster> cluster = make(folder.path(), {"--accounting"});
    return cluster.get();
}

std::unique_ptr<DemoCluster> DemoCluster::make(const fs::path& folder, const std::vector<std::string>& options)
{
    const char* state = environment("RINGSIDE_TEST_CLUSTER");
    std::unique_ptr<DemoCluster> made(state ? new DemoCluster(state, false)
                                            : new DemoCluster(folder / "cluster", true));
    if (const std::string reason = made->bringUp(options); !reason.empty()) {
        MESSAGE("skipped: there is no cluster here: ", reason);
        return nullptr;
    }
    made->install();
    return made;
}

std::string DemoCluster::bringUp(const std::vector<std::string>& options) const
{
    if (::geteuid() != 0)
        return "root's rights are needed to bring one up and to unplug its nodes.";
    if (m_isOurs)
        if (const auto up = run(m_state, "up.sh", options, kUpLimit); !up)
            return up.error().text();
    if (!hasSetting("variant=namespaces"))
        return m_state.string() + " holds none of namespaces, and on loopback all nodes are one.";
    if (options.front() == "--accounting" && !hasSetting("accounting=yes"))
        return m_state.string() + " has no accounting.";
    return {};
}

bool DemoCluster::hasSetting(const std::string& line) const
{
    return readFile(m_state / "settings").value_or("").find(line) != std::string::npos;
}

void DemoCluster::install() const
{
    const fs::path bin = home() / "bin";
    fs::create_directories(bin);
    for (const auto& program : {agentPath(), testworkerPath()}) {
        const fs::path copy = bin / (program.filename().string() + ".new");
        fs::copy_file(program, copy, fs::copy_options::overwrite_existing);
        fs::rename(copy, bin / program.filename()); // an earlier one may still run there
    }
    on("login", {"chown", "-R", "ringside-demo:", std::string(kHome) + "/bin"});
}

fs::path DemoCluster::home() const
{
    return m_state / "cluster/home/ringside-demo";
}

std::string DemoCluster::on(const std::string& host, const std::vector<std::string>& command) const
{
    std::vector<std::string> words{"run", host};
    words.insert(words.end(), command.begin(), command.end());
    return run(m_state, "ctl.sh", words).value_or("");
}

std::string DemoCluster::asUser(const std::vector<std::string>& command) const
{
    std::vector<std::string> words{"setpriv", "--reuid=ringside-demo", "--regid=ringside-demo", "--clear-groups"};
    words.insert(words.end(), command.begin(), command.end());
    return on("login", words);
}

bool DemoCluster::control(const std::vector<std::string>& words) const
{
    return run(m_state, "ctl.sh", words).has_value();
}

bool DemoCluster::link(const std::vector<std::string>& words) const
{
    return run(m_state, "link.sh", words).has_value();
}

std::vector<jobs::JobReport> DemoCluster::jobs() const
{
    const auto user = static_cast<unsigned>(std::atoi(on("login", {"id", "-u", "ringside-demo"}).c_str()));
    return slurm::kSlurm.parseQueue(on("login", slurm::kSlurm.queueCommand(user)));
}

bool DemoCluster::mend() const
{
    bool revived = true;
    for (const char* node : {"n1", "n2", "n3"})
        revived = control({"revive", node}) && revived;
    return revived && eventually(milliseconds(90'000), [this] {
               return on("head", {"sinfo", "--noheader", "--partition=main", "--format=%t"}) == "idle\n";
           });
}

CommandLine DemoCluster::relayCommand() const
{
    return {{"ssh", "-F", sshConfig().string(), "demo"}};
}

bool DemoCluster::hasOwnClocks() const
{
    return hasSetting("clocks=own");
}

bool DemoCluster::limitsMemory() const
{
    return hasSetting("controllers=memory");
}

bool DemoCluster::hasDisk() const
{
    return !hasSetting("disk=''");
}

SlurmSite::SlurmSite(DemoCluster& cluster)
    : SlurmSite(cluster, randomUuid().substr(0, 8))
{
}

SlurmSite::SlurmSite(DemoCluster& cluster, const std::string& folder)
    : Site({cluster.relayCommand(), cluster.home() / folder, fs::path(DemoCluster::kHome) / folder,
            std::string(DemoCluster::kHome) + "/bin/testworker", "slurm"})
    , m_cluster(cluster)
{
    const fs::path agent = fs::path(DemoCluster::kHome) / "bin/ringside-agent";
    place().relay.arguments.push_back(agent.string() + " relay --root " + shellQuote(place().rootThere.string()));
}

SlurmSite::~SlurmSite()
{
    disconnect();
    m_cluster.on("login", {"scancel", "--user=ringside-demo"});
    eventually(milliseconds(60'000), [this] {
        const auto jobs = m_cluster.jobs();
        return std::all_of(jobs.begin(), jobs.end(), [](const auto& job) { return isOver(job.state); });
    });
}

CampaignPlan SlurmSite::plan(std::vector<RunSpec> runs, int nodes, const std::string& launcher,
                             jobs::JobSettings settings)
{
    CampaignPlan plan = makePlan(std::move(runs));
    plan.launcher = launcher;
    settings.nodes = nodes;
    const auto script = slurm::kSlurm.script(
        plan, {place().rootThere, fs::path(DemoCluster::kHome) / "bin/ringside-agent"}, settings, {});
    REQUIRE_MESSAGE(script, (script ? "" : script.error().text()));
    place().script = *script;
    return plan;
}

jobs::JobReport SlurmSite::jobOf(const CampaignPlan& plan) const
{
    const auto jobs = m_cluster.jobs();
    const auto* job = jobs::jobOf(jobs, plan.campaign, {});
    return job ? *job : jobs::JobReport{};
}

bool SlurmSite::trains(const RunSpec& run, int attempt)
{
    return eventually(milliseconds(60'000), [&] {
        for (int rank = 0; rank < run.ranks(); ++rank)
            if (readSpool(layout::spoolFile(layout::attemptFolder(root(), run.id, attempt), rank)).size() < 3)
                return false;
        return true;
    });
}

RunSpec onNodes(int nodes, int iterations, Settings settings)
{
    settings["nodes"] = std::int64_t{nodes};
    return makeRun(nodes, iterations, std::move(settings));
}

void checkOneToThreeNodes(Site& site, const CampaignPlan& plan)
{
    CHECK(storyOf(plan, site.events()) == "runner_started\nattempt_started 0/1\nattempt_ended 0/1 done none\n"
                                          "attempt_started 1/1\nattempt_ended 1/1 done none\n"
                                          "attempt_started 2/1\nattempt_ended 2/1 done none\nrunner_ended done\n");
    for (int run = 0; run < 3; ++run)
        for (int rank = 0; rank <= run; ++rank)
            CHECK(hostOf(site, plan.runs[static_cast<std::size_t>(run)], rank) == fmt::format("n{}", rank + 1));
    for (const auto& [path, bytes] : site.files())
        CHECK(bytes == readFile(site.root() / path).value_or("unreadable"));
    CHECK(site.status(plan).state == wire::CampaignState::ended);
}

std::string hostOf(const Site& site, const RunSpec& run, int rank)
{
    const fs::path spool = layout::spoolFile(layout::attemptFolder("", run.id, 1), rank);
    const auto bytes = site.files().find(spool.string());
    SpoolReader reader;
    if (bytes == site.files().end() || !reader.feed(bytes->second, [](const Record&) {}) || !reader.header())
        return "nowhere";
    return reader.header()->host;
}

jobs::JobSettings heldJobs()
{
    jobs::JobSettings settings;
    settings.extraLines = {"--hold"};
    return settings;
}

} // namespace ringside::test
