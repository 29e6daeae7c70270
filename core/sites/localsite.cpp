// SPDX-License-Identifier: MIT
#include "core/sites/localsite.h"

#include "core/base/findprogram.h"
#include "core/jobs/launchers/table.h"
#include "core/protocol/installedengine.h"
#include "core/sites/shortcommand.h"

#include <sched.h>
#include <sys/sysinfo.h>
#include <unistd.h>

namespace ringside {

namespace {

int usableCores()
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

std::uint64_t memoryBytes()
{
    struct sysinfo info;
    return sysinfo(&info) == 0 ? std::uint64_t{info.totalram} * info.mem_unit : 0;
}

bool hasFolder(const std::string& path)
{
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}

bool hasFile(const std::string& path)
{
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && ::access(path.c_str(), R_OK) == 0;
}

/// The launcher of attempts with several ranks. Both a check and a launch go by it, so that neither refuses what the
/// other plans.
std::string_view launcherHere()
{
    return findProgram("mpirun").empty() ? jobs::kLauncherWithoutMpi : jobs::kLauncherOfMpi;
}

/// The answer of “mpirun --version”; empty where there is none. Blocking for a few hundredths of a second the first
/// time, 10 s at most; then it is known.
const std::string& mpirunVersion()
{
    static const std::string version = [] {
        const auto answer = answerOf({{"mpirun", "--version"}}, std::chrono::seconds(10));
        return answer && answer->exitCode == 0 ? answer->output : std::string();
    }();
    return version;
}

} // namespace

spec::SiteLimits localSite(const fs::path& worker, Asking asking)
{
    spec::SiteLimits site;
    site.cores = usableCores();
    site.memoryBytes = memoryBytes();
    const std::string_view launcher = launcherHere();
    site.mpirun = launcher == jobs::kLauncherOfMpi;
    site.hasFolder = hasFolder;
    site.hasFile = hasFile;
    if (const auto root = dataFolder())
        setEngines(site, installedEngines(*root));
    auto features = workerFeatures(worker, asking);
    site.direct = launcher == jobs::kLauncherWithoutMpi && (!features || features->contains("tcp"));
    if (features && features->count("cuda") && features->count("gpu"))
        site.devices.insert("cuda");
    if (features)
        site.features = std::move(*features);
    else if (features.error().code != ErrorCode::timeout) // a slow disk says nothing about the worker
        site.worker = std::move(features.error());
    return site;
}

void setEngines(spec::SiteLimits& site, const InstalledEngines& installed)
{
    site.engines.emplace();
    for (const auto& [name, engine] : installed)
        if (engine.isGone)
            site.goneInterpreters.emplace(name, engine.python);
        else
            site.engines->emplace(name, engine.version);
}

ReadySite readyLocalSite(const LocalPaths& paths)
{
    ReadySite ready;
    ready.site.name = spec::kLocalSite;
    ready.site.launcher = launcherHere();
    ready.root = paths.root.string();
    ready.agent = paths.agent.string();
    ready.worker = paths.worker.string();
    if (jobs::dependsOnMpi(ready.site.launcher))
        ready.mpirunVersion = mpirunVersion();
    ready.engines = installedEngines(paths.root);
    return ready;
}

spec::SiteLimits unknownSite(const std::string& name)
{
    spec::SiteLimits limits;
    limits.text = name;
    limits.nodes = 0;
    limits.devices = {"cpu", "cuda"};
    return limits;
}

} // namespace ringside
