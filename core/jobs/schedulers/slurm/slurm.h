// SPDX-License-Identifier: MIT
// Slurm 20.11 and later. core/jobs/scheduler.h says what each of these means, and the other headers of this folder,
// divided by the program of Slurm's that they speak to, what is particular to Slurm. Whatever such a program answers,
// it is read without harm.
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
    std::span<const jobs::Launcher* const> launchers() const override;

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
    bool isJobId(std::string_view text) const override;

    Command queueCommand(unsigned userId) const override;
    Command queueCommand(const std::string& job) const override;
    std::vector<jobs::JobReport> parseQueue(std::string_view text) const override;
    bool saysUnknownJob(std::string_view errors) const override;
    Command accountingCommand(const std::vector<std::string>& jobs) const override;
    std::vector<jobs::JobReport> parseAccounting(std::string_view text) const override;
    std::string pendingSentence(std::string_view word) const override;

    Command clusterCommand() const override { return {"scontrol", "show", "config"}; }
    std::string parseCluster(std::string_view text) const override;

    Command versionCommand() const override { return {"sinfo", "--version"}; }
    Command partitionsCommand() const override;
    std::vector<jobs::Partition> parsePartitions(std::string_view text) const override;
    std::vector<std::string> whereOptions(const jobs::JobSettings& settings) const override;
    Command onOneNodeCommand(const std::vector<std::string>& options, const Command& program) const override;
    /// "srun: error: n1: task 0: Exited with exit code 2"
    bool tellsOnlyTheCode(std::string_view line) const override;
    Result<std::vector<std::string>> expandHosts(std::string_view text) const override;
};

extern const Slurm kSlurm;

} // namespace ringside::slurm
