// SPDX-License-Identifier: MIT
#include "core/jobs/schedulers/slurm/listings.h"

#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/jobs/duration.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>

namespace ringside::slurm {

using jobs::Command;
using jobs::JobReport;
using jobs::Partition;

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

/// Returns no text where squeue and sacct write a word for nothing.
std::string orNothing(std::string_view text)
{
    if (text == "None" || text == "(null)" || text == "None assigned" || text == "N/A")
        return {};
    return plainText(text.substr(0, kMaxReason));
}

/// nullopt if there are fewer fields than N; the last one has what is left of its line.
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
    if (!fields || !isIdOfJob((*fields)[0]))
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
    if (!fields || !isIdOfJob((*fields)[0]))
        return std::nullopt;
    const auto& [id, state, reason, nodes] = *fields;
    return JobReport{std::string(id), stateOf(state), orNothing(reason), {}, orNothing(nodes), {}};
}

std::vector<std::string_view> pieces(std::string_view text, char separator)
{
    std::vector<std::string_view> found;
    while (!text.empty()) {
        found.push_back(text.substr(0, text.find(separator)));
        text.remove_prefix(std::min(text.size(), found.back().size() + 1));
    }
    return found;
}

/// `read` makes a report of each piece between separators, or nothing.
template <class Read> std::vector<JobReport> reports(std::string_view text, char separator, const Read& read)
{
    std::vector<JobReport> found;
    for (const std::string_view piece : pieces(text, separator))
        if (auto report = read(piece))
            found.push_back(std::move(*report));
    return found;
}

// ---- partitions

constexpr int kMaxCount = 100'000'000; // sums of two of them are still an int
/// Partition, state, limit, nodes and cores each as allocated/idle/other/total, cores and memory of a node, GRES.
constexpr const char* kPartitionsFormat = "%P\x1f%a\x1f%l\x1f%F\x1f%C\x1f%c\x1f%m\x1f%G";
constexpr std::size_t kPartitionFields = 8;
using PartitionFields = std::array<std::string_view, kPartitionFields>;

/// The number at the beginning, 0 if there is none: "64+" where nodes differ.
int leading(std::string_view text)
{
    int value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return std::clamp(value, 0, kMaxCount);
}

/// The k-th of "allocated/idle/other/total".
int part(std::string_view text, int k)
{
    for (; k > 0; --k) {
        const auto slash = text.find('/');
        if (slash == std::string_view::npos)
            return 0;
        text.remove_prefix(slash + 1);
    }
    return leading(text);
}

/// One of "gpu:h200:2(S:0-1)", "gpu:4", "lustre:1".
void addGres(std::string_view gres, std::map<std::string, int>& gpus)
{
    if (!gres.starts_with("gpu:"))
        return;
    gres = gres.substr(4, gres.find('(') == std::string_view::npos ? gres.npos : gres.find('(') - 4);
    const auto colon = gres.find(':');
    const std::string type = colon == std::string_view::npos ? "" : plainText(gres.substr(0, colon));
    const int count = leading(colon == std::string_view::npos ? gres : gres.substr(colon + 1));
    if (count > 0)
        gpus[type] = std::max(gpus[type], count);
}

std::map<std::string, int> gpusOf(std::string_view text)
{
    std::map<std::string, int> gpus;
    int depth = 0; // commas inside "(S:0,2)" separate nothing
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i == text.size() || (text[i] == ',' && depth == 0)) {
            addGres(text.substr(begin, i - begin), gpus);
            begin = i + 1;
        } else if (text[i] == '(' || text[i] == ')') {
            depth += text[i] == '(' ? 1 : -1;
        }
    }
    return gpus;
}

Partition partitionOf(const PartitionFields& fields)
{
    Partition partition;
    std::string_view name = fields[0];
    partition.isDefault = name.ends_with('*');
    name.remove_suffix(partition.isDefault ? 1 : 0);
    partition.name = plainText(name);
    partition.isUp = fields[1] == "up";
    partition.maxSeconds = jobs::parseDuration(fields[2]);
    partition.nodes = part(fields[3], 3);
    partition.idleNodes = part(fields[3], 1);
    partition.cores = part(fields[4], 3);
    partition.idleCores = part(fields[4], 1);
    partition.coresPerNode = leading(fields[5]);
    partition.memoryMiB = leading(fields[6]);
    partition.gpusPerNode = gpusOf(fields[7]);
    return partition;
}

/// sinfo writes a line for each kind of nodes; together they are the partition.
void merge(Partition& into, const Partition& more)
{
    for (const auto count : {&Partition::nodes, &Partition::idleNodes, &Partition::cores, &Partition::idleCores})
        into.*count = std::min(into.*count + more.*count, kMaxCount);
    into.coresPerNode = std::min(into.coresPerNode, more.coresPerNode);
    into.memoryMiB = std::min(into.memoryMiB, more.memoryMiB);
    for (const auto& [type, count] : more.gpusPerNode)
        into.gpusPerNode[type] = std::max(into.gpusPerNode[type], count);
}

} // namespace

bool isIdOfJob(std::string_view text)
{
    return !text.empty() && text.size() <= 10 && std::ranges::all_of(text, isDigit);
}

Command squeueCommand(unsigned userId)
{
    return {"squeue", "--noheader", "--states=all", "--user=" + std::to_string(userId), "--format", kQueueFormat};
}

Command squeueCommand(const std::string& job)
{
    return {"squeue", "--noheader", "--states=all", "--jobs=" + job, "--format", kQueueFormat};
}

Command sacctCommand(const std::vector<std::string>& jobs)
{
    return {"sacct",
            "--noheader",
            "--parsable2",
            std::string("--delimiter=") + kField,
            "--allocations",
            "--duplicates",
            "--jobs=" + joined(jobs, ","),
            "--format",
            kAccountingFields};
}

std::vector<JobReport> readSqueue(std::string_view text)
{
    return reports(text, kRecord, queued);
}

std::vector<JobReport> readSacct(std::string_view text)
{
    return reports(text, '\n', accounted);
}

bool saysInvalidJob(std::string_view errors)
{
    return errors.find("Invalid job id") != std::string_view::npos;
}

/// "ClusterName             = alder"
std::string readClusterName(std::string_view text)
{
    for (const std::string_view line : pieces(text, '\n'))
        if (const auto equals = line.find('='); equals != line.npos && trimmed(line.substr(0, equals)) == "ClusterName")
            return std::string(trimmed(line.substr(equals + 1)));
    return {};
}

Command sinfoCommand()
{
    return {"sinfo", "--noheader", "--format", kPartitionsFormat};
}

std::vector<Partition> readSinfo(std::string_view text)
{
    std::vector<Partition> partitions;
    for (const std::string_view line : pieces(text, '\n')) {
        const auto fields = split<kPartitionFields>(line);
        if (!fields || fields->back().find(kField) != std::string_view::npos || fields->front().empty() ||
            fields->front() == "*")
            continue;
        const Partition partition = partitionOf(*fields);
        const auto known = std::ranges::find(partitions, partition.name, &Partition::name);
        known == partitions.end() ? partitions.push_back(partition) : merge(*known, partition);
    }
    return partitions;
}

} // namespace ringside::slurm
