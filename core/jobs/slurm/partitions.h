// SPDX-License-Identifier: MIT
// What sinfo says about a cluster's partitions, for people who choose one. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::slurm {

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

std::vector<std::string> partitionsCommand();

/// In the order of the answer. Lines that are none of sinfo's are left out.
std::vector<Partition> parsePartitions(std::string_view text);

} // namespace ringside::slurm
