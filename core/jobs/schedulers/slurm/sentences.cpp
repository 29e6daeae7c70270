// SPDX-License-Identifier: MIT
#include "core/jobs/schedulers/slurm/sentences.h"

#include "core/base/text.h"
#include "core/base/words.h"

#include <algorithm>

namespace ringside::slurm {

namespace {

struct Phrase
{
    std::string_view word; ///< the beginning of Slurm's word
    std::string_view sentence;
};

/// The first that fits counts: the longer beginnings come first.
constexpr Phrase kReasons[] = {
    {"Resources", Words::noop("Waits for free nodes.")},
    {"Priority", Words::noop("Waits behind jobs of higher priority.")},
    {"Dependency", Words::noop("Waits for another job that it depends on.")},
    {"DependencyNeverSatisfied", Words::noop("Waits for a job that it depends on and that has failed. Cancel it.")},
    {"BeginTime", Words::noop("Waits for its earliest start; after a requeue Slurm waits two minutes.")},
    {"Cleaning", Words::noop("Was put back into the queue; its earlier start is being cleaned up.")},
    {"JobHeldUser", Words::noop("Is held. Release it with scontrol release.")},
    {"JobHeldAdmin",
     Words::noop("Is held by an administrator, or by Slurm after a failed start. Ask the site's support.")},
    {"JobHoldMaxRequeue", Words::noop("Was put back into the queue too often and is held. Ask the site's support.")},
    {"Licenses", Words::noop("Waits for a licence.")},
    {"Reservation", Words::noop("Waits for its reservation to begin.")},
    {"PartitionTimeLimit",
     Words::noop(
         "Asks for more time than its partition allows and will not start. Cancel it and launch it with less time.")},
    {"PartitionNodeLimit",
     Words::noop("Asks for more nodes than its partition allows or has up. Cancel it and launch it with fewer.")},
    {"PartitionDown", Words::noop("Its partition is down. Wait, or choose another one.")},
    {"PartitionInactive", Words::noop("Its partition is not active. Wait, or choose another one.")},
    {"PartitionConfig",
     Words::noop("Asks for what its partition does not allow. Cancel it and choose another partition.")},
    {"ReqNodeNotAvail", Words::noop("A node that it needs is down, drained or reserved, perhaps for maintenance.")},
    {"NodeDown", Words::noop("A node that it needs is down.")},
    {"BadConstraints", Words::noop("No node has the features that it asks for. Cancel it and choose others.")},
    {"InvalidAccount", Words::noop("Its account is not valid any more. Cancel it and choose another.")},
    {"InvalidQOS", Words::noop("Its QOS is not valid any more. Cancel it and choose another.")},
    {"QOSMaxJobsPerUserLimit", Words::noop("As many of your jobs run already as this QOS allows at once.")},
    {"QOSMaxSubmitJobPerUserLimit", Words::noop("As many of your jobs are queued already as this QOS allows.")},
    {"QOSMaxWallDurationPerJobLimit",
     Words::noop("Asks for more time than its QOS allows. Cancel it and launch it with less.")},
    {"QOSMax",
     Words::noop("Asks for more than its QOS allows one user or job. Wait for your other jobs, or ask for less.")},
    {"QOSGrp", Words::noop("All that this QOS may use at once is in use.")},
    {"QOSMin", Words::noop("Asks for less than its QOS demands. Cancel it and choose another QOS.")},
    {"QOS", Words::noop("A limit of its QOS is reached.")},
    {"AssocMaxJobsLimit", Words::noop("As many jobs of your account run already as are allowed at once.")},
    {"AssocMaxWallDurationPerJobLimit",
     Words::noop("Asks for more time than your account allows. Cancel it and launch it with less.")},
    {"AssocMax",
     Words::noop("Asks for more than your account allows one user or job. Wait for your other jobs, or ask for less.")},
    {"AssocGrpCPUMinutesLimit", Words::noop("The computing time of your account is used up.")},
    {"AssocGrpBillingMinutes", Words::noop("The computing time of your account is used up.")},
    {"AssocGrp", Words::noop("All that your account may use at once is in use.")},
    {"Assoc", Words::noop("A limit of your account is reached.")},
    {"Prolog", Words::noop("Its nodes are being prepared.")},
    {"JobLaunchFailure", Words::noop("Could not be started on its nodes; Slurm holds it or tries again.")},
    {"launch failed requeued held",
     Words::noop("Could not be started on its nodes and is held. Ask the site's support.")},
    {"SystemFailure", Words::noop("Slurm or a file system had a failure.")},
};

/// sbatch prints the reason after lines of its own; some letters change between versions, these parts do not.
constexpr Phrase kRefusals[] = {
    {"nvalid partition", "There is no such partition. Choose one of the site's."},
    {"nvalid account", "The account is not yours, or not for this partition. Choose another account."},
    {"nvalid qos", "The QOS is not known, or not for you. Choose another, or leave it empty."},
    {"time limit is invalid", "The partition does not allow that much time. Ask for less."},
    {"More processors requested than permitted",
     "Nodes of this partition have fewer cores. Use fewer ranks or servers on a node, or fewer cores per rank."},
    {"CPU count per node can not be satisfied",
     "Nodes of this partition have fewer cores. Use fewer ranks or servers on a node, or fewer cores per rank."},
    {"Memory specification can not be satisfied", "No node has that much memory. Ask for less."},
    {"Requested node configuration is not available", "No nodes of this partition are like that. Use fewer ranks, "
                                                      "cores, GPUs or less memory per node."},
    {"Node count specification invalid", "The partition does not have, or does not allow, so many nodes. Use fewer."},
    {"nvalid feature", "No node has the feature of the constraint. Correct it, or leave it empty."},
    {"reservation is invalid", "There is no such reservation, or it is not for you. Correct the extra line."},
    {"nvalid generic resource", "The site has no such GPUs. Choose another type, or none."},
    {"nvalid --mem", "The memory is not written as Slurm reads it. Use a number and G, as in 16G."},
    {"violates accounting/QOS policy", "A limit of your account or QOS is reached: too many jobs, or too large or too "
                                       "long a job. Ask for less, or wait for your other jobs."},
    {"not permitted to use this partition", "You may not use this partition. Choose another, or ask the site's "
                                            "support."},
    {"nrecognized option", "An extra line is no option that this Slurm knows. Correct it."},
    {"nvalid option", "An extra line is no option that this Slurm knows. Correct it."},
    {"permission denied", "Slurm does not let you submit. Ask the site's support."},
};

/// The same submission may succeed later: the scheduler itself has a difficulty, or what the sentence says has passed.
/// A partition that is down takes jobs; one that is not active or drained takes none until its administrator opens it.
/// The word of a limit of queued jobs, as in QOSMaxSubmitJobPerUserLimit, stands before the line of all limits.
constexpr Phrase kPassing[] = {
    {"Required partition not available", " The partition accepts no jobs at present."},
    {"SubmitJob", " As many jobs are queued already as your account or QOS allows, which may be none."},
    {"Unable to contact slurm controller", ""},
    {"temporarily unable", ""},
    {"Socket timed out", ""},
    {"onnection refused", ""},
    {"Zero Bytes", ""},
    {"munge", ""},
    {"Could not establish a configuration", ""},
    {"Transport endpoint", ""},
    {"in standby", ""},
};

template <class Phrases> const Phrase* longestStart(const Phrases& phrases, std::string_view text)
{
    const Phrase* best = nullptr;
    for (const Phrase& phrase : phrases)
        if (text.starts_with(phrase.word) && (!best || phrase.word.size() > best->word.size()))
            best = &phrase;
    return best;
}

/// "sbatch: error: Batch job submission failed: Invalid qos" -> "Batch job submission failed: Invalid qos"
std::string lastErrorLine(std::string_view text)
{
    std::string line = "\n" + plainText(text.substr(text.size() > 4096 ? text.size() - 4096 : 0));
    while (!line.empty() && line.back() == '\n')
        line.pop_back();
    const auto own = line.rfind("\nsbatch: "); // some more advice may follow its last word
    line.erase(0, (own == std::string::npos ? line.find_last_of('\n') : own) + 1);
    line.erase(std::min(line.find('\n'), line.size()));
    for (const std::string_view prefix : {"sbatch: ", "error: ", "fatal: "})
        if (line.starts_with(prefix))
            line.erase(0, prefix.size());
    return line.substr(0, 400);
}

} // namespace

std::string waitSentence(std::string_view word)
{
    if (word.empty())
        return Words::tr("Waits to be considered by Slurm.");
    if (const Phrase* phrase = longestStart(kReasons, word))
        return Words::translated(phrase->sentence);
    return Words::tr("Waits; Slurm says: {}.", plainText(word));
}

Error errorOfRefusal(std::string_view sbatchErrors)
{
    const std::string said = lastErrorLine(sbatchErrors);
    const auto holds = [&](std::string_view part) { return sbatchErrors.find(part) != std::string_view::npos; };
    for (const Phrase& phrase : kPassing)
        if (holds(phrase.word))
            return {ErrorCode::unavailable, fmt::format("Slurm did not accept the job: {}.{}", said, phrase.sentence),
                    "Try again in a while."};
    for (const Phrase& phrase : kRefusals)
        if (holds(phrase.word))
            return {ErrorCode::usage, fmt::format("Slurm refused the job: {}.", said), std::string(phrase.sentence)};
    return {ErrorCode::usage, fmt::format("Slurm refused the job: {}.", said), "Change what it objects to."};
}

} // namespace ringside::slurm
