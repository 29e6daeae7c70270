// SPDX-License-Identifier: MIT
#include "core/jobs/attemptcommand.h"

#include "core/protocol/calibration.h"
#include "core/protocol/layout.h"
#include "core/protocol/nodefolder.h"

#include <algorithm>

namespace ringside::jobs {

namespace {

using Arguments = std::vector<std::string>;

void append(Arguments& to, const Arguments& more)
{
    to.insert(to.end(), more.begin(), more.end());
}

bool calibrates(const RunSpec& run)
{
    return textOf(run.settings, "engine") == kCalibrationEngine;
}

Arguments workerArguments(const CampaignPlan& plan, const RunSpec& run, const SitePaths& paths, const fs::path& attempt)
{
    const fs::path planFile = layout::planFile(layout::campaignFolder(paths.root, plan.campaign));
    Arguments arguments = plan.launchPrefix;
    append(arguments, {plan.worker, calibrates(run) ? "calibrate" : "train", "--plan", planFile.string(), "--run",
                       run.id.str(), "--attempt", attempt.string()});
    return arguments;
}

bool isDirect(const CampaignPlan& plan, const RunSpec& run)
{
    return plan.launcher == Launcher::direct && run.processes() > 1;
}

/// What holds the guards of an attempt to their runner.
Arguments tieArguments(const AttemptPlace& place, const fs::path& attempt)
{
    if (place.hosts.empty())
        return {"--control", controlPipe(place.temporaryFolder).string()};
    return {"--runner-heartbeat", layout::runnerHeartbeatFile(attempt).string()};
}

Arguments guardArguments(const CampaignPlan& plan, const RunSpec& run, const SitePaths& paths,
                         const AttemptPlace& place)
{
    const fs::path attempt = layout::attemptFolder(paths.root, run.id, place.number);
    Arguments arguments{paths.agent.string(), "rank", "--attempt", attempt.string()};
    append(arguments, tieArguments(place, attempt));
    if (isDirect(plan, run))
        append(arguments, {"--ranks", std::to_string(run.processes())});
    return arguments;
}

std::string joined(const std::vector<std::string>& words)
{
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : ",") + word;
    return text;
}

/// What of mpirun's words is said for ranks and again for servers: "a:2,b:2", each host with how many of them it takes.
Arguments onHosts(int count, const std::vector<std::string>& hosts)
{
    return {"-np", std::to_string(count), "--host", joined(hosts), "-x", "RINGSIDE_ATTEMPT"};
}

/// Transport and placement in memory are left to the site's Open MPI: it knows its network. The worker binds itself.
Arguments spreadMpirunArguments(const RunSpec& run, const AttemptPlace& place)
{
    std::vector<std::string> hosts;
    for (std::size_t i = 0; i < place.hosts.size() && i < static_cast<std::size_t>(run.nodes()); ++i)
        hosts.push_back(fmt::format("{}:{}", place.hosts[i], run.ranksPerNode()));
    Arguments arguments{
        "mpirun", "--map-by", "slot", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"};
    append(arguments, onHosts(run.ranks(), hosts));
    return arguments;
}

/// Their hosts in the order of their ranks: round the ranks' nodes, or one node of their own after the other.
std::vector<std::string> serverHosts(const RunSpec& run, const std::vector<std::string>& hosts)
{
    const int nodes = run.nodes();
    const bool own = run.plan.serverPlacement == ServerPlacement::own;
    std::vector<std::string> places;
    for (int server = 0; server < run.plan.serverRanks(); ++server)
        places.push_back(
            hosts.at(static_cast<std::size_t>(own ? nodes + server / run.ranksPerNode() : server % nodes)));
    return places;
}

/// mpirun's second program: the servers, whose ranks follow those of the first.
Arguments serverArguments(const RunSpec& run, const AttemptPlace& place)
{
    std::vector<std::string> places = serverHosts(run, place.hosts), hosts;
    for (const std::string& host : place.hosts)
        if (const auto count = std::count(places.begin(), places.end(), host); count > 0)
            hosts.push_back(fmt::format("{}:{}", host, count));
    return onHosts(run.plan.serverRanks(), hosts);
}

/// A line for each process.
fs::path hostsFile(const fs::path& attempt)
{
    return attempt / "hosts";
}

/// Said in full, because the job's environment has an opinion on most of it. Why each: agent/README.md, "Slurm".
/// Servers do not follow the ranks' nodes in blocks: then a file says which process runs where.
Arguments srunArguments(const RunSpec& run, const AttemptPlace& place, const fs::path& attempt, bool direct)
{
    const bool served = run.plan.serverRanks() > 0;
    Arguments arguments{"srun", direct ? "--mpi=none" : "--mpi=pmix", fmt::format("--nodes={}", place.hosts.size()),
                        fmt::format("--nodelist={}", served ? hostsFile(attempt).string() : joined(place.hosts)),
                        fmt::format("--ntasks={}", run.processes())};
    if (served)
        append(arguments, {"--distribution=arbitrary"});
    else
        append(arguments, {fmt::format("--ntasks-per-node={}", run.ranksPerNode()), "--distribution=block"});
    append(arguments,
           {"--overlap", "--cpu-bind=none", "--kill-on-bad-exit=0", "--wait=0", "--input=none", "--export=ALL"});
    return arguments;
}

/// The host of each process, in the order of the ranks.
std::vector<std::string> rankHosts(const RunSpec& run, const AttemptPlace& place)
{
    std::vector<std::string> hosts;
    for (int rank = 0; rank < run.ranks(); ++rank)
        hosts.push_back(place.hosts.at(static_cast<std::size_t>(rank / run.ranksPerNode())));
    const std::vector<std::string> servers = serverHosts(run, place.hosts);
    hosts.insert(hosts.end(), servers.begin(), servers.end());
    return hosts;
}

std::string hostsText(const RunSpec& run, const AttemptPlace& place)
{
    std::string text;
    for (const std::string& host : rankHosts(run, place))
        text += host + "\n";
    return text;
}

/// All ranks on this computer. Measured and explained in agent/README.md, "Open MPI".
Arguments mpirunArguments(const RunSpec& run, const AttemptPlace& place)
{
    return {"mpirun",
            "-np",
            std::to_string(run.processes()),
            "--oversubscribe",
            "--bind-to",
            "none",
            "--mca",
            "plm",
            "isolated",
            "--mca",
            "pml",
            "ob1",
            "--mca",
            "btl",
            "self,vader,tcp",
            "--mca",
            "btl_vader_single_copy_mechanism",
            "none",
            "--mca",
            "btl_vader_backing_directory",
            place.sharedMemoryFolder.string(),
            "--mca",
            "mpi_yield_when_idle",
            "1",
            "--mca",
            "odls_base_sigkill_timeout",
            "8"};
}

} // namespace

fs::path controlPipe(const fs::path& temporaryFolder)
{
    return temporaryFolder / "control";
}

std::string launcherOf(const CampaignPlan& plan, const RunSpec& run, const AttemptPlace& place)
{
    if (run.processes() == 1 && place.hosts.empty())
        return {};
    if (isDirect(plan, run))
        return place.hosts.empty() ? "" : plan.hosts.empty() ? "srun" : "ssh";
    return plan.launcher == Launcher::srun && !place.hosts.empty() ? "srun" : "mpirun";
}

namespace {

/// Without MPI: the agent starts a guard a rank here, or itself on each host, which does.
Arguments starterArguments(const RunSpec& run, const SitePaths& paths, const AttemptPlace& place,
                           const fs::path& attempt)
{
    Arguments arguments{paths.agent.string(), "ranks", "--attempt", attempt.string()};
    append(arguments, tieArguments(place, attempt));
    append(arguments, {"--ranks", std::to_string(run.processes())});
    if (!place.hosts.empty())
        for (const std::string& host : rankHosts(run, place))
            append(arguments, {"--host", host});
    return arguments;
}

Arguments launcherArguments(const std::string& launcher, const CampaignPlan& plan, const RunSpec& run,
                            const AttemptPlace& place, const fs::path& attempt)
{
    if (launcher == "srun")
        return srunArguments(run, place, attempt, isDirect(plan, run));
    return place.hosts.empty() ? mpirunArguments(run, place) : spreadMpirunArguments(run, place);
}

/// TMPDIR and the node's folder are of this computer.
std::map<std::string, std::string> environmentOf(const std::string& launcher, const AttemptPlace& place,
                                                 const fs::path& attempt)
{
    std::map<std::string, std::string> environment{{"RINGSIDE_ATTEMPT", attempt.string()}};
    if (place.hosts.empty())
        environment["TMPDIR"] = place.temporaryFolder.string();
    if (place.hosts.empty() && !place.nodeFolder.empty())
        environment[kNodeFolderVariable] = place.nodeFolder.string();
    if (launcher == "srun") {
        environment["OMPI_MCA_mpi_yield_when_idle"] = "1";
        environment["PMIX_MCA_gds"] = "hash";
    }
    if (launcher == "mpirun") {
        environment["OMPI_ALLOW_RUN_AS_ROOT"] = "1"; // both are needed, and only root is asked
        environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1";
    }
    return environment;
}

/// The program that servers run is the same; its rank tells it that it is one.
void addServers(AttemptCommand& command, const CampaignPlan& plan, const RunSpec& run, const SitePaths& paths,
                const AttemptPlace& place)
{
    const fs::path attempt = layout::attemptFolder(paths.root, run.id, place.number);
    if (launcherOf(plan, run, place) == "srun") {
        command.hostsFile = hostsFile(attempt);
        command.hostsText = hostsText(run, place);
        return;
    }
    append(command.arguments, {":"});
    append(command.arguments, serverArguments(run, place));
    append(command.arguments, guardArguments(plan, run, paths, place));
    append(command.arguments, {"--"});
    append(command.arguments, workerArguments(plan, run, paths, attempt));
}

} // namespace

AttemptCommand attemptCommand(const CampaignPlan& plan, const RunSpec& run, const SitePaths& paths,
                              const AttemptPlace& place)
{
    const fs::path attempt = layout::attemptFolder(paths.root, run.id, place.number);
    const std::string launcher = launcherOf(plan, run, place);
    const bool agentStarts = isDirect(plan, run) && launcher != "srun";
    AttemptCommand command;
    command.environment = environmentOf(launcher, place, attempt);
    if (agentStarts)
        append(command.arguments, starterArguments(run, paths, place, attempt));
    else if (!launcher.empty())
        append(command.arguments, launcherArguments(launcher, plan, run, place, attempt));
    if (!agentStarts)
        append(command.arguments, guardArguments(plan, run, paths, place));
    if (!agentStarts && launcher.empty())
        append(command.arguments, {"--rank", "0"});
    append(command.arguments, {"--"});
    append(command.arguments, workerArguments(plan, run, paths, attempt));
    if (run.plan.serverRanks() > 0 && !place.hosts.empty() && !agentStarts)
        addServers(command, plan, run, paths, place);
    return command;
}

} // namespace ringside::jobs
