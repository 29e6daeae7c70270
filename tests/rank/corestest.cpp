// SPDX-License-Identifier: MIT
#include "agent/rank/cores.h"
#include "core/base/files.h"
#include "tests/support/temporaryfolder.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sched.h>
#include <thread>

using namespace ringside;

namespace {

/// A machine of two packages with a node each, whose cores have two siblings: 0 and 2, 1 and 3.
class Machine
{
public:
    Machine()
    {
        for (int core = 0; core < 4; ++core) {
            const fs::path folder = m_folder.path() / "devices/system/cpu" / fmt::format("cpu{}", core);
            fs::create_directories(folder / "topology");
            fs::create_directories(folder / fmt::format("node{}", core % 2));
            write(folder / "topology/thread_siblings_list", core % 2 ? "1,3\n" : "0,2\n");
            write(folder / "topology/physical_package_id", fmt::format("{}\n", core % 2));
        }
    }
    fs::path sys() const { return m_folder.path(); }

private:
    static void write(const fs::path& file, const std::string& text) { REQUIRE(writeFileAtomically(file, text)); }

    test::TemporaryFolder m_folder;
};

} // namespace

TEST_CASE("ranks get a core each before two share one")
{
    const Machine machine;
    CHECK(physicalCoresFirst({0, 1, 2, 3}, machine.sys()) == std::vector<int>{0, 1, 2, 3});
    CHECK(physicalCoresFirst({2, 1, 3, 0}, machine.sys()) == std::vector<int>{1, 0, 2, 3});
    CHECK(physicalCoresFirst({2, 0}, "/nowhere") == std::vector<int>{2, 0});
    CHECK(usableCores().size() == static_cast<std::size_t>(std::thread::hardware_concurrency()));
    CHECK(coresOfRank({0, 1, 2, 3}, 1, 2) == std::vector<int>{2, 3});
    CHECK(coresOfRank({4, 5}, 1, 2) == std::vector<int>{4, 5}); // too few: from the first again
}

TEST_CASE("cores are placed in packages and NUMA nodes")
{
    const Machine machine;
    CHECK(placeOf({0, 2}, machine.sys()) == "package 0, NUMA node 0");
    CHECK(placeOf({0, 1}, machine.sys()) == "packages 0-1, NUMA nodes 0-1");
    CHECK(placeOf({0}, "/nowhere").empty());
    CHECK(placeOf({0}).find("package ") == 0);
}

TEST_CASE("the affinity list follows the thread's binding")
{
    cpu_set_t before;
    REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
    int first = 0;
    while (!CPU_ISSET(first, &before))
        ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK(affinityList() == std::to_string(first));
    REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
    if (CPU_COUNT(&before) > 1)
        CHECK(affinityList() != std::to_string(first));
}
