// SPDX-License-Identifier: MIT
#include "agent/rank/cores.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <map>
#include <sched.h>
#include <set>

namespace ringside {

namespace {

namespace fs = std::filesystem;

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

fs::path folderOf(int core, const fs::path& sys)
{
    return sys / "devices/system/cpu" / fmt::format("cpu{}", core);
}

std::string lineOf(const fs::path& file)
{
    std::string line;
    std::ifstream stream(file);
    std::getline(stream, line);
    return line;
}

/// "0-3,8"; other text is no numbers.
std::set<int> numbersIn(std::string_view list)
{
    std::set<int> numbers;
    while (!list.empty()) {
        int first = 0, last = 0;
        const auto [end, error] = std::from_chars(list.data(), list.data() + list.size(), first);
        if (error != std::errc())
            break;
        list.remove_prefix(static_cast<std::size_t>(end - list.data()));
        last = first;
        if (list.starts_with('-')) {
            const auto [stop, wrong] = std::from_chars(list.data() + 1, list.data() + list.size(), last);
            list.remove_prefix(static_cast<std::size_t>(stop - list.data()));
            if (wrong != std::errc() || last >= CPU_SETSIZE)
                break;
        }
        for (int number = first; number <= last; ++number)
            numbers.insert(number);
        list.remove_prefix(list.starts_with(','));
    }
    return numbers;
}

/// "0-3,8".
std::string listOf(const std::set<int>& numbers)
{
    std::string list;
    for (auto number = numbers.begin(); number != numbers.end();) {
        const int first = *number;
        int last = first;
        while (++number != numbers.end() && *number == last + 1)
            last = *number;
        list += list.empty() ? "" : ",";
        list += first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
    }
    return list;
}

/// The number of siblings of the same physical core before it.
int placeAmongSiblings(int core, const fs::path& sys)
{
    const auto siblings = numbersIn(lineOf(folderOf(core, sys) / "topology/thread_siblings_list"));
    return static_cast<int>(std::distance(siblings.begin(), siblings.lower_bound(core)));
}

/// The folder of a core links to that of its node.
std::set<int> nodesOf(int core, const fs::path& sys)
{
    constexpr std::string_view kNode = "node";
    std::set<int> nodes;
    std::error_code none;
    for (auto entry = fs::directory_iterator(folderOf(core, sys), none); entry != fs::directory_iterator();
         entry.increment(none))
        if (const std::string name = entry->path().filename(); name.starts_with(kNode))
            nodes.merge(numbersIn(std::string_view(name).substr(kNode.size())));
    return nodes;
}

/// "package 0", "packages 0-1"; empty if there are none.
std::string named(const char* one, const char* many, const std::set<int>& numbers)
{
    return numbers.empty() ? std::string() : fmt::format("{} {}", numbers.size() == 1 ? one : many, listOf(numbers));
}

} // namespace

std::vector<int> physicalCoresFirst(std::vector<int> cores, const fs::path& sys)
{
    std::map<int, int> places;
    for (const int core : cores)
        places[core] = placeAmongSiblings(core, sys);
    std::ranges::stable_sort(cores, {}, [&](int core) { return places[core]; });
    return cores;
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

std::string affinityList()
{
    const auto cores = allowedCores();
    return listOf({cores.begin(), cores.end()});
}

std::string placeOf(const std::vector<int>& cores, const fs::path& sys)
{
    std::set<int> packages, nodes;
    for (const int core : cores) {
        packages.merge(numbersIn(lineOf(folderOf(core, sys) / "topology/physical_package_id")));
        nodes.merge(nodesOf(core, sys));
    }
    const std::string package = named("package", "packages", packages), node = named("NUMA node", "NUMA nodes", nodes);
    return package.empty() || node.empty() ? package + node : package + ", " + node;
}

} // namespace ringside
