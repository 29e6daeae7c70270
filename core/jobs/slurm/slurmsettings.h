// SPDX-License-Identifier: MIT
// What people choose about a Slurm job, and what may stand in each field. Pure.
#pragma once

#include <string>
#include <vector>

namespace ringside::slurm {

struct SlurmSettings
{
    std::string partition; ///< empty: the cluster's default; several, separated by commas: whichever starts first
    std::string account;   ///< empty: the user's default
    std::string qos;       ///< empty: the default of account or partition
    int timeLimitSeconds = 3600;
    int nodes = 1;
    int ranksPerNode = 1;
    int coresPerRank = 1;
    int gpusPerNode = 0;
    std::string gpuType; ///< empty: any; needs gpusPerNode
    bool exclusive = false;
    std::string constraint;              ///< features of nodes: "skylake|cascadelake"
    std::string memory;                  ///< per node: "16G"; empty: the partition's default; "0": all of it
    std::vector<std::string> extraLines; ///< further options as #SBATCH takes them, one each: "--reservation=course"
    bool operator==(const SlurmSettings&) const = default;
};

struct SettingProblem
{
    std::string field;   ///< as in experiment files and forms: "partition", "extra_lines"
    std::string message; ///< what is wrong and what may stand there
    bool operator==(const SettingProblem&) const = default;
};

/// Empty if a script can be made of them. What the cluster itself allows is not known here.
std::vector<SettingProblem> problemsOf(const SlurmSettings& settings);

} // namespace ringside::slurm
