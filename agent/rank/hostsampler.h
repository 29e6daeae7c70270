// SPDX-License-Identifier: MIT
// Load of this host and of a rank on it, read from /proc.
#pragma once

#include "agent/rank/procfile.h"
#include "core/protocol/sample.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <sys/types.h>
#include <unistd.h>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ringside {

/// Reads /proc and stores the previous reading; shares are over the time between two calls of sample(). One thread at a
/// time. Never fails: unreadable values count as 0. The list of processes is read every five seconds, and in between
/// only the clocks of the known family: a few hundred processes cost well under 1 ms of CPU time.
///
/// foreignCpuShare is the share of all cores' time that went neither to this attempt nor to Ringside's own programs:
/// user and system time of the host and time stolen by its hypervisor, minus the time of every process that
///   * is in this process's session: the runner starts each attempt in a session of its own, which mpirun and all ranks
///     on the host share; a session, unlike a process tree, survives the death of parents. Or
///   * is named ringside, ringside-cli or ringside-agent. A ringside-worker of another attempt is foreign.
/// Interrupts count as busy but cannot be attributed to a process, so they are not foreign; kernel threads are. In a
/// container the host's time is the whole machine's, so that neighbours outside it are seen, too. Resolution: one clock
/// tick (10 ms) of the host; a shortfall of one reading is subtracted from the next, so that rounding does not add up.
///
/// foreignCoresShare is the same of the cores that this process may use. Where a process ran is not known, so all time
/// of a family process that may use one of these cores is subtracted: at least that much was foreign. The ranks of an
/// attempt are bound to cores of their own.
///
/// ownCpuShare and ownCoresShare are what the rank used: its process, by its own clock, and the processes of the
/// session that descend from it, as a framework that runs behind a script, or workers that load its data. One that it
/// starts is seen when processes are next listed; what it did until then counts in one reading, which is never more
/// than all cores. One whose parent has ended is no longer the rank's. Waiting by spinning counts as use.
///
/// diskReadBytes are this process's reads that reached a disk; networkSentBytes are the host's through its adapters, so
/// that what goes through a bond, a VLAN or a bridge counts once; where it sees no adapter, as a container, through all
/// interfaces but loopback.
class HostSampler
{
public:
    /// Follows the rank that this process is, or guards.
    explicit HostSampler(pid_t rank = getpid());
    /// Returns the nanoseconds of all cores that a process has used since it began; 0 once it has ended.
    using CpuClock = std::function<std::int64_t(pid_t)>;
    /// In tests: another /proc with its processes' clocks, cores that this process may use, and how often processes are
    /// listed.
    HostSampler(fs::path proc, CpuClock clock, pid_t rank, std::set<int> cores, std::chrono::nanoseconds listing,
                const fs::path& sys = "/sys");

    /// The load since the previous call; the first call measures since construction.
    Telemetry sample();

    /// Lists processes with the next sample, so that later ones find what was started until then.
    void listNext() { m_isListDue = true; }

private:
    struct CoreTicks
    {
        std::uint64_t total = 0;
        std::uint64_t busy = 0;
        std::uint64_t interrupts = 0;
    };
    struct Ticks
    {
        CoreTicks host, cores; ///< of all cores, and of those that this process may use
    };
    struct FamilyTicks
    {
        double host = 0, cores = 0; ///< of all, and of those that may have run on cores of this process
        double started = 0;         ///< of those that descend from the rank
    };
    struct Relative
    {
        std::int64_t usedNs = 0; ///< since its start
        pid_t parent = 0;
        bool mayRunHere = true;
    };
    using Family = std::unordered_map<pid_t, Relative>;
    /// Foreign ticks, never below 0: a negative rest is subtracted from the next ones.
    class Foreign
    {
    public:
        double take(double ticks, double most);

    private:
        double m_owed = 0;
    };

    Ticks readTicks() const;
    FamilyTicks takeFamilyTicks();
    bool isTimeToList();
    Family listed();
    Family known() const;
    std::vector<pid_t> processes() const;
    std::optional<Relative> relative(pid_t pid);
    bool isFamily(std::string_view name, int session) const;
    bool mayRunHere(pid_t pid) const;
    bool descendsFromRank(const Family& family, pid_t pid) const;
    void fillCpu(Telemetry& telemetry);
    std::uint64_t hostMemoryUsed() const;
    bool countsInterface(std::string_view name) const;
    std::uint64_t networkSent() const;
    std::uint64_t diskRead() const;

    fs::path m_proc;
    CpuClock m_clock;
    pid_t m_rank;
    ProcFile m_stat, m_statm, m_meminfo, m_io, m_network;
    std::set<int> m_cores;
    std::set<std::string, std::less<>> m_adapters; ///< the network interfaces that are devices
    std::chrono::nanoseconds m_listing;
    pid_t m_session;
    double m_onlineCores; ///< asking for them costs as much as reading the load
    Ticks m_ticks;
    Foreign m_foreignOnHost, m_foreignOnCores;
    Family m_family;                       ///< this attempt's and Ringside's processes
    std::unordered_set<pid_t> m_strangers; ///< looked at lately, not of the family
    std::uint64_t m_lists = 0;
    std::int64_t m_listedNs = 0;
    bool m_isListDue = true;
    std::int64_t m_ownNs = 0;
    std::int64_t m_atNs = 0;
    std::uint64_t m_networkAtStart = 0;
    std::uint64_t m_diskAtStart = 0;
};

} // namespace ringside
