// SPDX-License-Identifier: MIT
#include "core/jobs/schedulers/slurm/slurm.h"

#include "core/base/text.h"
#include "core/jobs/schedulers/slurm/batchscript.h"
#include "core/jobs/schedulers/slurm/environment.h"
#include "core/jobs/schedulers/slurm/hostlist.h"
#include "core/jobs/schedulers/slurm/listings.h"
#include "core/jobs/schedulers/slurm/sentences.h"
#include "core/jobs/schedulers/slurm/settings.h"
#include "core/jobs/schedulers/slurm/srun.h"

namespace ringside::slurm {

constinit const Slurm kSlurm;

const jobs::JobVariables& Slurm::variables() const
{
    return jobVariables();
}

std::span<const jobs::Launcher* const> Slurm::launchers() const
{
    return srunLaunchers();
}

std::vector<jobs::SettingProblem> Slurm::problemsOf(const jobs::JobSettings& settings) const
{
    return settingProblems(settings);
}

Result<std::string> Slurm::script(const CampaignPlan& plan, const jobs::SitePaths& paths,
                                  const jobs::JobSettings& settings, const jobs::Surroundings& surroundings) const
{
    return batchScript(plan, paths, settings, surroundings);
}

Result<std::string> Slurm::parseSubmitted(std::string_view output) const
{
    std::string_view rest = output;
    while (!rest.empty() && rest.back() == '\n')
        rest.remove_suffix(1);
    const auto newline = rest.find_last_of('\n');
    const std::string_view line = newline == std::string_view::npos ? rest : rest.substr(newline + 1);
    const std::string_view id = line.substr(0, line.find(';'));
    if (!isJobId(id))
        return fail(ErrorCode::damaged,
                    fmt::format("sbatch answered “{}”, which is no job id.", plainText(line.substr(0, 200))));
    return std::string(id);
}

Error Slurm::refusal(std::string_view sbatchErrors) const
{
    return errorOfRefusal(sbatchErrors);
}

bool Slurm::overridesScript(std::string_view variableName) const
{
    return changesSubmission(variableName);
}

bool Slurm::isJobId(std::string_view text) const
{
    return isIdOfJob(text);
}

Command Slurm::queueCommand(unsigned userId) const
{
    return squeueCommand(userId);
}

Command Slurm::queueCommand(const std::string& job) const
{
    return squeueCommand(job);
}

std::vector<jobs::JobReport> Slurm::parseQueue(std::string_view text) const
{
    return readSqueue(text);
}

bool Slurm::saysUnknownJob(std::string_view errors) const
{
    return saysInvalidJob(errors);
}

Command Slurm::accountingCommand(const std::vector<std::string>& jobs) const
{
    return sacctCommand(jobs);
}

std::vector<jobs::JobReport> Slurm::parseAccounting(std::string_view text) const
{
    return readSacct(text);
}

std::string Slurm::pendingSentence(std::string_view word) const
{
    return waitSentence(word);
}

std::string Slurm::parseCluster(std::string_view text) const
{
    return readClusterName(text);
}

Command Slurm::partitionsCommand() const
{
    return sinfoCommand();
}

std::vector<jobs::Partition> Slurm::parsePartitions(std::string_view text) const
{
    return readSinfo(text);
}

std::vector<std::string> Slurm::whereOptions(const jobs::JobSettings& settings) const
{
    return nodeOptions(settings);
}

Command Slurm::onOneNodeCommand(const std::vector<std::string>& options, const Command& program) const
{
    Command command{"srun",        "--job-name=ringside-probe", "--nodes=1", "--ntasks=1", "--time=2", "--quiet",
                    "--input=none"};
    command.insert(command.end(), options.begin(), options.end());
    command.insert(command.end(), program.begin(), program.end());
    return command;
}

bool Slurm::tellsOnlyTheCode(std::string_view line) const
{
    return line.starts_with("srun: ") && line.find(": Exited with exit code ") != std::string_view::npos;
}

Result<std::vector<std::string>> Slurm::expandHosts(std::string_view text) const
{
    return hostsOf(text);
}

} // namespace ringside::slurm
