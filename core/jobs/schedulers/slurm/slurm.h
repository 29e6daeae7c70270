// SPDX-License-Identifier: MIT
// Slurm 20.11 and later. core/jobs/scheduler.h says what each of these means; the files of this folder are divided by
// the program of Slurm's that they speak to. Whatever such a program answers, it is read without harm.
#pragma once

#include "core/jobs/scheduler.h"

namespace ringside::slurm {

using jobs::Command;

class Slurm final : public jobs::Scheduler
{
public:
    std::string_view name() const override { return "slurm"; }
    std::string_view title() const override { return "Slurm"; }
    const jobs::JobVariables& variables() const override;
    std::string_view launcher() const override { return "srun"; }
    std::string_view launcherWithoutMpi() const override { return "srun-none"; }
    /// srun, by each kind of PMI and without one.
    std::span<const jobs::Launcher* const> launchers() const override;

    /// The limits of the cluster itself are not known here.
    std::vector<jobs::SettingProblem> problemsOf(const jobs::JobSettings& settings) const override;
    Result<std::string> script(const CampaignPlan& plan, const jobs::SitePaths& paths,
                               const jobs::JobSettings& settings,
                               const jobs::Surroundings& surroundings) const override;
    Command submitCommand(const fs::path& script) const override { return {"sbatch", "--parsable", script.string()}; }
    /// sbatch --parsable writes "id" or "id;cluster", perhaps after a site's own lines.
    Result<std::string> parseSubmitted(std::string_view output) const override;
    Error refusal(std::string_view sbatchErrors) const override;
    bool overridesScript(std::string_view variableName) const override;
    Command cancelCommand(const std::string& job) const override { return {"scancel", job}; }
    /// Up to ten digits: no part of an array or of a heterogeneous job.
    bool isJobId(std::string_view text) const override;

    /// Those included that ended within MinJobAge.
    Command queueCommand(unsigned userId) const override;
    Command queueCommand(const std::string& job) const override;
    /// Slurm writes times as this machine's clock shows them.
    std::vector<jobs::JobReport> parseQueue(std::string_view text) const override;
    /// Then it ended longer than MinJobAge ago, or never was.
    bool saysUnknownJob(std::string_view errors) const override;
    /// Only where accounting is on.
    Command accountingCommand(const std::vector<std::string>& jobs) const override;
    std::vector<jobs::JobReport> parseAccounting(std::string_view text) const override;
    std::string pendingSentence(std::string_view word) const override;

    Command versionCommand() const override { return {"sinfo", "--version"}; }
    Command partitionsCommand() const override;
    /// In the order of the answer. Lines that are none of sinfo's are left out.
    std::vector<jobs::Partition> parsePartitions(std::string_view text) const override;
    std::vector<std::string> whereOptions(const jobs::JobSettings& settings) const override;
    Command onOneNodeCommand(const std::vector<std::string>& options, const Command& program) const override;
    /// "srun: error: n1: task 0: Exited with exit code 2"
    bool tellsOnlyTheCode(std::string_view line) const override;
    /// "n[1-3,07],login" -> n1 n2 n3 n07 login. Fails for more than 100,000 hosts, too.
    Result<std::vector<std::string>> expandHosts(std::string_view text) const override;
};

extern const Slurm kSlurm;

} // namespace ringside::slurm
