// SPDX-License-Identifier: MIT
#include "agent/worker/facts/collect.h"

#include <fmt/format.h>

#ifdef RINGSIDE_WITH_HWLOC
#include <hwloc.h>
#endif

namespace ringside {

#ifdef RINGSIDE_WITH_HWLOC

namespace {

/// "package 0", "packages 0-1"; empty if the topology has none of these.
std::string named(const char* one, const char* many, hwloc_bitmap_t set)
{
    const int count = hwloc_bitmap_weight(set);
    if (count <= 0)
        return {};
    char* list = nullptr;
    if (hwloc_bitmap_list_asprintf(&list, set) < 0)
        return {};
    std::string text = fmt::format("{} {}", count == 1 ? one : many, list);
    std::free(list);
    return text;
}

std::string placeIn(hwloc_topology_t topology, const std::vector<int>& cores)
{
    hwloc_bitmap_t packages = hwloc_bitmap_alloc();
    hwloc_bitmap_t nodes = hwloc_bitmap_alloc();
    for (const int core : cores) {
        const hwloc_obj_t unit = hwloc_get_pu_obj_by_os_index(topology, static_cast<unsigned>(core));
        if (!unit)
            continue;
        hwloc_bitmap_or(nodes, nodes, unit->nodeset);
        if (const auto* package = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, unit))
            hwloc_bitmap_set(packages, package->logical_index);
    }
    const std::string package = named("package", "packages", packages);
    const std::string node = named("NUMA node", "NUMA nodes", nodes);
    hwloc_bitmap_free(packages);
    hwloc_bitmap_free(nodes);
    return package.empty() || node.empty() ? package + node : package + ", " + node;
}

} // namespace

std::string placeOf(const std::vector<int>& cores)
{
    hwloc_topology_t topology = nullptr;
    if (hwloc_topology_init(&topology) != 0)
        return {};
    std::string place;
    if (hwloc_topology_load(topology) == 0)
        place = placeIn(topology, cores);
    hwloc_topology_destroy(topology);
    return place;
}

#else

std::string placeOf(const std::vector<int>&)
{
    return {};
}

#endif

} // namespace ringside
