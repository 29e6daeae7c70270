// SPDX-License-Identifier: MIT
#include "agent/relay/probe.h"

#include "agent/runner/command.h"
#include "agent/runner/procfs.h"
#include "core/base/filesystem.h"
#include "core/base/findprogram.h"
#include "core/base/networklinks.h"
#include "core/base/text.h"
#include "core/jobs/partition.h"
#include "core/jobs/schedulers/table.h"
#include "core/protocol/installedengine.h"
#include "core/protocol/jsonfields.h"

#include <chrono>
#include <sched.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace ringside::relay {

namespace {

using Command = std::vector<std::string>;

constexpr std::chrono::milliseconds kAskLimit{10'000};
/// A first start of torch from a cold disk takes tens of seconds.
constexpr std::chrono::milliseconds kWorkerLimit{60'000};
constexpr std::size_t kMaxProbe = 16u << 20;
constexpr std::size_t kMaxValue = 1u << 20;

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

void addMachine(ProbeValues& values)
{
    utsname names{};
    ::uname(&names);
    values["os"] = fmt::format("{} {}", names.sysname, names.release);
    values["arch"] = names.machine;
    values["host"] = plainText(names.nodename);
    values["node"] = plainText(runner::nodeName());
    values["cpu"] = plainText(lineAfter(procText("/proc/cpuinfo"), "model name"));
    values["cores"] = std::to_string(usableCores());
    const auto pages = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES));
    values["memory_bytes"] = std::to_string(pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
}

void addRoot(ProbeValues& values, const fs::path& root)
{
    struct statvfs info
    {
    };
    const bool known = ::statvfs(root.c_str(), &info) == 0;
    values["root"] = plainText(root.string());
    values["root_writable"] = known && ::access(root.c_str(), W_OK | X_OK) == 0 ? "true" : "false";
    values["root_executable"] = known && !(info.f_flag & ST_NOEXEC) ? "true" : "false";
    values["root_file_system"] = plainText(mountTypeOf(procText("/proc/self/mountinfo"), root));
    values["free_bytes"] = std::to_string(std::uint64_t{info.f_bavail} * info.f_frsize);
    if (info.f_files > 0) // 0: the file system makes them as it needs them
        values["free_inodes"] = std::to_string(info.f_favail);
    if (::statvfs("/dev/shm", &info) == 0)
        values["shared_memory_bytes"] = std::to_string(std::uint64_t{info.f_blocks} * info.f_frsize);
}

/// The rest of the user's quota there, in the words of the tool. Both tools end with an error once a limit is exceeded,
/// and print the limits all the same.
void addQuota(ProbeValues& values, const fs::path& root)
{
    const bool isLustre = values["root_file_system"] == "lustre" && !findProgram("lfs").empty();
    const Command command = isLustre ? Command{"lfs", "quota", "-h", "-u", std::to_string(::geteuid()), root.string()}
                                     : Command{"quota", "-w", "-s"};
    if (findProgram(command.front()).empty())
        return;
    if (auto answer = runner::ask(command, {kAskLimit}); answer && !answer->output.empty())
        values["quota"] = plainText(answer->output.substr(0, kMaxValue));
}

void addNetwork(ProbeValues& values)
{
    if (std::string links = networkLinks(); !links.empty())
        values["network"] = std::move(links);
}

Result<std::string> answerOf(const Command& command, std::chrono::milliseconds limit = kAskLimit)
{
    return runner::outputOf(command, runner::ask(command, {limit}));
}

std::string firstLine(const std::string& text)
{
    return plainText(text.substr(0, std::min(text.find('\n'), kMaxValue)));
}

/// For programs that a site may be without: then nothing is reported of them.
void addIfThere(ProbeValues& values, const char* key, const Command& command)
{
    if (findProgram(command.front()).empty())
        return;
    if (auto answer = answerOf(command); answer && !answer->empty())
        values[key] = firstLine(*answer);
}

void addWhole(ProbeValues& values, const std::string& key, const Command& command, std::chrono::milliseconds limit)
{
    if (auto answer = answerOf(command, limit))
        values[key] = plainText(answer->substr(0, kMaxValue));
    else
        values[key + "_error"] = answer.error().text();
}

/// The module system is a function of login shells. Its start-up file is sign enough: running a user's own ones for
/// an answer may take long, or do anything.
void addModules(ProbeValues& values)
{
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/etc/profile.d", ignored)) {
        const std::string name = entry.path().filename().string();
        if (name.ends_with(".sh") &&
            (name.find("module") != std::string::npos || name.find("lmod") != std::string::npos))
            values["modules"] = plainText(entry.path().string());
    }
}

void addTools(ProbeValues& values)
{
    addIfThere(values, "glibc", {"getconf", "GNU_LIBC_VERSION"});
    addIfThere(values, "cxx", {"g++", "-dumpfullversion"});
    addIfThere(values, "cmake", {"cmake", "--version"});
    addIfThere(values, "apptainer", {"apptainer", "--version"});
    if (!values.contains("apptainer"))
        addIfThere(values, "apptainer", {"singularity", "--version"});
    addModules(values);
    if (!findProgram("nvidia-smi").empty())
        addWhole(values, "gpus", {"nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader"}, kAskLimit);
    addWhole(values, "mpirun", {"mpirun", "--version"}, kAskLimit);
}

void addScheduler(ProbeValues& values)
{
    const jobs::Scheduler* found = nullptr;
    for (const jobs::Scheduler* scheduler : jobs::schedulers()) {
        const std::string name(scheduler->name());
        addIfThere(values, name.c_str(), scheduler->versionCommand());
        found = found || !values.contains(name) ? found : scheduler;
    }
    if (!found)
        return;
    if (const auto text = answerOf(found->partitionsCommand()))
        values["partitions"] = jobs::partitionsToJson(found->parsePartitions(*text));
    else
        values["partitions_error"] = text.error().text();
}

} // namespace

ProbeValues probe(const RelayOptions& options)
{
    ProbeValues values;
    values["agent"] = plainText(options.agent.string());
    addMachine(values);
    addRoot(values, options.root);
    addQuota(values, options.root);
    addNetwork(values);
    addTools(values);
    values["engines"] = installedEnginesToJson(installedEngines(options.root));
    addScheduler(values);
    if (!options.worker.empty())
        addWhole(values, "worker_features", {options.worker.string(), "features"}, kWorkerLimit);
    return values;
}

std::vector<std::string> probeCommand(const RelayOptions& options)
{
    Command command{options.agent.string(), "probe", "--root", options.root.string()};
    if (!options.worker.empty())
        command.insert(command.end(), {"--worker", options.worker.string()});
    return command;
}

std::string toJson(const ProbeValues& values)
{
    return dumpJson(values);
}

Result<ProbeValues> probedFromJson(std::string_view text)
{
    TRY_ASSIGN(const nlohmann::json json, parseJsonObject(text, kMaxProbe, "the probe"));
    ProbeValues values;
    for (const auto& [name, value] : json.items())
        if (value.is_string())
            values[name] = value.get<std::string>();
    return values;
}

} // namespace ringside::relay
