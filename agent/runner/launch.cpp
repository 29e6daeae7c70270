// SPDX-License-Identifier: MIT
#include "agent/runner/launch.h"

#include "agent/runner/scratch.h"
#include "core/base/child.h"
#include "core/base/environment.h"
#include "core/base/findprogram.h"
#include "core/base/text.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
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

} // namespace

OrReason<void> allowFiles(const RunSpec& run, std::size_t hosts)
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
    return tl::unexpected(because(why::kTooFewOpenFiles, {{"ranks", static_cast<std::int64_t>(processes)},
                                                          {"needed", static_cast<std::int64_t>(needed)},
                                                          {"limit", static_cast<std::int64_t>(files.rlim_max)}}));
}

OrReason<void> checkPrograms(const CampaignPlan& plan, const RunSpec& run, const jobs::SitePaths& paths,
                             const jobs::AttemptCommand& command)
{
    if (!plan.launchPrefix.empty() && findProgram(plan.launchPrefix.front()).empty())
        return tl::unexpected(because(why::kNoLaunchPrefix, {{"program", plan.launchPrefix.front()}}));
    if (plan.launchPrefix.empty() && !isExecutable(plan.worker))
        return tl::unexpected(because(why::kNoWorker, {{"program", plan.worker}}));
    if (!isExecutable(paths.agent))
        return tl::unexpected(because(why::kNoAgent, {{"program", paths.agent.string()}}));
    if (!command.program.empty() && findProgram(command.program).empty())
        return tl::unexpected(because(why::kNoLauncher, {{"launcher", std::string(command.launcher->name())},
                                                         {"program", command.program},
                                                         {"ranks", run.ranks()}}));
    return {};
}

Result<Descriptor> openLog(const fs::path& path)
{
    Descriptor log(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (log.get() < 0)
        return tl::unexpected(systemError("cannot write", path, errno));
    return log;
}

fs::path sharedMemoryBase(const RunSpec& run, const fs::path& log)
{
    const fs::path usual = kSharedMemoryBase;
    const fs::path instead = temporaryBase();
    const auto needed = kSharedMemoryPerRank * static_cast<std::uint64_t>(run.processes());
    if (run.processes() < 2 || freeBytes(usual) >= needed)
        return usual;
    if (const auto opened = openLog(log))
        ::dprintf(opened->get(),
                  "/dev/shm has %s free, %d ranks need %s: the ranks exchange data through %s, which may be slower. "
                  "Make /dev/shm larger (containers: --shm-size).\n",
                  humanBytes(freeBytes(usual)).c_str(), run.processes(), humanBytes(needed).c_str(), instead.c_str());
    return instead;
}

Reason becauseNotStarted(const Error& error)
{
    return because(why::kNotStarted, {{"said", error.text()}});
}

Reason becauseUnwritten(const fs::path& folder, const Error& error)
{
    return error.code == ErrorCode::noSpace ? because(why::kNoSpace, {{"folder", folder.string()}})
                                            : becauseNotStarted(error);
}

Result<pid_t> startSession(const jobs::AttemptCommand& command, const fs::path& log)
{
    TRY_ASSIGN(const Descriptor opened, openLog(log));
    std::vector<std::string> environment = inheritedEnvironment();
    setVariables(environment, command.environment);
    return startChild({.arguments = command.arguments,
                       .environment = std::move(environment),
                       .output = opened.get(),
                       .errors = opened.get(),
                       .group = ChildStart::Group::session,
                       .deathSignal = SIGKILL}); // mpirun would take too long over anything less
}

} // namespace ringside::runner
