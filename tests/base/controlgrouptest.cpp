// SPDX-License-Identifier: MIT
#include "core/base/controlgroup.h"

#include "core/base/files.h"
#include "tests/support/temporaryfolder.h"

#include <cstdlib>
#include <cstring>
#include <doctest/doctest.h>
#include <fstream>
#include <functional>
#include <limits>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ringside;

namespace {

constexpr std::uint64_t kMiB = 1u << 20;
constexpr auto kUnlimited = std::numeric_limits<std::uint64_t>::max();

/// Files as a machine had them below /proc and /sys/fs/cgroup.
class Recorded
{
public:
    explicit Recorded(const char* ownGroups)
    {
        write("proc/meminfo",
              "MemTotal:       65770504 kB\nMemFree:         1048576 kB\nMemAvailable:   33554432 kB\n");
        write("proc/self/status", "Name:\tringside-worker\nVmRSS:\t  147456 kB\nRssAnon:\t   65536 kB\n");
        write("proc/self/cgroup", ownGroups);
    }

    void write(const fs::path& path, const std::string& text)
    {
        fs::create_directories((m_folder / path).parent_path());
        std::ofstream(m_folder / path) << text;
    }
    /// A group of version 2: its limit ("max": none), and what it holds; of files, read lately or not.
    void group2(const fs::path& path, const std::string& limit, std::uint64_t used, std::uint64_t files = 0)
    {
        write("groups" / path / "memory.max", limit + "\n");
        write("groups" / path / "memory.current", std::to_string(used) + "\n");
        write("groups" / path / "memory.stat",
              fmt::format("anon 1\nfile 2\nworkingset_inactive_file 7\ninactive_file {}\nactive_file {}\n", files / 4,
                          files - files / 4));
    }
    void group1(const fs::path& path, std::uint64_t limit, std::uint64_t used, std::uint64_t files = 0)
    {
        write("groups/memory" / path / "memory.limit_in_bytes", std::to_string(limit) + "\n");
        write("groups/memory" / path / "memory.usage_in_bytes", std::to_string(used) + "\n");
        write("groups/memory" / path / "memory.stat",
              fmt::format("cache 1\ninactive_file 3\ntotal_cache 1\ntotal_inactive_file {}\ntotal_active_file {}\n",
                          files / 4, files - files / 4));
    }
    KernelFiles kernel() const { return {m_folder / "proc", m_folder / "groups"}; }

private:
    test::TemporaryFolder m_folder;
};

/// Returns what a child of this process finds after it has joined the group.
std::uint64_t foundIn(const fs::path& group, const std::function<std::uint64_t()>& find)
{
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        std::ofstream(group / "cgroup.procs") << ::getpid() << std::flush;
        const std::uint64_t found = find();
        const bool told = ::write(ends[1], &found, sizeof found) == sizeof found;
        ::_exit(told ? 0 : 1);
    }
    ::close(ends[1]); // the end of a child that is killed is an end of file
    std::uint64_t found = 0;
    CHECK(::read(ends[0], &found, sizeof found) == sizeof found);
    ::waitpid(child, nullptr, 0);
    ::close(ends[0]);
    return found;
}

std::uint64_t afterTaking(std::uint64_t bytes)
{
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::memset(memory, 1, bytes);
    return availableMemory();
}

} // namespace

TEST_CASE("a job of Slurm has what its step leaves, by groups of version 2, less what the kernel can drop")
{
    Recorded machine("0::/system.slice/slurmstepd.scope/job_12/step_0/user/task_0\n");
    const fs::path scope = "system.slice/slurmstepd.scope";
    machine.write("groups/cgroup.controllers", "cpuset cpu io memory pids\n");
    machine.group2("system.slice", "max", 9'000 * kMiB);
    machine.group2(scope / "job_12", std::to_string(4'000 * kMiB), 1'500 * kMiB, 500 * kMiB);
    machine.group2(scope / "job_12/step_0", std::to_string(4'000 * kMiB), 1'000 * kMiB);
    machine.group2(scope / "job_12/step_0/user/task_0", "max", 900 * kMiB);
    CHECK(availableMemory(machine.kernel()) == 3'000 * kMiB);
    machine.group2(scope / "job_12", std::to_string(4'000 * kMiB), 1'500 * kMiB, 100 * kMiB);
    CHECK(availableMemory(machine.kernel()) == 2'600 * kMiB);
    machine.group2(scope / "job_12/step_0/user", std::to_string(800 * kMiB), 900 * kMiB);
    CHECK(availableMemory(machine.kernel()) == 0);
    CHECK(ownMemory(machine.kernel()) == 64 * kMiB);
}

TEST_CASE("groups of version 1 are looked at up to their root")
{
    Recorded machine("11:cpu,cpuacct:/slurm/uid_0\n4:memory:/slurm/uid_0/job_12/step_0\n0::/\n");
    const std::uint64_t none = 9'223'372'036'854'771'712u;
    machine.group1("", none, 20'000 * kMiB);
    machine.group1("slurm/uid_0", none, 2'000 * kMiB);
    machine.group1("slurm/uid_0/job_12", 6'000 * kMiB, 2'000 * kMiB, 300 * kMiB);
    machine.group1("slurm/uid_0/job_12/step_0", 5'000 * kMiB, 100 * kMiB);
    CHECK(availableMemory(machine.kernel()) == 4'300 * kMiB);
    CHECK(controlGroup("cpuacct", machine.kernel()) == machine.kernel().groups / "cpuacct/slurm/uid_0");
    CHECK(controlGroup("pids", machine.kernel()).empty());
}

TEST_CASE("a container that names its group from the host's root has its own limits where it sees the root")
{
    Recorded machine("4:memory:/docker/0123\n0::/docker/0123\n");
    machine.group1("", 2'000 * kMiB, 500 * kMiB, 100 * kMiB);
    CHECK(availableMemory(machine.kernel()) == 1'600 * kMiB);
    Recorded outside("0::/../../user.slice\n");
    outside.group2("", std::to_string(1'000 * kMiB), 400 * kMiB);
    CHECK(availableMemory(outside.kernel()) == 600 * kMiB);
}

TEST_CASE("without a limit of a group there is what the host says, and without that any")
{
    Recorded machine("0::/user.slice\n");
    machine.group2("user.slice", "max", 500 * kMiB);
    CHECK(availableMemory(machine.kernel()) == 32'768 * kMiB);
    CHECK(availableMemory({"/nowhere", "/nowhere"}) == kUnlimited);
    CHECK(ownMemory({"/nowhere", "/nowhere"}) == 0);
}

#ifndef __SANITIZE_THREAD__ // whose shadow of the memory is larger than the group's limit
TEST_CASE("of this computer: a process in a group below another has what the one above leaves")
{
    CHECK(availableMemory() > kMiB);
    CHECK(ownMemory() > 0);
    const fs::path group = fmt::format("/sys/fs/cgroup/memory/ringside-test-groups-{}", ::getpid());
    std::error_code refused;
    fs::create_directory(group, refused);
    if (refused) {
        MESSAGE("skipped: no memory group can be made here, which takes cgroups of version 1 and root");
        return;
    }
    fs::create_directory(group / "step", refused);
    std::ofstream(group / "memory.limit_in_bytes") << 200 * kMiB;
    const auto before = foundIn(group / "step", [] { return availableMemory(); });
    CHECK(before <= 200 * kMiB);
    CHECK(before > 150 * kMiB);
    const auto after = foundIn(group / "step", [] { return afterTaking(100 * kMiB); });
    CHECK(after <= 100 * kMiB);
    CHECK(after > 50 * kMiB);
    CHECK(::rmdir((group / "step").c_str()) == 0);
    CHECK(::rmdir(group.c_str()) == 0);
}
#endif
