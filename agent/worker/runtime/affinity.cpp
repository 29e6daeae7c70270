// SPDX-License-Identifier: MIT
#include "agent/worker/runtime/affinity.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sched.h>

#ifdef RINGSIDE_WITH_HWLOC
#include <hwloc.h>
#endif

namespace ringside {

namespace {

std::vector<int> allowedCores()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return {0};
    std::vector<int> cores;
    for (int core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(core, &set))
            cores.push_back(core);
    return cores;
}

#ifdef RINGSIDE_WITH_HWLOC
/// Position of each allowed logical processor among its core's siblings: 0 for the first.
std::vector<int> siblingRanks(hwloc_topology_t topology, const std::vector<int>& cores)
{
    std::vector<int> ranks;
    for (const int core : cores) {
        const auto* unit = hwloc_get_pu_obj_by_os_index(topology, static_cast<unsigned>(core));
        ranks.push_back(unit ? static_cast<int>(unit->sibling_rank) : 0);
    }
    return ranks;
}

std::vector<int> physicalCoresFirst(const std::vector<int>& cores)
{
    hwloc_topology_t topology = nullptr;
    if (hwloc_topology_init(&topology) != 0)
        return cores;
    std::vector<int> ordered;
    if (hwloc_topology_load(topology) == 0) {
        const auto ranks = siblingRanks(topology, cores);
        for (int wanted = 0; ordered.size() < cores.size(); ++wanted)
            for (std::size_t i = 0; i < cores.size(); ++i)
                if (ranks[i] == wanted)
                    ordered.push_back(cores[i]);
    }
    hwloc_topology_destroy(topology);
    return ordered.empty() ? cores : ordered;
}
#else
std::vector<int> physicalCoresFirst(const std::vector<int>& cores)
{
    return cores;
}
#endif

} // namespace

bool knowsPhysicalCores()
{
#ifdef RINGSIDE_WITH_HWLOC
    return true;
#else
    return false;
#endif
}

std::vector<int> usableCores()
{
    return physicalCoresFirst(allowedCores());
}

std::vector<int> coresOfRank(const std::vector<int>& usable, int localRank, int coresPerRank)
{
    std::vector<int> cores;
    const auto count = std::min(static_cast<std::size_t>(coresPerRank), usable.size());
    const auto first = static_cast<std::size_t>(localRank) * static_cast<std::size_t>(coresPerRank);
    for (std::size_t i = 0; i < count; ++i)
        cores.push_back(usable[(first + i) % usable.size()]);
    return cores;
}

Result<void> bindTo(const std::vector<int>& cores)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int core : cores)
        CPU_SET(static_cast<std::size_t>(core), &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        return fail(ErrorCode::unavailable,
                    fmt::format("Binding to {} cores failed: {}.", cores.size(), std::strerror(errno)),
                    "Lower cores_per_rank.");
    return {};
}

} // namespace ringside
