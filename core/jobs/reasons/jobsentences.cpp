// SPDX-License-Identifier: MIT
#include "core/base/words.h"
#include "core/jobs/jobreport.h"
#include "core/jobs/reasons/sentences.h"
#include "core/jobs/schedulers/table.h"

#include <ctime>

namespace ringside::jobs {

namespace {

std::string formatted(std::int64_t wallNs, const char* format)
{
    const auto seconds = static_cast<std::time_t>(wallNs / 1'000'000'000);
    std::tm local{};
    ::localtime_r(&seconds, &local);
    char buffer[32];
    return {buffer, std::strftime(buffer, sizeof buffer, format, &local)};
}

/// "17:05" of the day of `nowNs`, "2026-11-24 17:05" of another, as this computer's clock shows it.
std::string clockText(std::int64_t atNs, std::int64_t nowNs)
{
    const bool isToday = formatted(atNs, "%F") == formatted(nowNs, "%F");
    return formatted(atNs, isToday ? "%H:%M" : "%F %H:%M");
}

/// The scheduler's own word as a sentence, where the scheduler is known.
std::string pending(const Reason& reason)
{
    const Scheduler* scheduler = schedulerNamed(reason.word("scheduler"));
    return scheduler ? scheduler->pendingSentence(reason.word("word")) : ended(plainWord(reason, "word"));
}

/// "Job 4711: Waits for free nodes." and when its scheduler expects it to start: one that is over, or 0, is no guess.
std::string waiting(const Reason& reason, const std::string& why, std::int64_t nowNs)
{
    std::string text = Words::tr("Job {}: {}", plainWord(reason, "job"), why);
    if (const std::int64_t startNs = reason.number("starts_ns").value_or(0); startNs > nowNs)
        text += " " + Words::tr("{} expects it to start at {}.", schedulerTitle(reason), clockText(startNs, nowNs));
    return text;
}

std::string failed(const Reason& reason)
{
    const std::string job = plainWord(reason, "job"), word = plainWord(reason, "word");
    return word.empty() ? Words::tr("Job {} failed.", job)
                        : Words::tr("Job {} failed. {} says: {}.", job, schedulerTitle(reason), word);
}

} // namespace

std::string schedulerTitle(const Reason& reason)
{
    const Scheduler* scheduler = schedulerNamed(reason.word("scheduler"));
    return scheduler ? std::string(scheduler->title()) : plainWord(reason, "scheduler");
}

std::string jobSentence(const Reason& reason, std::int64_t nowNs)
{
    const std::string job = plainWord(reason, "job");
    switch (valueNamed<JobState>(reason.word("state")).value_or(JobState::unknown)) {
    case JobState::unknown:
        return Words::tr("{} does not know job {} any more.", schedulerTitle(reason), job);
    case JobState::pending:
        return waiting(reason, pending(reason), nowNs);
    case JobState::requeued:
        return waiting(reason, Words::tr("Was put back into the queue and begins again. {}", pending(reason)), nowNs);
    case JobState::running:
        return {};
    case JobState::suspended:
        return Words::tr("{} has suspended its job.", schedulerTitle(reason));
    case JobState::completing:
        return Words::tr("Its job is ending.");
    case JobState::completed:
        return Words::tr("Job {} ended, and its runner had written nothing about that.", job);
    case JobState::failed:
        return failed(reason);
    case JobState::cancelled:
        return Words::tr("Job {} was cancelled.", job); // its word is what it had waited for
    case JobState::timeout:
        return Words::tr("Job {} reached its time limit.", job);
    case JobState::outOfMemory:
        return Words::tr(
            "Job {} used more memory than it had asked for; use a smaller batch or fewer ranks, or ask for "
            "more.",
            job);
    case JobState::nodeFail:
        return Words::tr("A node of job {} failed.", job);
    case JobState::preempted:
        return Words::tr("Job {} was ended in favour of another one.", job);
    case JobState::bootFail:
        break;
    }
    return Words::tr("The nodes of job {} did not start.", job);
}

} // namespace ringside::jobs
