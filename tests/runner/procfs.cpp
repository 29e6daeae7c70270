// SPDX-License-Identifier: MIT
#include "agent/runner/procfs.h"
#include "tests/support/temporaryfolder.h"

#include <doctest/doctest.h>
#include <fstream>

using namespace ringside;
using namespace ringside::runner;
using namespace ringside::test;

namespace {

struct Machine
{
    TemporaryFolder folder;
    KernelFiles kernel{folder / "proc", folder / "groups"};

    Machine()
    {
        write("proc/self/cgroup", "0::/job\n");
        write("proc/vmstat", "nr_free_pages 1\noom_kill 7\n");
    }
    void write(const fs::path& name, const std::string& text) const
    {
        fs::create_directories((folder / name).parent_path());
        REQUIRE(writeFileAtomically(folder / name, text));
    }
};

} // namespace

TEST_CASE("who ran out of memory elsewhere on the computer does not count")
{
    const Machine machine;
    fs::create_directories(machine.folder / "groups/job");
    CHECK_FALSE(outOfMemoryKills(machine.kernel)); // and not the 7 of the whole computer
    machine.write("groups/job/memory.events", "low 0\nhigh 0\nmax 9\noom 2\noom_kill 5\noom_group_kill 0\n");
    CHECK(outOfMemoryKills(machine.kernel) == 5);
    machine.write("groups/job/memory.events.local", "low 0\nhigh 0\nmax 9\noom 2\noom_kill 3\noom_group_kill 0\n");
    CHECK(outOfMemoryKills(machine.kernel) == 3); // not those of the groups below it
}

TEST_CASE("the kernel's log names a process by its whole number, and not one that had it before")
{
    const TemporaryFolder folder;
    std::ofstream file(folder / "log");
    file << "4,1,5,-;Out of memory: Killed process 4711 (python) total-vm:1kB, anon-rss:1kB\n" << std::flush;
    const auto names = [](KernelLog& log, pid_t pid, std::ofstream& grows) {
        grows << "6,2,6,-;eth0: link is up\n4,3,7,-;Out of memory: Killed process 815 (python) total-vm:1kB\n"
              << std::flush;
        return log.namesAsKilled(pid);
    };
    KernelLog log(folder / "log");
    CHECK_FALSE(names(log, 4711, file)); // of an earlier process
    CHECK_FALSE(names(log, 81, file));
    CHECK_FALSE(names(log, 15, file));
    CHECK(names(log, 815, file));
    CHECK_FALSE(log.namesAsKilled(815)); // it has been read
    KernelLog none(folder / "none");
    CHECK_FALSE(none.namesAsKilled(815));
}
