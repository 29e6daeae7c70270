// SPDX-License-Identifier: MIT
// sbatch: the command, and the id that it answers.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"

#include <string>
#include <string_view>
#include <vector>

namespace ringside::slurm {

/// What starts a campaign's job, as messages and the campaign's folder name it: Ringside submits the script …
inline constexpr std::string_view kScheduler = "slurm";
/// … or a person does, by hand.
inline constexpr std::string_view kSchedulerByHand = "slurm_by_hand";

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
