// SPDX-License-Identifier: MIT
#include "core/jobs/schedulers/slurm/srun.h"

#include "core/base/words.h"
#include "core/jobs/schedulers/slurm/environment.h"

#include <fmt/ranges.h>

namespace ringside::slurm {

namespace {

using jobs::append;
using jobs::AttemptCommand;
using jobs::Command;
using jobs::joined;
using jobs::Processes;

class Srun final : public jobs::Launcher
{
public:
    Srun(std::string_view name, std::string_view title, std::string_view pmi)
        : m_name(name)
        , m_title(title)
        , m_pmi(pmi)
    {
    }

    std::string_view name() const override { return m_name; }
    std::string_view title() const override { return m_title; }
    std::string_view pmi() const override { return m_pmi; }
    std::string program(const Processes&) const override { return "srun"; }
    std::string advice() const override { return Words::tr("Choose mpirun as the site's launcher."); }
    jobs::RankVariables variables() const override
    {
        const jobs::JobVariables& ofJob = jobVariables();
        return {ofJob.process, ofJob.localProcess};
    }
    bool needsJob() const override { return true; }
    bool endsIncompleteStarts() const override { return true; }

    /// Said in full, because the job's environment has an opinion on most of it. Why each: agent/README.md, "Slurm".
    /// Other roles do not follow the ranks' nodes in blocks: then a file says which process runs where.
    AttemptCommand command(const Processes& processes) const override
    {
        AttemptCommand command;
        if (processes.haveOtherRoles()) {
            command.hostsFile = processes.hostsFile();
            command.hostsText = fmt::format("{}\n", fmt::join(processes.hosts(), "\n"));
        }
        command.arguments = {"srun", fmt::format("--mpi={}", m_pmi)};
        append(command.arguments, placement(processes));
        append(command.arguments,
               {"--overlap", "--cpu-bind=none", "--kill-on-bad-exit=0", "--wait=0", "--input=none", "--export=ALL"});
        append(command.arguments, processes.guarded(m_pmi == "none"));
        command.environment = {{"PMIX_MCA_gds", "hash"}};
        if (processes.shareCores())
            command.environment["OMPI_MCA_mpi_yield_when_idle"] = "1";
        return command;
    }

private:
    static Command placement(const Processes& processes)
    {
        const bool byFile = processes.haveOtherRoles();
        const std::vector<std::string>& hosts = processes.place.hosts;
        Command words{fmt::format("--nodes={}", hosts.size()),
                      fmt::format("--nodelist={}", byFile ? processes.hostsFile().string() : joined(hosts)),
                      fmt::format("--ntasks={}", processes.run.processes())};
        if (byFile)
            append(words, {"--distribution=arbitrary"});
        else
            append(words,
                   {fmt::format("--ntasks-per-node={}", processes.run.rankProcessesPerNode()), "--distribution=block"});
        append(words, {fmt::format("--cpus-per-task={}", processes.coresOfEach()), "--mem=0"});
        return words;
    }

    std::string_view m_name, m_title, m_pmi;
};

} // namespace

std::span<const jobs::Launcher* const> srunLaunchers()
{
    static const Srun pmix("srun", "srun", "pmix"), pmi2("srun-pmi2", "srun (PMI-2)", "pmi2"),
        cray("srun-cray", "srun (Cray)", "cray_shasta"), none("srun-none", "srun (without MPI)", "none");
    static const jobs::Launcher* const all[] = {&pmix, &pmi2, &cray, &none};
    return all;
}

} // namespace ringside::slurm
