// SPDX-License-Identifier: MIT
// sbatch, scancel and srun for a probe: the commands, and the id that sbatch answers.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"

#include <string>
#include <string_view>
#include <vector>

namespace ringside::slurm {

std::vector<std::string> submitCommand(const fs::path& script);
std::vector<std::string> cancelCommand(const std::string& job);

/// Runs `program` once on one node that `options` (whereOptions) allow, when there is one.
std::vector<std::string> onOneNodeCommand(const std::vector<std::string>& options,
                                          const std::vector<std::string>& program);

/// sbatch --parsable writes "id" or "id;cluster", perhaps after a site's own lines. Fails with damaged for anything
/// else.
Result<std::string> parseSubmitted(std::string_view output);

/// Variables of the environment that change what sbatch and srun do, whatever the script says: not passed on to them.
bool overridesScript(std::string_view variableName);

} // namespace ringside::slurm
