// SPDX-License-Identifier: MIT
#include "agent/runner/procfs.h"

#include "core/base/environment.h"
#include "core/base/networklinks.h"
#include "core/jobs/schedulers/table.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <sstream>
#include <unistd.h>

namespace ringside::runner {

namespace {

/// Environments longer than this are not read further; our mark is set first by us and comes early or not at all.
constexpr std::uint64_t kMaxProcBytes = 4u << 20;

struct Stat
{
    char state = '?';
    pid_t parent = 0;
    std::uint64_t flags = 0;
    std::uint64_t startTicks = 0;
};

fs::path proc(pid_t pid, const char* entry)
{
    return fs::path("/proc") / std::to_string(pid) / entry;
}

/// proc(5): the name in parentheses may hold anything, so fields are counted from the last one; 3 is the state, 4 the
/// parent, 9 the kernel's flags, and 22 the start time.
Result<Stat> readStat(pid_t pid)
{
    TRY_ASSIGN(const std::string text, readFile(proc(pid, "stat"), kMaxProcBytes));
    std::istringstream fields(text.substr(std::min(text.rfind(')') + 1, text.size())));
    Stat stat;
    fields >> stat.state >> stat.parent;
    std::string skipped;
    for (int field = 5; field < 9; ++field)
        fields >> skipped;
    fields >> stat.flags;
    for (int field = 10; field < 22; ++field)
        fields >> skipped;
    if (!(fields >> stat.startTicks))
        return fail(ErrorCode::damaged, fmt::format("{} reads oddly.", proc(pid, "stat").string()));
    return stat;
}

std::string bootId()
{
    auto text = readFile("/proc/sys/kernel/random/boot_id", 100);
    return text ? text->substr(0, text->find('\n')) : "";
}

std::string pidNamespace()
{
    std::error_code ignored;
    return fs::read_symlink("/proc/self/ns/pid", ignored).string();
}

bool carriesMark(pid_t pid, const std::string& mark)
{
    const auto environ = readFile(proc(pid, "environ"), kMaxProcBytes);
    if (!environ)
        return false;
    const std::string entries = '\0' + *environ + '\0';
    return entries.find('\0' + mark + '\0') != std::string::npos;
}

/// The files in which this process's cgroup may count: of version 1, where that rules memory, or of version 2, there
/// first what happened in the group itself (Linux 5.2) and not in those below it.
std::vector<fs::path> ownMemoryCounters(const KernelFiles& kernel)
{
    if (const fs::path old = controlGroup("memory", kernel); !old.empty())
        return {old / "memory.oom_control"};
    const fs::path unified = controlGroup(kUnified, kernel);
    return unified.empty() ? std::vector<fs::path>{}
                           : std::vector{unified / "memory.events.local", unified / "memory.events"};
}

std::optional<std::uint64_t> killsSaidBy(const fs::path& file)
{
    const auto counters = readFile(file, kMaxProcBytes);
    const std::string key = "\noom_kill ";
    const std::string text = counters ? "\n" + *counters : std::string{};
    const auto at = text.find(key);
    if (at == std::string::npos)
        return std::nullopt;
    return std::strtoull(text.c_str() + at + key.size(), nullptr, 10);
}

/// As the kernel has it compiled in (PROC_PID_INIT_INO).
constexpr const char* kFirstPidNamespace = "pid:[4026531836]";

bool isZombie(const Result<Stat>& stat)
{
    return !stat || stat->state == 'Z' || stat->state == 'X';
}

/// A kill waits for the main thread or for the whole process, or its core is being written: proc(5), SigPnd and ShdPnd,
/// one bit a signal; CoreDumping.
bool isBeingKilled(pid_t pid)
{
    std::istringstream lines(readFile(proc(pid, "status"), kMaxProcBytes).value_or(""));
    for (std::string line; std::getline(lines, line);) {
        const auto value = [&] { return line.c_str() + line.find(':') + 1; };
        const bool isSet = line.starts_with("SigPnd:") || line.starts_with("ShdPnd:");
        if (isSet && (std::strtoull(value(), nullptr, 16) >> (SIGKILL - 1) & 1))
            return true;
        if (line.starts_with("CoreDumping:") && std::atoi(value()) == 1)
            return true;
    }
    return false;
}

} // namespace

std::string ProcessIdentity::jobId() const
{
    return fmt::format("{}:{}:{}", bootId, pid, startTicks);
}

Result<ProcessIdentity> identify(pid_t pid)
{
    TRY_ASSIGN(const Stat stat, readStat(pid));
    return ProcessIdentity{bootId(), pidNamespace(), hostName(), pid, stat.startTicks};
}

Life lifeOf(const ProcessIdentity& process)
{
    if (process.bootId != bootId())
        return process.host == hostName() ? Life::dead : Life::unknown;
    if (process.pidNamespace != pidNamespace())
        return Life::unknown;
    const auto stat = readStat(process.pid);
    if (!stat)
        return stat.error().code == ErrorCode::notFound ? Life::dead : Life::unknown;
    return stat->startTicks == process.startTicks && !isZombie(stat) ? Life::alive : Life::dead;
}

bool isDying(pid_t pid)
{
    constexpr std::uint64_t kExiting = 0x4; // PF_EXITING of Linux, include/linux/sched.h
    const auto stat = readStat(pid);
    if (!stat)
        return stat.error().code == ErrorCode::notFound;
    return (stat->flags & kExiting) || isBeingKilled(pid);
}

std::string nodeName()
{
    for (const jobs::Scheduler* scheduler : jobs::schedulers())
        if (const char* node = environment(scheduler->variables().host))
            return node;
    return hostName();
}

std::vector<pid_t> processesOf(const fs::path& attempt, const char* variable)
{
    const std::string mark = std::string(variable) + "=" + attempt.string();
    std::vector<pid_t> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
        const pid_t pid = std::atoi(entry.path().filename().c_str());
        if (pid > 0 && carriesMark(pid, mark) && !isZombie(readStat(pid)))
            found.push_back(pid);
    }
    return found;
}

std::vector<pid_t> descendants()
{
    std::multimap<pid_t, pid_t> children;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
        const pid_t pid = std::atoi(entry.path().filename().c_str());
        const auto stat = pid > 0 ? readStat(pid) : fail(ErrorCode::notFound, {});
        if (stat && !isZombie(stat)) // whose children have another parent by now
            children.emplace(stat->parent, pid);
    }
    std::vector<pid_t> found{::getpid()};
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto [begin, end] = children.equal_range(found[i]);
        for (auto child = begin; child != end; ++child)
            found.push_back(child->second);
    }
    found.erase(found.begin());
    std::erase_if(
        found, [](pid_t pid) { return ::kill(pid, 0) != 0 || carriesMark(pid, std::string(kAttemptVariable) + "="); });
    return found;
}

std::vector<pid_t> together(std::vector<pid_t> some, const std::vector<pid_t>& others)
{
    for (const pid_t pid : others)
        if (std::ranges::find(some, pid) == some.end())
            some.push_back(pid);
    return some;
}

std::optional<std::uint64_t> outOfMemoryKills(const KernelFiles& kernel)
{
    for (const fs::path& file : ownMemoryCounters(kernel))
        if (const auto kills = killsSaidBy(file))
            return kills;
    return std::nullopt;
}

fs::path kernelLogFile()
{
    return pidNamespace() == kFirstPidNamespace ? "/dev/kmsg" : "";
}

KernelLog::KernelLog(const fs::path& file)
    : m_file(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC))
{
    ::lseek(m_file.get(), 0, SEEK_END);
}

/// A read returns one message and does not wait for the next.
bool KernelLog::namesAsKilled(pid_t pid)
{
    const std::string words = fmt::format("Killed process {} (", pid);
    char message[8192];
    while (m_file.get() >= 0) {
        const ssize_t n = ::read(m_file.get(), message, sizeof message);
        if (n < 0 && errno == EPIPE) // messages were overwritten meanwhile: the next one follows
            continue;
        if (n <= 0)
            break;
        if (std::string_view(message, static_cast<std::size_t>(n)).find(words) != std::string_view::npos)
            return true;
    }
    return false;
}

} // namespace ringside::runner
