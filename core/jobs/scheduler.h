// SPDX-License-Identifier: MIT
// Allots a cluster's nodes. Each scheduler is one dialect of commands, answers and names; the table of all is in
// core/jobs/schedulers. Pure: words in, values out; the caller starts the commands.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/jobs/attempt.h"
#include "core/jobs/jobreport.h"
#include "core/jobs/jobsettings.h"
#include "core/jobs/partition.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::jobs {

/// The variables by which a process learns of its job; "" where the scheduler has none such.
struct JobVariables
{
    const char* job; ///< its id
    /// Lists its nodes, as expandHosts() reads them. A scheduler that writes them only to a file (PBS_NODEFILE) exports
    /// them in its script.
    const char* hosts;
    const char* host;          ///< this node, as the scheduler calls it
    const char* restarts;      ///< how often the job was put back into the queue
    const char* cluster;       ///< whose scheduler it is
    const char* scratchFolder; ///< of this job, on a disk of the node
    const char* prefix;        ///< of all of them: what an attempt ran under is recorded
    /// Variables that its own launcher sets for each process: its place among all and on its node, the node's place;
    /// how many processes, processes of a node and nodes there are. A job's script has them of the job as a whole.
    const char *process, *localProcess, *node;
    std::span<const char*const> processCounts, countsOnNode, nodeCounts;
};

class Launcher;

class Scheduler
{
public:
    virtual ~Scheduler() = default;

    /// In the files of sites, in probes and in the folders of campaigns.
    virtual std::string_view name() const = 0;
    /// For people.
    virtual std::string_view title() const = 0;
    virtual const JobVariables& variables() const = 0;
    /// Returns the launcher of the ranks below it (core/jobs/launchers), unless the site says otherwise.
    virtual std::string_view launcher() const = 0;
    /// The same without MPI: the nodes of a job need not let us in by ssh.
    virtual std::string_view launcherWithoutMpi() const = 0;
    /// Returns the launchers of its own, which start processes in its jobs alone: one for each kind of PMI that it
    /// knows, and one without MPI; none where others start them. The word of launcher() leaves their kind of PMI open.
    virtual std::span<const Launcher* const> launchers() const { return {}; }

    /// Returns what is wrong with the settings; empty if a script can be made of them.
    virtual std::vector<SettingProblem> problemsOf(const JobSettings& settings) const = 0;
    /// One job that carries out the whole campaign in one allocation, tagged (tagOf()), in the runner's log, warned
    /// before its time ends. The script that people see before they submit is byte for byte what is submitted. Fails
    /// with usage, naming the field, for what its options cannot express.
    virtual Result<std::string> script(const CampaignPlan& plan, const SitePaths& paths, const JobSettings& settings,
                                       const Surroundings& surroundings) const = 0;
    virtual Command submitCommand(const fs::path& script) const = 0;
    /// The id. Fails with damaged for an answer without one.
    virtual Result<std::string> parseSubmitted(std::string_view output) const = 0;
    /// The errors of a submission that was refused, as an error: unavailable if trying again may help, else usage.
    virtual Error refusal(std::string_view errors) const = 0;
    /// Variables of the environment that change a submission whatever the script says: not passed on to it.
    virtual bool overridesScript(std::string_view variableName) const = 0;
    virtual Command cancelCommand(const std::string& job) const = 0;
    virtual bool isJobId(std::string_view text) const = 0;

    /// All jobs of a user in one question; one job; and jobs that the queue has forgotten. Records that are no report
    /// of a job are left out.
    virtual Command queueCommand(unsigned userId) const = 0;
    virtual Command queueCommand(const std::string& job) const = 0;
    virtual std::vector<JobReport> parseQueue(std::string_view text) const = 0;
    /// Returns whether the errors of a question for one job say that the queue does not know it.
    virtual bool saysUnknownJob(std::string_view errors) const = 0;
    virtual Command accountingCommand(const std::vector<std::string>& jobs) const = 0;
    virtual std::vector<JobReport> parseAccounting(std::string_view text) const = 0;
    /// Returns why a job waits, by the scheduler's own word, as a sentence in the user's language; a word that is not
    /// known is quoted.
    virtual std::string pendingSentence(std::string_view word) const = 0;

    /// Asks whose scheduler answers this machine; parseCluster(): its name, as in variables().cluster. Empty where the
    /// answer has none.
    virtual Command clusterCommand() const = 0;
    virtual std::string parseCluster(std::string_view text) const = 0;

    /// Answers in a line where the scheduler is there.
    virtual Command versionCommand() const = 0;
    virtual Command partitionsCommand() const = 0;
    virtual std::vector<Partition> parsePartitions(std::string_view text) const = 0;
    /// Returns the options that say which nodes a job of these settings may get.
    virtual std::vector<std::string> whereOptions(const JobSettings& settings) const = 0;
    /// Runs `program` once on one node that `options` (whereOptions()) allow, when there is one.
    virtual Command onOneNodeCommand(const std::vector<std::string>& options, const Command& program) const = 0;
    /// Returns whether a line of that command's errors tells no more than the code with which the program ended. The
    /// program's own words come before it.
    virtual bool tellsOnlyTheCode(std::string_view line) const = 0;
    /// Its short form of a list of hosts. Fails with damaged for what is none.
    virtual Result<std::vector<std::string>> expandHosts(std::string_view text) const = 0;
};

} // namespace ringside::jobs
