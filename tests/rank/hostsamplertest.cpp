// SPDX-License-Identifier: MIT
#include "agent/rank/hostsampler.h"

#include "core/base/clock.h"
#include "tests/support/temporaryfolder.h"

#include <csignal>
#include <doctest/doctest.h>
#include <fstream>
#include <map>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace ringside;

namespace {

/// A /proc with known numbers, so that shares can be checked exactly.
class ProcFolder
{
public:
    void host(int user, int idle, int softIrq)
    {
        write("stat", fmt::format("cpu  {} 0 0 {} 0 0 {} 0 0 0\ncpu0 1 2 3\n", user, idle, softIrq));
    }
    /// User time of each of two cores, of which the second is this process's; both are idle for as long.
    void cores(int first, int second, int idle)
    {
        write("stat", fmt::format("cpu  {} 0 0 {} 0 0 0 0 0 0\ncpu0 {} 0 0 {} 0 0 0 0 0 0\n"
                                  "cpu1 {} 0 0 {} 0 0 0 0 0 0\nintr 1 2 3\n",
                                  first + second, 2 * idle, first, idle, second, idle));
    }
    void bind(int pid, const char* cores)
    {
        write(fmt::format("{}/status", pid), fmt::format("Name:\tx\nCpus_allowed_list:\t{}\nMems:\t0\n", cores));
    }
    HostSampler sampler(std::chrono::nanoseconds listing = {}) const
    {
        return {path(), clock(), getpid(), {1}, listing, path() / "sys"};
    }
    void process(int pid, const char* name, int session, int ticks, int parent = 1)
    {
        m_ticks[pid] = ticks;
        write(fmt::format("{}/stat", pid),
              fmt::format("{} ({}) R {} 1 {} 0 0 0 0 0 0 0 0 0 0 0 20 0 1 0 5\n", pid, name, parent, session));
    }
    HostSampler::CpuClock clock() const
    {
        return [this](pid_t pid) {
            const auto process = m_ticks.find(pid);
            return process == m_ticks.end() ? 0 : process->second * std::int64_t{1'000'000'000} / sysconf(_SC_CLK_TCK);
        };
    }
    void write(const fs::path& name, const std::string& text)
    {
        fs::create_directories((m_folder / name).parent_path());
        std::ofstream(m_folder / name) << text;
    }
    void remove(int pid)
    {
        m_ticks.erase(pid);
        fs::remove_all(m_folder / std::to_string(pid));
    }
    const fs::path& path() const { return m_folder.path(); }

private:
    test::TemporaryFolder m_folder;
    std::map<pid_t, int> m_ticks; ///< that processes have used
};

} // namespace

TEST_CASE("the attempt's session and Ringside's programs are not foreign, everything else is")
{
    const int session = getsid(0);
    ProcFolder proc;
    proc.host(1000, 1000, 0);
    proc.process(10, "ringside-worker", session, 500);
    proc.process(11, "mpirun", session, 20);
    proc.process(12, "ringside-agent", 9999999, 30);
    proc.process(13, "ringside-worker", 9999999, 40);
    proc.process(14, "firefox", 8888888, 400);
    HostSampler sampler = proc.sampler();

    proc.host(1150, 1050, 0); // 150 busy of 200
    proc.process(10, "ringside-worker", session, 560);
    proc.process(11, "mpirun", session, 24);
    proc.process(12, "ringside-agent", 9999999, 36);
    proc.process(13, "ringside-worker", 9999999, 80);
    proc.process(14, "firefox", 8888888, 440);
    const Telemetry telemetry = sampler.sample();
    CHECK(telemetry.cpuShare == doctest::Approx(150.0 / 200));
    CHECK(telemetry.foreignCpuShare == doctest::Approx((150.0 - 60 - 4 - 6) / 200));
}

TEST_CASE("ranks that begin, end or take over a process id between samples are counted as they should")
{
    const int session = getsid(0);
    ProcFolder proc;
    proc.host(0, 1000, 0);
    proc.process(10, "ringside-worker", session, 500);
    proc.process(11, "ringside-worker", session, 700);
    HostSampler sampler = proc.sampler();

    proc.host(100, 1100, 0);
    proc.remove(10);
    proc.process(11, "ringside-worker", session, 30); // another process with the same id
    proc.process(12, "ringside-worker", session, 50);
    CHECK(sampler.sample().foreignCpuShare == doctest::Approx((100.0 - 30 - 50) / 200));
}

TEST_CASE("of the cores that a rank uses, what the family cannot have taken is foreign")
{
    const int session = getsid(0);
    ProcFolder proc;
    proc.cores(0, 0, 0);
    proc.process(10, "ringside-worker", session, 0);
    proc.process(11, "ringside-worker", session, 0);
    proc.process(12, "mpirun", session, 0);
    proc.process(13, "make", 9999999, 0);
    proc.bind(10, "1");
    proc.bind(11, "0,2-5");
    proc.bind(12, "0-63");
    HostSampler sampler = proc.sampler();

    proc.cores(100, 100, 0);
    proc.process(10, "ringside-worker", session, 55);
    proc.process(11, "ringside-worker", session, 95);
    proc.process(12, "mpirun", session, 5);
    proc.process(13, "make", 9999999, 45);
    const Telemetry telemetry = sampler.sample();
    CHECK(telemetry.foreignCoresShare == doctest::Approx(0.4));
    CHECK(telemetry.foreignCpuShare == doctest::Approx(45.0 / 200));
}

TEST_CASE("what rounding gives to one reading it takes from the next")
{
    const int session = getsid(0);
    ProcFolder proc;
    proc.cores(0, 0, 0);
    proc.process(10, "ringside-worker", session, 0);
    proc.bind(10, "1");
    HostSampler sampler = proc.sampler();
    double sum = 0;
    for (int i = 1; i <= 20; ++i) { // the process's time comes a tick too late each second time, and too early else
        proc.cores(0, 10 * i, 0);
        proc.process(10, "ringside-worker", session, 10 * i + (i % 2 ? 1 : -1));
        sum += sampler.sample().foreignCoresShare;
    }
    CHECK(sum <= 0.2001); // of 20 readings: not a tenth of each second one
}

TEST_CASE("between two lists of processes the family's time is still taken off")
{
    const int session = getsid(0);
    ProcFolder proc;
    proc.cores(0, 0, 0);
    proc.process(10, "ringside-worker", session, 0);
    HostSampler sampler = proc.sampler(std::chrono::hours(1));
    proc.cores(0, 100, 100);
    proc.process(10, "ringside-worker", session, 80);
    CHECK(sampler.sample().foreignCpuShare == doctest::Approx(20.0 / 300));
}

namespace {

constexpr int kAsleep = 5'000'000; ///< no process has this id: as a rank that itself uses no time

/// A rank that may use two cores, and the time that it is said to use.
class RankOfTwoCores
{
public:
    explicit RankOfTwoCores(const ProcFolder& proc)
        : m_sampler(proc.path(), proc.clock(), kAsleep, {0, 1}, std::chrono::hours(1))
    {
    }
    /// Returns whether it used so many ticks since the call before. When a reading was made is known by its bounds.
    bool used(double ticks)
    {
        const std::int64_t beginNs = monotonicNs();
        const double cores = 2.0 * m_sampler.sample().ownCoresShare;
        const std::int64_t endNs = monotonicNs();
        const double seconds = ticks / double(sysconf(_SC_CLK_TCK));
        const double least = cores * double(beginNs - m_endNs) / 1e9, most = cores * double(endNs - m_beginNs) / 1e9;
        m_beginNs = beginNs;
        m_endNs = endNs;
        return least <= 1.001 * seconds && most >= 0.999 * seconds;
    }
    HostSampler& sampler() { return m_sampler; }

private:
    std::int64_t m_beginNs = monotonicNs(); ///< of the reading before, at the earliest
    HostSampler m_sampler;
    std::int64_t m_endNs = monotonicNs(); ///< at the latest
};

} // namespace

TEST_CASE("what a rank started is its own, and what else the session runs is not")
{
    const int session = getsid(0);
    ProcFolder proc;
    proc.process(20, "python", session, 100, kAsleep);
    proc.process(21, "caffe", session, 50, 20);
    proc.process(22, "mpirun", session, 70);
    proc.process(23, "ringside-worker", session, 70, 22);
    RankOfTwoCores rank(proc);

    std::this_thread::sleep_for(std::chrono::milliseconds(100)); // so that the ticks below are no more than it had
    proc.process(20, "python", session, 102, kAsleep);
    proc.process(21, "caffe", session, 53, 20);
    proc.process(22, "mpirun", session, 900);
    proc.process(23, "ringside-worker", session, 900, 22);
    CHECK(rank.used(5));
    CHECK(rank.used(0));
}

TEST_CASE("what a rank starts is found by the next list, which can be asked for")
{
    const int session = getsid(0);
    ProcFolder proc;
    RankOfTwoCores rank(proc);
    proc.process(20, "caffe", session, 1000, kAsleep);
    CHECK(rank.used(0)); // the next list is an hour away
    rank.sampler().listNext();
    CHECK_FALSE(rank.used(0));
    CHECK(rank.used(0));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    proc.process(20, "caffe", session, 1004, kAsleep);
    CHECK(rank.used(4));
}

TEST_CASE("interrupts are busy time, but of no process")
{
    ProcFolder proc;
    proc.host(0, 0, 0);
    HostSampler sampler = proc.sampler();
    proc.host(10, 60, 30);
    const Telemetry telemetry = sampler.sample();
    CHECK(telemetry.cpuShare == doctest::Approx(0.4));
    CHECK(telemetry.foreignCpuShare == doctest::Approx(0.1));
}

TEST_CASE("memory, disk and network are read in bytes, counters from the beginning")
{
    const char* header = "Inter-|   Receive\n face |bytes\n    lo: 9 0 0 0 0 0 0 0 9 0\n";
    ProcFolder proc;
    proc.write("meminfo", "MemTotal:    1000 kB\nMemFree: 1 kB\nMemAvailable:   400 kB\n");
    proc.write(fmt::format("{}/statm", getpid()), "5000 100 50 0 0 0 0\n");
    proc.write(fmt::format("{}/io", getpid()), "rchar: 1\nread_bytes: 4096\n");
    proc.write("self/net/dev", header + std::string("  eth0: 1 0 0 0 0 0 0 0 1000 0\n"));
    HostSampler sampler = proc.sampler();
    proc.write(fmt::format("{}/io", getpid()), "rchar: 9\nread_bytes: 12288\n");
    proc.write("self/net/dev", header + std::string("  eth0:2 0 0 0 0 0 0 0 1500 0\n  ib0: 1 0 0 0 0 0 0 0 70 0\n"));
    const Telemetry telemetry = sampler.sample();
    CHECK(telemetry.hostMemoryUsedBytes == 600 * 1024);
    CHECK(telemetry.memoryBytes == 100 * std::uint64_t(sysconf(_SC_PAGESIZE)));
    CHECK(telemetry.diskReadBytes == 8192);
    CHECK(telemetry.networkSentBytes == 570);
}

TEST_CASE("what goes through a bond counts once, where it leaves the host")
{
    const auto counters = [](int slave, int bond) {
        return fmt::format("Inter-|   Receive\n face |bytes\n    lo: 0 0 0 0 0 0 0 0 9 0\n"
                           "  eth0: 1 0 0 0 0 0 0 0 {} 0\n bond0: 1 0 0 0 0 0 0 0 {} 0\n",
                           slave, bond);
    };
    ProcFolder proc;
    proc.write("sys/class/net/eth0/device/vendor", "0x15b3\n");
    proc.write("sys/class/net/bond0/operstate", "up\n");
    proc.write("self/net/dev", counters(1000, 1000));
    HostSampler sampler = proc.sampler();
    proc.write("self/net/dev", counters(1500, 1500));
    CHECK(sampler.sample().networkSentBytes == 500);
}

TEST_CASE("a /proc without anything in it gives zeros")
{
    ProcFolder proc;
    HostSampler sampler = proc.sampler();
    const Telemetry telemetry = sampler.sample();
    CHECK(telemetry.cpuShare == 0);
    CHECK(telemetry.foreignCpuShare == 0);
    CHECK(telemetry.foreignCoresShare == Telemetry::kNotTold);
    CHECK(telemetry.memoryBytes == 0);
}

TEST_CASE("on the real machine a busy process is seen as its own")
{
    HostSampler sampler(getpid());
    const std::int64_t begin = monotonicNs();
    volatile unsigned work = 0;
    while (monotonicNs() - begin < 200'000'000)
        work = work + 1;
    const Telemetry telemetry = sampler.sample();
    CHECK(telemetry.ownCpuShare > 0);
    CHECK(telemetry.ownCoresShare >= telemetry.ownCpuShare);
    CHECK(telemetry.ownCoresShare <= 1);
    CHECK(telemetry.cpuShare > 0);
    CHECK(telemetry.foreignCoresShare >= 0);
    CHECK(telemetry.foreignCoresShare <= 1);
    CHECK(telemetry.memoryBytes > 1'000'000);
    CHECK(telemetry.hostMemoryUsedBytes > telemetry.memoryBytes);
    CHECK(telemetry.atNs >= begin);
}

TEST_CASE("on the real machine a rank that waits for a busy process which it started is seen as busy")
{
    const pid_t rank = fork();
    if (rank == 0) {
        if (const pid_t busy = fork(); busy == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (;;)
                ;
        }
        pause();
        _exit(0);
    }
    REQUIRE(rank > 0);
    HostSampler sampler(rank);
    std::this_thread::sleep_for(std::chrono::milliseconds(100)); // so that it has started the other
    sampler.listNext();
    sampler.sample();
    std::this_thread::sleep_for(std::chrono::seconds(1));
    const Telemetry telemetry = sampler.sample();
    kill(rank, SIGKILL);
    waitpid(rank, nullptr, 0);
    CHECK(telemetry.ownCpuShare * double(sysconf(_SC_NPROCESSORS_ONLN)) >
          0.05); // of a core that others may use as well
}

TEST_CASE("a sample is cheap")
{
    HostSampler sampler(getpid());
    timespec begin{}, end{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    for (int i = 0; i < 20; ++i)
        sampler.sample();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    const double each = (double(end.tv_sec - begin.tv_sec) * 1e9 + double(end.tv_nsec - begin.tv_nsec)) / 20;
    MESSAGE("CPU time per sample: " << each / 1e6 << " ms");
    CHECK(each < 50e6); // an order of magnitude above what a busy machine needs
}
