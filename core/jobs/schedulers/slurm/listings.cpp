// SPDX-License-Identifier: MIT
#include "core/jobs/schedulers/slurm/listings.h"

#include "core/base/text.h"
#include "core/jobs/duration.h"

#include <algorithm>
#include <array>
#include <ctime>

namespace ringside::slurm {

using jobs::JobReport;

namespace {

/// ASCII's own separators: of fields, and before each record. Comments, the only field that may hold anything, come
/// last, and a line break in them begins no record.
constexpr char kField = '\x1f';
constexpr char kRecord = '\x1e';
constexpr std::size_t kMaxReason = 200;

constexpr const char* kQueueFormat = "\x1e%i\x1f%T\x1f%r\x1f%L\x1f%N\x1f%S\x1f%k";
constexpr const char* kAccountingFields = "JobID,State,Reason,NodeList";

constexpr std::pair<std::string_view, JobState> kStates[] = {
    {"PENDING", JobState::pending},           {"CONFIGURING", JobState::pending},
    {"REQUEUED", JobState::requeued},         {"REQUEUE_HOLD", JobState::requeued},
    {"REQUEUE_FED", JobState::requeued},      {"SPECIAL_EXIT", JobState::requeued},
    {"RESV_DEL_HOLD", JobState::requeued},    {"RUNNING", JobState::running},
    {"RESIZING", JobState::running},          {"SIGNALING", JobState::running},
    {"SUSPENDED", JobState::suspended},       {"STOPPED", JobState::suspended},
    {"COMPLETING", JobState::completing},     {"STAGE_OUT", JobState::completing},
    {"COMPLETED", JobState::completed},       {"FAILED", JobState::failed},
    {"CANCELLED", JobState::cancelled},       {"REVOKED", JobState::cancelled},
    {"TIMEOUT", JobState::timeout},           {"DEADLINE", JobState::timeout},
    {"OUT_OF_MEMORY", JobState::outOfMemory}, {"NODE_FAIL", JobState::nodeFail},
    {"PREEMPTED", JobState::preempted},       {"BOOT_FAIL", JobState::bootFail},
};

/// sacct adds who it was: "CANCELLED by 1000".
JobState stateOf(std::string_view text)
{
    const std::string_view word = text.substr(0, text.find_first_of(" +"));
    const auto found =
        std::find_if(std::begin(kStates), std::end(kStates), [&](const auto& state) { return state.first == word; });
    return found == std::end(kStates) ? JobState::unknown : found->second;
}

/// What squeue and sacct write for nothing.
std::string orNothing(std::string_view text)
{
    if (text == "None" || text == "(null)" || text == "None assigned" || text == "N/A")
        return {};
    return plainText(text.substr(0, kMaxReason));
}

/// nullopt if there are fewer fields than N; the last one takes what is left of its line.
template <std::size_t N> std::optional<std::array<std::string_view, N>> split(std::string_view record)
{
    std::array<std::string_view, N> fields;
    for (std::size_t i = 0; i + 1 < N; ++i) {
        const auto end = record.find(kField);
        if (end == std::string_view::npos)
            return std::nullopt;
        fields[i] = record.substr(0, end);
        record.remove_prefix(end + 1);
    }
    fields[N - 1] = record.substr(0, record.find('\n'));
    return fields;
}

/// "2026-11-22T17:05:00", in this machine's time zone. Anything else, "N/A" and what SLURM_TIME_FORMAT makes of it, is
/// no time.
std::optional<std::int64_t> secondsOf(std::string_view time)
{
    std::tm local{};
    const std::string text(time);
    const char* end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &local);
    if (!end || *end != '\0')
        return std::nullopt;
    local.tm_isdst = -1; // whichever holds then
    const std::time_t seconds = ::mktime(&local);
    return seconds > 0 ? std::optional<std::int64_t>(seconds) : std::nullopt;
}

std::optional<JobReport> queued(std::string_view record)
{
    const auto fields = split<7>(record);
    if (!fields || !isJobId((*fields)[0]))
        return std::nullopt;
    const auto& [id, state, reason, left, nodes, start, comment] = *fields;
    JobReport report{std::string(id),           stateOf(state),   orNothing(reason),
                     jobs::parseDuration(left), orNothing(nodes), jobs::campaignOf(comment)};
    if (report.state == JobState::pending || report.state == JobState::requeued)
        report.expectedStart = secondsOf(start);
    return report;
}

std::optional<JobReport> accounted(std::string_view record)
{
    const auto fields = split<4>(record);
    if (!fields || !isJobId((*fields)[0]))
        return std::nullopt;
    const auto& [id, state, reason, nodes] = *fields;
    return JobReport{std::string(id), stateOf(state), orNothing(reason), {}, orNothing(nodes), {}};
}

/// `read` makes a report of each piece between separators, or nothing.
template <class Read> std::vector<JobReport> reports(std::string_view text, char separator, const Read& read)
{
    std::vector<JobReport> found;
    while (!text.empty()) {
        const auto end = text.find(separator);
        if (auto report = read(text.substr(0, end)))
            found.push_back(std::move(*report));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return found;
}

} // namespace

bool isJobId(std::string_view text)
{
    return !text.empty() && text.size() <= 10 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::vector<std::string> queueCommand(unsigned userId)
{
    return {"squeue", "--noheader", "--states=all", "--user=" + std::to_string(userId), "--format", kQueueFormat};
}

std::vector<std::string> queueCommand(const std::string& job)
{
    return {"squeue", "--noheader", "--states=all", "--jobs=" + job, "--format", kQueueFormat};
}

std::vector<std::string> accountingCommand(const std::vector<std::string>& jobs)
{
    std::string list;
    for (const auto& job : jobs)
        list += (list.empty() ? "" : ",") + job;
    return {"sacct",          "--noheader",   "--parsable2",    std::string("--delimiter=") + kField,
            "--allocations",  "--duplicates", "--jobs=" + list, "--format",
            kAccountingFields};
}

std::vector<JobReport> parseQueue(std::string_view text)
{
    return reports(text, kRecord, queued);
}

std::vector<JobReport> parseAccounting(std::string_view text)
{
    return reports(text, '\n', accounted);
}

bool saysUnknownJob(std::string_view errorText)
{
    return errorText.find("Invalid job id") != std::string_view::npos;
}

} // namespace ringside::slurm
