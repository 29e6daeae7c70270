// SPDX-License-Identifier: MIT
// Load of this host and of this rank, read from /proc.
#pragma once

#include "core/base/files.h"
#include "core/protocol/sample.h"

#include <cstdint>
#include <optional>
#include <sys/types.h>
#include <unordered_map>
#include <unordered_set>

namespace ringside {

/// Reads /proc and keeps the previous reading; shares are over the time between two calls of sample(). One thread at a
/// time. Never fails: what cannot be read counts as 0. A few hundred processes cost well
/// under 1 ms of CPU time.
///
/// foreignCpuShare is the share of all cores' time that went neither to this attempt nor to Ringside's own programs:
/// user and system time of the host and time stolen by its hypervisor, minus the time of every process that
///   * is in this process's session: the runner starts each attempt in a session of its own, which mpirun and all ranks
///     on the host share; a session, unlike a process tree, survives the death of parents. Or
///   * is named ringside, ringside-cli or ringside-agent. A ringside-worker of another attempt is foreign.
/// Interrupts count as busy but can be put down to nobody, so they are not foreign; kernel threads are. In a container
/// the host's time is the whole machine's, so that neighbours outside it are seen, too. Resolution: one clock tick (10
/// ms).
///
/// diskReadBytes are this process's reads that reached a disk; networkSentBytes are the host's, without loopback.
class HostSampler
{
public:
    /// `proc` is replaced in tests only.
    explicit HostSampler(fs::path proc = "/proc");

    /// The load since the previous call; the first call measures since construction.
    Telemetry sample();

private:
    struct HostTicks
    {
        std::uint64_t total = 0;
        std::uint64_t busy = 0;
        std::uint64_t interrupts = 0;
    };

    HostTicks readHostTicks() const;
    std::uint64_t takeFamilyTicks();
    std::optional<std::uint64_t> familyTicks(pid_t pid);
    bool isFamily(std::string_view name, int session) const;
    void fillCpu(Telemetry& telemetry);
    std::uint64_t hostMemoryUsed() const;
    std::uint64_t networkSent() const;
    std::uint64_t diskRead() const;

    fs::path m_proc;
    pid_t m_session;
    HostTicks m_ticks;
    std::unordered_map<pid_t, std::uint64_t> m_familyTicks; ///< of this attempt's and Ringside's processes
    std::unordered_set<pid_t> m_strangers;                  ///< looked at lately, not of the family
    std::uint64_t m_calls = 0;
    std::int64_t m_ownNs = 0;
    std::int64_t m_atNs = 0;
    std::uint64_t m_networkAtStart = 0;
    std::uint64_t m_diskAtStart = 0;
};

} // namespace ringside
