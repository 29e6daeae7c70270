// SPDX-License-Identifier: MIT
#include "core/jobs/partition.h"

#include "core/base/text.h"
#include "core/protocol/either.h"
#include "core/protocol/jsonfields.h"

namespace ringside::jobs {

namespace {

constexpr std::size_t kMaxBytes = 1u << 20;
constexpr int kMaxCount = 1'000'000'000;

// Agents of other versions may leave these out.
void count(auto& json, const char* key, auto& value)
{
    if (json.has(key, true))
        json.integer(key, value, 0, kMaxCount);
}

void flag(auto& json, const char* key, auto& value)
{
    if (json.has(key, true))
        json.flag(key, value);
}

/// By type, how many each node has; what is no number of them is left out.
std::map<std::string, int> gpusOf(const nlohmann::json& partition)
{
    std::map<std::string, int> gpus;
    const auto types = partition.find("gpus_per_node");
    if (types == partition.end() || !types->is_object())
        return gpus;
    for (const auto& [type, number] : types->items())
        if (number.is_number_unsigned() && number.get<std::uint64_t>() <= kMaxCount)
            gpus[plainText(type)] = number.get<int>();
    return gpus;
}

} // namespace

/// Without GPUs, of which only some may be readable.
void membersOf(auto& json, Either<Partition> auto& partition)
{
    json.text("name", partition.name);
    flag(json, "default", partition.isDefault);
    flag(json, "up", partition.isUp);
    if (json.has("max_s", partition.maxSeconds.has_value()))
        json.integer("max_s", filled(partition.maxSeconds), 0, INT64_MAX);
    count(json, "nodes", partition.nodes);
    count(json, "idle_nodes", partition.idleNodes);
    count(json, "cores_per_node", partition.coresPerNode);
    count(json, "idle_cores", partition.idleCores);
    count(json, "cores", partition.cores);
    count(json, "memory_mib", partition.memoryMiB);
}

std::string partitionsToJson(const std::vector<Partition>& partitions)
{
    auto list = nlohmann::json::array();
    for (const Partition& partition : partitions) {
        list.push_back(JsonMembers::of(partition));
        list.back()["gpus_per_node"] = partition.gpusPerNode;
    }
    return dumpJson(list);
}

ReadPartitions partitionsFromJson(std::string_view text)
{
    // As a member of an object, which is how texts from elsewhere are read within bounds.
    const auto json = parseJsonObject(fmt::format(R"({{"list":{}}})", text), kMaxBytes, "partitions");
    if (!json || !json->contains("list") || !(*json)["list"].is_array())
        return {{}, false};
    ReadPartitions read;
    for (const nlohmann::json& each : (*json)["list"]) {
        auto partition = fromMembers<Partition>(each, "partition");
        if (!partition) {
            read.isWhole = false;
            continue;
        }
        partition->name = plainText(partition->name);
        partition->gpusPerNode = gpusOf(each);
        read.list.push_back(std::move(*partition));
    }
    return read;
}

} // namespace ringside::jobs
