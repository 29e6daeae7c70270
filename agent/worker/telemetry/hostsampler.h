// SPDX-License-Identifier: MIT
// Load of this host and of this rank, read from /proc.
#pragma once

#include "core/base/files.h"
#include "core/protocol/sample.h"

#include <cstdint>
#include <sys/types.h>
#include <unordered_map>

namespace ringside {

/// Reads /proc and keeps the previous reading; shares are over the time between two calls of sample().
/// One thread at a time. Never fails: a file that cannot be read counts as 0. A few hundred processes cost well under
/// 1 ms of CPU time.
///
/// foreignCpuShare is the busy share of all cores that belongs neither to this attempt nor to Ringside's own programs:
/// busy share of the host, minus that of every process
///   * in the session of this process (the runner starts each attempt in a session of its own, which mpirun and all
///     ranks of this host share; a session id survives the death of parents, which a process tree does not), or
///   * whose program is named ringside, ringside-cli, ringside-agent or ringside-worker (the window, relay and runner),
///     or whose parent is such a program.
/// Time of processes that began and ended between two samples, and of interrupts and kernel threads, is foreign.
/// In a container the host's busy share is the whole machine's, so neighbours outside it are seen, too.
class HostSampler
{
public:
    /// `proc` is replaced in tests only.
    explicit HostSampler(fs::path proc = "/proc");

    /// The load since the previous call; the first call measures since construction.
    Telemetry sample();

private:
    struct HostTimes
    {
        std::uint64_t busy = 0; ///< clock ticks over all cores
        std::uint64_t total = 0;
    };

    HostTimes readHostTimes() const;
    std::uint64_t ticksOfFriends();

    fs::path m_proc;
    pid_t m_self;
    pid_t m_session;
    HostTimes m_host;
    std::uint64_t m_ownTicks = 0;
    std::unordered_map<pid_t, std::uint64_t> m_friendTicks;
    std::uint64_t m_networkAtStart = 0;
    std::uint64_t m_diskAtStart = 0;
};

} // namespace ringside
