// SPDX-License-Identifier: MIT
// The processes of one attempt, as a launcher has to start them: ranks, then those of other roles. Pure.
#pragma once

#include "core/jobs/attempt.h"

#include <string>
#include <vector>

namespace ringside::jobs {

void append(Command& to, const Command& more);
/// The words of a line of ours, in which none holds a space.
Command wordsOf(const std::string& line);
/// "a,b".
std::string joined(const std::vector<std::string>& words);

class Program;

struct Processes
{
    const CampaignPlan& plan;
    const RunSpec& run;
    const SitePaths& paths;
    const AttemptPlace& place;
    const Program& program;

    bool areHere() const { return place.hosts.empty(); } ///< on this computer
    bool haveOtherRoles() const { return !run.roles.empty(); }
    /// Returns whether a thread that waits has to leave its core to others. A rank that computes on a CPU has as many
    /// threads as cores, and another one that communicates. Ranks with GPUs have cores to spare if there are enough for
    /// all of them.
    bool shareCores() const;
    /// Cores that each process gets.
    int coresOfEach() const;
    /// Returns whether a node has fewer cores than its processes demand.
    bool outnumberCores() const;
    fs::path attempt() const;
    /// For a launcher that reads from a file which process runs where.
    fs::path hostsFile() const { return attempt() / "hosts"; }

    /// Returns the command of each process: its program below a guard (`ringside-agent rank`), which reads its rank
    /// from the launcher's variables. Where they meet by TCP, the guard passes that on to the program.
    Command guarded(bool meetByTcp = false) const;
    /// Options by which a guard notices the runner's death.
    Command tie() const;

    /// The host of each, in the order of the ranks; empty where they are here.
    std::vector<std::string> hosts() const;
    /// The same for those that are no ranks.
    std::vector<std::string> hostsOfOtherRoles() const;
};

} // namespace ringside::jobs
