// SPDX-License-Identifier: MIT
// People's choices about the job of a campaign, and a site's environment of its programs. The scheduler decides what
// is allowed in each field (core/jobs/scheduler.h).
#pragma once

#include <map>
#include <string>
#include <vector>

namespace ringside::jobs {

struct JobSettings
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
    std::string constraint; ///< features of nodes: "skylake|cascadelake"
    std::string memory;     ///< per node: "16G"; empty: the partition's default; "0": all of it
    std::vector<std::string>
        extraLines; ///< further options in the scheduler's own words, one each: "--reservation=course"
    bool operator==(const JobSettings&) const = default;
};

struct SettingProblem
{
    std::string field;   ///< as in experiment files and forms: "partition", "extra_lines"
    std::string message; ///< what is wrong and what is allowed
    std::string text() const { return field + ": " + message; }
    bool operator==(const SettingProblem&) const = default;
};

/// The environment that a site's programs need. All of it is data: names and paths, no shell text.
struct Surroundings
{
    std::vector<std::string> modules;             ///< for `module load`, in this order
    std::vector<std::string> sourcedFiles;        ///< sh scripts, absolute paths
    std::map<std::string, std::string> variables; ///< names of letters, digits and underscores
    bool operator==(const Surroundings&) const = default;
};

} // namespace ringside::jobs
