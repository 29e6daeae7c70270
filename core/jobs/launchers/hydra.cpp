// SPDX-License-Identifier: MIT
// mpirun of MPICH, and of Intel MPI, whose process manager is a descendant of MPICH's Hydra.
#include "core/jobs/launcher.h"

#include "core/base/words.h"

#include <fmt/format.h>

namespace ringside::jobs {

namespace {

/// "a:2\nb:2\na:1\n": processes are dealt line by line, so that servers follow the ranks although they share nodes.
std::string hostsText(const std::vector<std::string>& hosts)
{
    std::string text;
    for (std::size_t begin = 0, end = 0; begin < hosts.size(); begin = end) {
        while (end < hosts.size() && hosts[end] == hosts[begin])
            ++end;
        text += fmt::format("{}:{}\n", hosts[begin], end - begin);
    }
    return text;
}

/// Passes its whole environment on. Asks for the number of processes in one place, whatever they are. Kills what it has
/// started as soon as one of them aborts, so that guards have to stay out of its reach.
class Hydra : public Launcher
{
public:
    std::string program(const Processes&) const override { return "mpirun"; }
    RankVariables variables() const override { return {"PMI_RANK", "MPI_LOCALRANKID"}; }
    std::string_view pmi() const override { return "pmi2"; }
    std::optional<int> codeOfUnreachedHosts() const override { return kSshFailed; }

    AttemptCommand command(const Processes& processes) const override
    {
        AttemptCommand command;
        command.arguments = {"mpirun"};
        if (!processes.areHere()) {
            command.hostsFile = processes.hostsFile();
            command.hostsText = hostsText(processes.hosts());
            append(command.arguments, {"-f", command.hostsFile.string()});
        }
        append(command.arguments, {"-n", std::to_string(processes.run.processes())});
        addOwn(command, processes);
        append(command.arguments, {processes.paths.agent.string(), "apart", "--"});
        append(command.arguments, processes.guarded());
        return command;
    }

private:
    /// Adds the options to bind nothing, and those for waiting.
    virtual void addOwn(AttemptCommand& command, const Processes& processes) const = 0;
};

class Mpich final : public Hydra
{
public:
    std::string_view name() const override { return "mpich"; }
    std::string_view title() const override { return "MPICH"; }
    std::string advice() const override { return Words::tr("Install MPICH (Debian: mpich), or use one rank."); }
    bool isOf(std::string_view version) const override { return version.starts_with("HYDRA build details"); }

private:
    /// A rank that waits for a core holds up all others, which spin unless they are set to sleep after so many looks
    /// in vain: 4 ranks on 2 cores then need 0.1 s in place of 1.5 for two all-reduces. With a core for each, sleeping
    /// costs.
    void addOwn(AttemptCommand& command, const Processes& processes) const override
    {
        append(command.arguments, {"-bind-to", "none"});
        if (processes.outnumberCores())
            command.environment = {{"MPIR_CVAR_CH4_PROGRESS_THROTTLE", "1"},
                                   {"MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT", "30"},
                                   {"MPIR_CVAR_ENABLE_HEAVY_YIELD", "1"}};
    }
};

class IntelMpi final : public Hydra
{
public:
    std::string_view name() const override { return "intelmpi"; }
    std::string_view title() const override { return "Intel MPI"; }
    std::string advice() const override { return Words::tr("Load the module of Intel MPI, or use one rank."); }
    bool isOf(std::string_view version) const override
    {
        return version.find("Intel(R) MPI Library") != std::string_view::npos;
    }

private:
    void addOwn(AttemptCommand& command, const Processes&) const override { command.environment["I_MPI_PIN"] = "off"; }
};

constinit const Mpich mpich;
constinit const IntelMpi intelMpi;

} // namespace

const Launcher& kMpich = mpich;
const Launcher& kIntelMpi = intelMpi;

} // namespace ringside::jobs
