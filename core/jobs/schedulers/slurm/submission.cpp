// SPDX-License-Identifier: MIT
#include "core/jobs/schedulers/slurm/submission.h"

#include "core/base/text.h"
#include "core/jobs/schedulers/slurm/listings.h"

namespace ringside::slurm {

std::vector<std::string> submitCommand(const fs::path& script)
{
    return {"sbatch", "--parsable", script.string()};
}

std::vector<std::string> cancelCommand(const std::string& job)
{
    return {"scancel", job};
}

std::vector<std::string> onOneNodeCommand(const std::vector<std::string>& options,
                                          const std::vector<std::string>& program)
{
    std::vector<std::string> command{
        "srun", "--job-name=ringside-probe", "--nodes=1", "--ntasks=1", "--time=2", "--quiet", "--input=none"};
    command.insert(command.end(), options.begin(), options.end());
    command.insert(command.end(), program.begin(), program.end());
    return command;
}

Result<std::string> parseSubmitted(std::string_view output)
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

bool overridesScript(std::string_view name)
{
    if (name == "SLURM_CONF" || name == "SLURM_CONF_SERVER")
        return false;
    return name.starts_with("SBATCH_") || name.starts_with("SLURM_");
}

} // namespace ringside::slurm
