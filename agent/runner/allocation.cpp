// SPDX-License-Identifier: MIT
#include "agent/runner/allocation.h"

#include "agent/runner/command.h"
#include "core/base/clock.h"
#include "core/base/environment.h"
#include "core/base/regularfile.h"
#include "core/jobs/slurm/hostlist.h"
#include "core/jobs/slurm/jobreport.h"
#include "core/jobs/slurm/submission.h"
#include "core/protocol/layout.h"

#include <algorithm>

namespace ringside::runner {

namespace {

/// What squeue says of one job: a report, or nothing if the queue does not know it.
Result<std::optional<slurm::JobReport>> reportOf(const std::string& job)
{
    const auto command = slurm::queueCommand(job);
    TRY_ASSIGN(const Answer answer, ask(command));
    if (answer.code != 0 && slurm::saysUnknownJob(answer.errors))
        return std::nullopt;
    TRY_ASSIGN(const std::string text, outputOf(command, answer));
    for (auto& report : slurm::parseQueue(text))
        if (report.id == job)
            return std::move(report);
    return std::nullopt;
}

std::optional<std::int64_t> endOf(const std::string& job)
{
    const auto report = reportOf(job);
    if (!report || !*report || !(*report)->secondsLeft)
        return std::nullopt;
    return monotonicNs() + *(*report)->secondsLeft * 1'000'000'000;
}

} // namespace

Result<std::optional<Allocation>> thisAllocation()
{
    const char* job = environment("SLURM_JOB_ID");
    const char* nodes = environment("SLURM_JOB_NODELIST");
    if (!job || !nodes || !slurm::isJobId(job))
        return std::nullopt;
    Allocation allocation{job, {}, endOf(job)};
    TRY_ASSIGN(allocation.hosts, slurm::expandHostList(nodes));
    if (const char* here = environment("SLURMD_NODENAME"))
        std::stable_partition(allocation.hosts.begin(), allocation.hosts.end(),
                              [&](const std::string& host) { return host == here; });
    return allocation;
}

Life lifeOfJob(const std::string& job)
{
    const auto report = reportOf(job);
    if (!report)
        return Life::unknown;
    return *report && !isOver((*report)->state) ? Life::alive : Life::dead;
}

bool isSubmittedByHand(const fs::path& campaign)
{
    const auto text = readRegularFile(layout::schedulerFile(campaign), 4096);
    return text && text->substr(0, text->find('\n')) == slurm::kSchedulerByHand;
}

} // namespace ringside::runner
