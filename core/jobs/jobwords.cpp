// SPDX-License-Identifier: MIT
#include "core/jobs/jobwords.h"

#include <ctime>
#include <fmt/format.h>

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

/// "17:05" of the day of `nowNs`, "2026-11-24 17:05" of another.
std::string clockText(std::int64_t wallNs, std::int64_t nowNs)
{
    const bool isToday = formatted(wallNs, "%F") == formatted(nowNs, "%F");
    return formatted(wallNs, isToday ? "%H:%M" : "%F %H:%M");
}

} // namespace

std::string noteOf(const Scheduler& scheduler, std::string_view job, JobState state, std::string_view reason,
                   std::int64_t expectedStartNs, std::int64_t nowNs)
{
    if (!waits(state) || job.empty())
        return std::string(reason);
    std::string words = fmt::format("Job {}: {}", job, reason);
    if (expectedStartNs > nowNs)
        words += fmt::format(" {} expects it to start at {}.", scheduler.title(), clockText(expectedStartNs, nowNs));
    return words;
}

std::string jobWords(const Scheduler& scheduler, const JobReport& report)
{
    switch (report.state) {
    case JobState::unknown:
        return fmt::format("{} does not know job {} any more.", scheduler.title(), report.id);
    case JobState::pending:
        return scheduler.pendingWords(report.reason);
    case JobState::requeued:
        return "Was put back into the queue and begins again. " + scheduler.pendingWords(report.reason);
    case JobState::running:
        return {};
    case JobState::suspended:
        return fmt::format("{} has suspended its job.", scheduler.title());
    case JobState::completing:
        return "Its job is ending.";
    case JobState::completed:
        return fmt::format("Job {} ended without a word of its runner.", report.id);
    case JobState::failed:
        return report.reason.empty()
                   ? fmt::format("Job {} failed.", report.id)
                   : fmt::format("Job {} failed. {} says: {}.", report.id, scheduler.title(), report.reason);
    case JobState::cancelled:
        return fmt::format("Job {} was cancelled.", report.id); // its reason is what it had waited for
    case JobState::timeout:
        return fmt::format("Job {} reached its time limit.", report.id);
    case JobState::outOfMemory:
        return fmt::format("Job {} used more memory than it had asked for; use a smaller batch or fewer ranks, or ask "
                           "for more.",
                           report.id);
    case JobState::nodeFail:
        return fmt::format("A node of job {} failed.", report.id);
    case JobState::preempted:
        return fmt::format("Job {} was ended in favour of another one.", report.id);
    case JobState::bootFail:
        break;
    }
    return fmt::format("The nodes of job {} did not start.", report.id);
}

} // namespace ringside::jobs
