// SPDX-License-Identifier: MIT
// A part of a cluster that jobs are sent to, for people who choose one: a partition, or a queue.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

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

} // namespace ringside::jobs
