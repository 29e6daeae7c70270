// SPDX-License-Identifier: MIT
#include "core/jobs/schedulers/slurm/listings.h"

#include "core/base/text.h"
#include "core/jobs/duration.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace ringside::slurm {

using jobs::Partition;

namespace {

constexpr char kField = '\x1f';
constexpr std::size_t kFields = 8;
constexpr int kMaxCount = 100'000'000; // sums of two of them are still an int
/// Partition, state, limit, nodes and cores each as allocated/idle/other/total, cores and memory of a node, GRES.
constexpr const char* kFormat = "%P\x1f%a\x1f%l\x1f%F\x1f%C\x1f%c\x1f%m\x1f%G";

using Fields = std::array<std::string_view, kFields>;

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

bool split(std::string_view line, Fields& fields)
{
    for (std::size_t i = 0; i < kFields; ++i) {
        const auto end = line.find(kField);
        if ((end == std::string_view::npos) != (i + 1 == kFields))
            return false;
        fields[i] = line.substr(0, end);
        line.remove_prefix(i + 1 == kFields ? 0 : end + 1);
    }
    return true;
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

Partition partitionOf(const Fields& fields)
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

std::vector<std::string> partitionsCommand()
{
    return {"sinfo", "--noheader", "--format", kFormat};
}

std::vector<Partition> parsePartitions(std::string_view text)
{
    std::vector<Partition> partitions;
    while (!text.empty()) {
        const auto end = text.find('\n');
        Fields fields;
        if (split(text.substr(0, end), fields) && !fields[0].empty() && fields[0] != "*") {
            const Partition partition = partitionOf(fields);
            const auto known = std::find_if(partitions.begin(), partitions.end(),
                                            [&](const Partition& other) { return other.name == partition.name; });
            known == partitions.end() ? partitions.push_back(partition) : merge(*known, partition);
        }
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return partitions;
}

} // namespace ringside::slurm
