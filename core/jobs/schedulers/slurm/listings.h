// SPDX-License-Identifier: MIT
// squeue, sacct, sinfo and scontrol: the commands, and what they answer, which is read without harm whatever it is.
#pragma once

#include "core/jobs/attempt.h"
#include "core/jobs/jobreport.h"
#include "core/jobs/partition.h"

#include <string>
#include <string_view>
#include <vector>

namespace ringside::slurm {

/// Up to ten digits: no part of an array or of a heterogeneous job.
bool isIdOfJob(std::string_view text);

/// All jobs of a user, those included that ended within MinJobAge.
jobs::Command squeueCommand(unsigned userId);
jobs::Command squeueCommand(const std::string& job);
/// Slurm writes times as this machine's clock shows them.
std::vector<jobs::JobReport> readSqueue(std::string_view text);
/// Then the job ended longer than MinJobAge ago, or never was.
bool saysInvalidJob(std::string_view errors);

/// Only where accounting is on.
jobs::Command sacctCommand(const std::vector<std::string>& jobs);
std::vector<jobs::JobReport> readSacct(std::string_view text);

/// Reads what "scontrol show config" answers; empty without a name in it.
std::string readClusterName(std::string_view text);

jobs::Command sinfoCommand();
/// In the order of the answer. Lines that are none of sinfo's are left out.
std::vector<jobs::Partition> readSinfo(std::string_view text);

} // namespace ringside::slurm
