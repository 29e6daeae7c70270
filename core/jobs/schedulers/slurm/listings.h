// SPDX-License-Identifier: MIT
// squeue, sacct and sinfo: the commands, and what they answer. Text in, values out; whatever the text, it is read
// without harm. Pure.
#pragma once

#include "core/jobs/jobreport.h"
#include "core/jobs/partition.h"

namespace ringside::slurm {

/// Up to ten digits: the id of a job that is no part of an array or of a heterogeneous job.
bool isJobId(std::string_view text);

/// All jobs of a user in one question, those included that ended within MinJobAge.
std::vector<std::string> queueCommand(unsigned userId);
/// One job.
std::vector<std::string> queueCommand(const std::string& job);
/// Jobs that the queue has forgotten; only where accounting is on.
std::vector<std::string> accountingCommand(const std::vector<std::string>& jobs);

/// Their answers. Records that are no report of a job are left out. Slurm writes times as this machine's clock shows
/// them.
std::vector<jobs::JobReport> parseQueue(std::string_view text);
std::vector<jobs::JobReport> parseAccounting(std::string_view text);

/// squeue's word for "the queue does not know that job": then it ended longer than MinJobAge ago, or never was.
bool saysUnknownJob(std::string_view errorText);

std::vector<std::string> partitionsCommand();
/// In the order of the answer. Lines that are none of sinfo's are left out.
std::vector<jobs::Partition> parsePartitions(std::string_view text);

} // namespace ringside::slurm
