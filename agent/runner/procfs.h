// SPDX-License-Identifier: MIT
// Reads from /proc which processes live and which belong to an attempt.
#pragma once

#include "core/base/controlgroup.h"
#include "core/base/descriptor.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/rankvariables.h"

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ringside::runner {

/// A process, named so that it is not confused with a reused pid, a reboot or another container.
struct ProcessIdentity
{
    std::string bootId;       ///< of the kernel
    std::string pidNamespace; ///< pids of another one mean nothing here
    std::string host;         ///< for messages, and to distinguish a reboot from another machine
    pid_t pid = 0;
    std::uint64_t startTicks = 0; ///< start time in clock ticks since boot
    bool operator==(const ProcessIdentity&) const = default;

    /// "boot id:pid:start time", the job id of a campaign on this computer.
    std::string jobId() const;
};

enum class Life
{
    alive,
    dead,
    unknown
};

/// Fails with notFound if there is no such process.
Result<ProcessIdentity> identify(pid_t pid);

/// dead only if it is proven: gone, replaced, a zombie, or of an earlier boot of this host.
Life lifeOf(const ProcessIdentity& process);

/// True once a process has ended, or does so whatever comes: it is exiting, or has been killed. The kernel closes the
/// files of a process that exits, which its peers see, and takes some time for its memory, before its parent can wait
/// for it.
bool isDying(pid_t pid);

/// Marks those processes of an attempt that are ranks or belong to one, and neither launchers nor guards.
inline constexpr const char* kRankVariable = "RINGSIDE_RANK_OF";

/// The name of this computer in messages: as its scheduler knows it, for several nodes may share a host name.
std::string nodeName();

/// Living processes of this user that carry this mark of this attempt.
std::vector<pid_t> processesOf(const fs::path& attempt, const char* variable = kAttemptVariable);

/// Living processes that this one, or one that it started, has started, and that it may end: a program can overwrite
/// its environment, and not its parents. Those of a parent that has ended are here only below a subreaper. Without
/// those whose mark of an attempt is empty: they belong to none.
std::vector<pid_t> descendants();

/// Both kinds, each process once.
std::vector<pid_t> together(std::vector<pid_t> some, const std::vector<pid_t>& others);

/// The number of processes of this process's own memory group (that of its job's step) that the kernel ended for want
/// of memory so far; nullopt where groups do not count. Other processes on the computer do not count.
std::optional<std::uint64_t> outOfMemoryKills(const KernelFiles& kernel = {});

/// The file in which the kernel's log tells of this process; empty in a pid namespace, where the log's numbers are
/// others.
fs::path kernelLogFile();

/// The kernel's log from this object's construction on: earlier lines are about earlier processes, whose numbers may be
/// in use again. Reads as far as this user may, and as the log goes.
class KernelLog
{
public:
    explicit KernelLog(const fs::path& file);

    /// True if it says that the kernel ended this process for want of memory. Continues where the last call stopped.
    bool namesAsKilled(pid_t pid);

private:
    Descriptor m_file;
};

} // namespace ringside::runner
