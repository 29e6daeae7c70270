// SPDX-License-Identifier: MIT
#include "agent/runner/launch.h"

#include "agent/runner/scratch.h"
#include "core/base/environment.h"
#include "core/base/text.h"
#include "core/jobs/programs.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace ringside::runner {

namespace {

/// Open MPI's vader lays out some 4 MiB a rank; with less than twice that it dies by SIGBUS in the first collective.
constexpr std::uint64_t kSharedMemoryPerRank = 8u << 20;

/// mpirun 4.1.4 needs 32 descriptors and 4 for each rank that it starts here; ranks that find each other need one each.
constexpr rlim_t kFilesAtLeast = 48;
constexpr rlim_t kFilesPerProcess = 8;

std::uint64_t freeBytes(const fs::path& folder)
{
    struct statvfs info;
    return ::statvfs(folder.c_str(), &info) == 0 ? std::uint64_t{info.f_bavail} * info.f_frsize : 0;
}

/// Only what may be called between fork and exec in any process: descriptors, signals, exec.
[[noreturn]] void becomeSession(char* const* arguments, char* const* variables, int log, pid_t runner)
{
    ::setsid();
    ::prctl(PR_SET_PDEATHSIG,
            SIGKILL); // a guard changes that for itself; mpirun would take too long over anything less
    if (::getppid() != runner)
        ::_exit(128 + SIGKILL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    ::signal(SIGHUP, SIG_DFL);
    const int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(log, STDOUT_FILENO);
    ::dup2(log, STDERR_FILENO);
    ::execvpe(arguments[0], arguments, variables);
    ::dprintf(STDERR_FILENO, "cannot start %s: %s\n", arguments[0], std::strerror(errno));
    ::_exit(127);
}

std::vector<std::string> mergedEnvironment(const std::map<std::string, std::string>& more)
{
    std::vector<std::string> variables = inheritedEnvironment();
    std::erase_if(variables, [&](const auto& entry) { return more.contains(std::string(variableName(entry))); });
    for (const auto& [name, value] : more)
        variables.push_back(name + "=" + value);
    return variables;
}

bool isProgram(const std::string& name)
{
    return name.find('/') == std::string::npos ? jobs::isInPath(name.c_str()) : jobs::isExecutable(name);
}

std::vector<char*> pointers(std::vector<std::string>& texts)
{
    std::vector<char*> result;
    for (auto& text : texts)
        result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

} // namespace

Result<void> allowFiles(const RunSpec& run, std::size_t hosts)
{
    const auto processes = static_cast<rlim_t>(hosts > 1 ? run.processesPerNode() : run.processes());
    const rlim_t needed = processes > 1 ? kFilesAtLeast + kFilesPerProcess * processes : 0;
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0)
        return {};
    if (files.rlim_cur >= needed)
        return {};
    files.rlim_cur = std::min(needed, files.rlim_max); // not more: some programs close all that there could be
    (void)::setrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_max >= needed)
        return {};
    return fail(
        ErrorCode::unavailable,
        fmt::format("A process may open {} files here, and {} ranks need {}.", files.rlim_max, processes, needed),
        "Raise the limit (ulimit -n) where Ringside is started, or ask the administrator to.");
}

Result<void> checkPrograms(const CampaignPlan& plan, const RunSpec& run, const jobs::SitePaths& paths,
                           const jobs::AttemptPlace& place)
{
    if (!plan.launchPrefix.empty() && !isProgram(plan.launchPrefix.front()))
        return fail(
            ErrorCode::unavailable,
            fmt::format("{} cannot be executed, with which the worker is to be launched.", plan.launchPrefix.front()),
            "Install it, load its module, or take it out of the site's launch prefix.");
    if (plan.launchPrefix.empty() && !jobs::isExecutable(plan.worker))
        return fail(ErrorCode::unavailable, fmt::format("{} cannot be executed.", plan.worker),
                    "Build ringside-worker, or say where it is.");
    if (!jobs::isExecutable(paths.agent))
        return fail(ErrorCode::unavailable, fmt::format("{} cannot be executed.", paths.agent.string()),
                    "Build ringside-agent again.");
    TRY_ASSIGN(const jobs::Launcher* launcher, jobs::launcherOf(plan, run, place));
    const std::string program = launcher ? launcher->program({plan, run, paths, place}) : std::string();
    if (!program.empty() && !jobs::isInPath(program.c_str()))
        return fail(ErrorCode::unavailable,
                    fmt::format("{} ranks need {}, which is not in PATH.", run.ranks(), program), launcher->advice());
    return {};
}

fs::path sharedMemoryBase(const RunSpec& run, const fs::path& log)
{
    const fs::path usual = kSharedMemoryBase;
    const fs::path instead = temporaryBase();
    const auto needed = kSharedMemoryPerRank * static_cast<std::uint64_t>(run.processes());
    if (run.processes() < 2 || freeBytes(usual) >= needed)
        return usual;
    const int fd = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd >= 0) {
        ::dprintf(fd,
                  "/dev/shm has %s free, %d ranks need %s: the ranks exchange data through %s, which may be slower. "
                  "Make /dev/shm larger (containers: --shm-size).\n",
                  humanBytes(freeBytes(usual)).c_str(), run.processes(), humanBytes(needed).c_str(), instead.c_str());
        ::close(fd);
    }
    return instead;
}

Result<pid_t> startSession(const jobs::AttemptCommand& command, const fs::path& log)
{
    const int fd = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0)
        return tl::unexpected(systemError("cannot write", log, errno));
    auto argumentTexts = command.arguments;
    auto variableTexts = mergedEnvironment(command.environment);
    const auto arguments = pointers(argumentTexts);
    const auto variables = pointers(variableTexts);
    const pid_t runner = ::getpid();
    const pid_t child = ::fork();
    if (child == 0)
        becomeSession(arguments.data(), variables.data(), fd, runner);
    const int reason = errno;
    ::close(fd);
    if (child < 0)
        return fail(ErrorCode::unavailable, fmt::format("cannot start a process: {}.", std::strerror(reason)));
    return child;
}

} // namespace ringside::runner
