// SPDX-License-Identifier: MIT
#include "core/jobs/schedulers/table.h"

#include "core/base/shellquote.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/jobs/schedulers/slurm/slurm.h"

#include <algorithm>

namespace ringside::jobs {

namespace {

constexpr std::string_view kByHand = "_by_hand";

} // namespace

std::span<const Scheduler* const> schedulers()
{
    static const Scheduler* const all[] = {&slurm::kSlurm};
    return all;
}

const Scheduler* schedulerNamed(std::string_view name)
{
    const auto found = std::ranges::find(schedulers(), name, &Scheduler::name);
    return found == schedulers().end() ? nullptr : *found;
}

std::string Submitter::word() const
{
    return scheduler ? std::string(scheduler->name()) + std::string(byHand ? kByHand : "") : std::string();
}

Result<Submitter> submitterOf(std::string_view word)
{
    if (word.empty())
        return Submitter{};
    const bool byHand = word.ends_with(kByHand);
    const std::string_view name = word.substr(0, word.size() - (byHand ? kByHand.size() : 0));
    if (const Scheduler* scheduler = schedulerNamed(name))
        return Submitter{scheduler, byHand};
    return fail(ErrorCode::usage, Words::tr("The scheduler “{}” is not known here.", plainText(word)),
                Words::tr("Ringside on this machine may be older."));
}

std::string typedSubmission(const Scheduler& scheduler, const std::string& script)
{
    return scheduler.submitCommand(script).front() + " " + shellQuote(script);
}

} // namespace ringside::jobs
