// SPDX-License-Identifier: MIT
// A part of a cluster that jobs are sent to, for people who choose one: a partition, or a queue. And how a probe
// reports them (agent/README.md, “Probe”).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::jobs {

struct Partition
{
    std::string name;
    bool isDefault = false;
    bool isUp = false;
    std::optional<std::int64_t> maxSeconds; ///< nullopt: no limit
    int nodes = 0;
    int idleNodes = 0;
    int coresPerNode = 0; ///< the smallest, where nodes differ
    int idleCores = 0;
    int cores = 0;
    std::int64_t memoryMiB = 0;             ///< per node, the smallest
    std::map<std::string, int> gpusPerNode; ///< by type; "" for GPUs without one; the most that a node has
    bool operator==(const Partition&) const = default;
};

std::string partitionsToJson(const std::vector<Partition>& partitions);

struct ReadPartitions
{
    std::vector<Partition> list;
    bool isWhole = true; ///< false if something else was printed, too
};

/// Passes over what is no partition. `text` may be hostile: the names and types that are read from it are plain text.
ReadPartitions partitionsFromJson(std::string_view text);

} // namespace ringside::jobs
