// SPDX-License-Identifier: MIT
// mpirun of Open MPI 4 (ORTE), and of 5 and later (PRRTE), whose words differ.
#include "core/base/rankvariables.h"
#include "core/jobs/launcher.h"

#include "core/base/words.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace ringside::jobs {

namespace {

/// "mpirun (Open MPI) 4.1.4" is 4; 0 for what is not Open MPI's.
int majorVersion(std::string_view version)
{
    constexpr std::string_view kName = "(Open MPI) ";
    const auto at = version.find(kName);
    int major = 0;
    if (at != std::string_view::npos)
        std::from_chars(version.data() + at + kName.size(), version.data() + version.size(), major);
    return major;
}

/// Options for ranks and again for servers: "a:2,b:2", each host with how many of them run there.
Command onHosts(int count, const std::vector<std::string>& hosts)
{
    return {"-np", std::to_string(count), "--host", joined(hosts), "-x", kAttemptVariable};
}

Command ranksOnHosts(const Processes& processes)
{
    const RunSpec& run = processes.run;
    std::vector<std::string> hosts;
    for (std::size_t i = 0; i < processes.place.hosts.size() && i < static_cast<std::size_t>(run.nodes()); ++i)
        hosts.push_back(fmt::format("{}:{}", processes.place.hosts[i], run.rankProcessesPerNode()));
    return onHosts(run.rankProcesses(), hosts);
}

/// Starts those of other roles as a second program, whose ranks follow those of the first. It is the same; a process
/// finds its role by its rank.
Command otherRolesOnHosts(const Processes& processes)
{
    const std::vector<std::string> places = processes.hostsOfOtherRoles();
    std::vector<std::string> hosts;
    for (const std::string& host : processes.place.hosts)
        if (const auto count = std::count(places.begin(), places.end(), host); count > 0)
            hosts.push_back(fmt::format("{}:{}", host, count));
    return onHosts(static_cast<int>(places.size()), hosts);
}

/// Both generations. Transport and placement in memory are left to the site's Open MPI where several hosts are used: it
/// knows its network. The worker binds itself.
class OpenMpi : public Launcher
{
public:
    std::string program(const Processes&) const override { return "mpirun"; }
    std::string advice() const override
    {
        return Words::tr("Install Open MPI (Debian: openmpi-bin), or use one rank.");
    }
    RankVariables variables() const override { return {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"}; }
    std::optional<int> codeOfUnreachedHosts() const override { return kSshFailed; }

    AttemptCommand command(const Processes& processes) const override
    {
        AttemptCommand command;
        command.arguments = {"mpirun"};
        if (processes.areHere())
            append(command.arguments, {"-np", std::to_string(processes.run.processes())});
        append(command.arguments, processes.areHere() ? here(processes) : spread());
        if (processes.shareCores())
            append(command.arguments, {"--mca", "mpi_yield_when_idle", "1"});
        if (!processes.areHere())
            append(command.arguments, ranksOnHosts(processes));
        append(command.arguments, processes.guarded());
        if (!processes.areHere() && processes.haveOtherRoles()) {
            append(command.arguments, {":"});
            append(command.arguments, otherRolesOnHosts(processes));
            append(command.arguments, processes.guarded());
        }
        command.environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, // both are needed, and only root is asked
                               {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
        return command;
    }

private:
    /// All on this computer. Measured and explained in agent/README.md, "Open MPI".
    virtual Command here(const Processes& processes) const = 0;
    virtual Command spread() const = 0;
};

class OpenMpi4 final : public OpenMpi
{
public:
    std::string_view name() const override { return "openmpi"; }
    std::string_view title() const override { return "Open MPI 4"; }
    bool isOf(std::string_view version) const override
    {
        const int major = majorVersion(version);
        return major > 0 && major < 5;
    }
    std::string_view sharedMemoryVariable() const override { return "OMPI_MCA_btl_vader_backing_directory"; }

private:
    Command here(const Processes& processes) const override
    {
        Command words = wordsOf("--oversubscribe --bind-to none --mca plm isolated --mca pml ob1 "
                                "--mca btl self,vader,tcp --mca btl_vader_single_copy_mechanism none "
                                "--mca odls_base_sigkill_timeout 8 --mca btl_vader_backing_directory");
        words.push_back(processes.place.sharedMemoryFolder.string());
        return words;
    }
    Command spread() const override { return {"--map-by", "slot", "--oversubscribe", "--bind-to", "none"}; }
};

class OpenMpi5 final : public OpenMpi
{
public:
    std::string_view name() const override { return "openmpi5"; }
    std::string_view title() const override { return "Open MPI 5"; }
    bool isOf(std::string_view version) const override { return majorVersion(version) >= 5; }
    std::string_view sharedMemoryVariable() const override { return "OMPI_MCA_btl_sm_backing_directory"; }

private:
    Command here(const Processes& processes) const override
    {
        Command words = wordsOf("--map-by slot:OVERSUBSCRIBE --bind-to none --mca pml ob1 --mca btl self,sm,tcp "
                                "--mca smsc ^cma,knem,xpmem --mca btl_sm_backing_directory");
        words.push_back(processes.place.sharedMemoryFolder.string());
        return words;
    }
    Command spread() const override { return {"--map-by", "slot:OVERSUBSCRIBE", "--bind-to", "none"}; }
};

constinit const OpenMpi4 openMpi4;
constinit const OpenMpi5 openMpi5;

} // namespace

const Launcher& kOpenMpi4 = openMpi4;
const Launcher& kOpenMpi5 = openMpi5;

} // namespace ringside::jobs
