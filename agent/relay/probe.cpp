// SPDX-License-Identifier: MIT
#include "agent/relay/probe.h"

#include "agent/relay/ask.h"
#include "core/base/text.h"

#include <chrono>
#include <sched.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace ringside::relay {

namespace {

using Values = std::map<std::string, std::string>;

/// A first start of torch from a cold disk takes tens of seconds.
constexpr std::chrono::milliseconds kAskLimit{30'000};

std::string lineAfter(const std::string& text, std::string_view key)
{
    const auto at = text.find(key);
    if (at == std::string::npos)
        return {};
    const auto begin = text.find_first_not_of(" \t:", at + key.size());
    return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

std::string procText(const char* path)
{
    return readFile(path, 16u << 20).value_or("");
}

/// Cores that this process may use, which a container or a job may have cut down.
int usableCores()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                         : static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
}

void addMachine(Values& values)
{
    utsname names{};
    ::uname(&names);
    values["os"] = fmt::format("{} {}", names.sysname, names.release);
    values["arch"] = names.machine;
    values["host"] = plainText(names.nodename);
    values["cpu"] = plainText(lineAfter(procText("/proc/cpuinfo"), "model name"));
    values["cores"] = std::to_string(usableCores());
    const auto pages = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES));
    values["memory_bytes"] = std::to_string(pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
}

void addRoot(Values& values, const fs::path& root)
{
    struct statvfs info
    {
    };
    const bool known = ::statvfs(root.c_str(), &info) == 0;
    values["root"] = plainText(root.string());
    values["root_writable"] = known && ::access(root.c_str(), W_OK | X_OK) == 0 ? "true" : "false";
    values["root_executable"] = known && !(info.f_flag & ST_NOEXEC) ? "true" : "false";
    values["free_bytes"] = std::to_string(std::uint64_t{info.f_bavail} * info.f_frsize);
    if (::statvfs("/dev/shm", &info) == 0)
        values["shared_memory_bytes"] = std::to_string(std::uint64_t{info.f_blocks} * info.f_frsize);
}

void addAnswer(Values& values, const std::string& key, const std::vector<std::string>& command)
{
    if (auto answer = ask(command, kAskLimit))
        values[key] = plainText(*answer);
    else
        values[key + "_error"] = answer.error().text();
}

} // namespace

std::map<std::string, std::string> probe(const RelayOptions& options)
{
    Values values;
    addMachine(values);
    addRoot(values, options.root);
    addAnswer(values, "mpirun", {"mpirun", "--version"});
    if (!options.worker.empty())
        addAnswer(values, "worker_features", {options.worker.string(), "features"});
    return values;
}

} // namespace ringside::relay
