// SPDX-License-Identifier: MIT
#include "agent/runner/allocation.h"

#include "agent/runner/command.h"
#include "core/base/clock.h"
#include "core/base/environment.h"
#include "core/base/regularfile.h"
#include "core/protocol/layout.h"

#include <algorithm>
#include <cstdlib>

namespace ringside::runner {

namespace {

using jobs::Scheduler;

/// The queue's report about one job; nullopt if it does not know it. A listing that is about something else, such as a
/// task of an array, says nothing.
Result<std::optional<jobs::JobReport>> reportOf(const Scheduler& scheduler, const std::string& job)
{
    const auto command = scheduler.queueCommand(job);
    TRY_ASSIGN(const Answer answer, ask(command));
    if (answer.code != 0 && scheduler.saysUnknownJob(answer.errors))
        return std::nullopt;
    TRY_ASSIGN(const std::string text, outputOf(command, answer));
    for (auto& report : scheduler.parseQueue(text))
        if (report.id == job)
            return std::move(report);
    if (text.find_first_not_of(" \t\n") != std::string::npos)
        return fail(ErrorCode::damaged, fmt::format("The queue answers to job {} with “{}”.", job, plainText(text)));
    return std::nullopt;
}

std::optional<std::int64_t> endOf(const Scheduler& scheduler, const std::string& job)
{
    const auto report = reportOf(scheduler, job);
    if (!report || !*report || !(*report)->secondsLeft)
        return std::nullopt;
    return monotonicNs() + *(*report)->secondsLeft * 1'000'000'000;
}

} // namespace

const Scheduler* thisScheduler()
{
    for (const Scheduler* scheduler : jobs::schedulers())
        if (const char* job = environment(scheduler->variables().job); job && scheduler->isJobId(job))
            return scheduler;
    return nullptr;
}

Result<std::optional<Allocation>> thisAllocation()
{
    const Scheduler* scheduler = thisScheduler();
    const char* nodes = scheduler ? environment(scheduler->variables().hosts) : nullptr;
    if (!nodes)
        return std::nullopt;
    const std::string job = environment(scheduler->variables().job);
    Allocation allocation{scheduler, job, {}, endOf(*scheduler, job)};
    TRY_ASSIGN(allocation.hosts, scheduler->expandHosts(nodes));
    if (const char* here = environment(scheduler->variables().host))
        std::stable_partition(allocation.hosts.begin(), allocation.hosts.end(),
                              [&](const std::string& host) { return host == here; });
    return allocation;
}

Life lifeOfJob(const Scheduler& scheduler, const std::string& job)
{
    const auto report = reportOf(scheduler, job);
    if (!report)
        return Life::unknown;
    return *report && !isOver((*report)->state) ? Life::alive : Life::dead;
}

std::string clusterHere(const Scheduler& scheduler)
{
    const auto command = scheduler.clusterCommand();
    return scheduler.parseCluster(outputOf(command, ask(command)).value_or(""));
}

void forgetEndedJob()
{
    const Scheduler* scheduler = thisScheduler();
    if (!scheduler || lifeOfJob(*scheduler, environment(scheduler->variables().job)) != Life::dead)
        return;
    for (const std::string& entry : environmentWith({}))
        if (const std::string name(variableName(entry)); scheduler->overridesScript(name)) // its address stays
            ::unsetenv(name.c_str());
}

Result<jobs::Submitter> submitterOf(const fs::path& campaign)
{
    const auto text = readRegularFile(layout::schedulerFile(campaign), 4096);
    if (!text && text.error().code != ErrorCode::notFound)
        return tl::unexpected(text.error());
    return jobs::submitterOf(text ? text->substr(0, text->find('\n')) : std::string());
}

} // namespace ringside::runner
