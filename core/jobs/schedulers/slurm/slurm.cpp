// SPDX-License-Identifier: MIT
#include "core/jobs/schedulers/slurm/slurm.h"

#include "core/jobs/schedulers/slurm/batchscript.h"
#include "core/jobs/schedulers/slurm/hostlist.h"
#include "core/jobs/schedulers/slurm/listings.h"
#include "core/jobs/schedulers/slurm/settings.h"
#include "core/jobs/schedulers/slurm/submission.h"
#include "core/jobs/schedulers/slurm/words.h"

namespace ringside::slurm {

namespace {

using jobs::Command;
using jobs::JobReport;
using jobs::JobSettings;

constexpr jobs::JobVariables kVariables = {.job = "SLURM_JOB_ID",
                                           .hosts = "SLURM_JOB_NODELIST",
                                           .host = "SLURMD_NODENAME",
                                           .restarts = "SLURM_RESTART_COUNT",
                                           .cluster = "SLURM_CLUSTER_NAME",
                                           .scratchFolder = "SLURM_TMPDIR",
                                           .prefix = "SLURM_"};

class Slurm final : public jobs::Scheduler
{
public:
    std::string_view name() const override { return "slurm"; }
    std::string_view title() const override { return "Slurm"; }
    const jobs::JobVariables& variables() const override { return kVariables; }
    std::string_view launcher() const override { return "srun"; }
    std::string_view launcherWithoutMpi() const override { return "srun-none"; }

    std::vector<jobs::SettingProblem> problemsOf(const JobSettings& settings) const override
    {
        return slurm::problemsOf(settings);
    }
    Result<std::string> script(const CampaignPlan& plan, const jobs::SitePaths& paths, const JobSettings& settings,
                               const jobs::Surroundings& surroundings) const override
    {
        return batchScript(plan, paths, settings, surroundings);
    }
    Command submitCommand(const fs::path& script) const override { return slurm::submitCommand(script); }
    Result<std::string> parseSubmitted(std::string_view output) const override { return slurm::parseSubmitted(output); }
    Error refusal(std::string_view errors) const override { return slurm::refusal(errors); }
    bool overridesScript(std::string_view variable) const override { return slurm::overridesScript(variable); }
    Command cancelCommand(const std::string& job) const override { return slurm::cancelCommand(job); }
    bool isJobId(std::string_view text) const override { return slurm::isJobId(text); }

    Command queueCommand(unsigned userId) const override { return slurm::queueCommand(userId); }
    Command queueCommand(const std::string& job) const override { return slurm::queueCommand(job); }
    std::vector<JobReport> parseQueue(std::string_view text) const override { return slurm::parseQueue(text); }
    bool saysUnknownJob(std::string_view errors) const override { return slurm::saysUnknownJob(errors); }
    Command accountingCommand(const std::vector<std::string>& jobs) const override
    {
        return slurm::accountingCommand(jobs);
    }
    std::vector<JobReport> parseAccounting(std::string_view text) const override
    {
        return slurm::parseAccounting(text);
    }
    std::string pendingSentence(std::string_view word) const override { return slurm::pendingSentence(word); }

    Command versionCommand() const override { return {"sinfo", "--version"}; }
    Command partitionsCommand() const override { return slurm::partitionsCommand(); }
    std::vector<jobs::Partition> parsePartitions(std::string_view text) const override
    {
        return slurm::parsePartitions(text);
    }
    std::vector<std::string> whereOptions(const JobSettings& settings) const override
    {
        return slurm::whereOptions(settings);
    }
    Command onOneNodeCommand(const std::vector<std::string>& options, const Command& program) const override
    {
        return slurm::onOneNodeCommand(options, program);
    }
    Result<std::vector<std::string>> expandHosts(std::string_view text) const override { return expandHostList(text); }
};

} // namespace

const jobs::Scheduler& scheduler()
{
    static const Slurm slurm;
    return slurm;
}

} // namespace ringside::slurm
