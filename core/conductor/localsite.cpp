// SPDX-License-Identifier: MIT
#include "core/conductor/localsite.h"

#include "core/base/words.h"
#include "core/jobs/programs.h"
#include "core/remote/localhost.h"

#include <nlohmann/json.hpp>
#include <poll.h>
#include <sched.h>
#include <sys/sysinfo.h>

namespace ringside {

namespace {

constexpr std::size_t kMaxFeaturesBytes = 256u << 10;

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

constexpr const char* kMissingLibrary = "error while loading shared libraries";

Error brokenWorker(const fs::path& worker, int exitCode, const std::string& said)
{
    const bool library = said.find(kMissingLibrary) != std::string::npos;
    const std::string line = said.substr(0, said.find('\n'));
    return {ErrorCode::unavailable,
            line.empty() ? Words::tr("{} ended with code {}.", worker.string(), exitCode)
                         : Words::tr("{} ended with code {}: {}.", worker.string(), exitCode, line),
            library ? Words::tr("installers/dependencies.sh installs what it needs.")
                    : Words::tr("“{} selftest” checks it; build it again if it fails.", worker.string())};
}

/// Standard output of a short command that succeeds, or an error; never waits longer than `limit`.
Result<std::string> outputOf(const CommandLine& command, std::chrono::milliseconds limit)
{
    LocalHost host;
    TRY_ASSIGN(const std::unique_ptr<Channel> channel, host.start(command));
    const auto end = std::chrono::steady_clock::now() + limit;
    std::string output;
    while (!channel->atEnd() && output.size() < kMaxFeaturesBytes) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        if (left.count() <= 0)
            return fail(ErrorCode::timeout, Words::tr("{} did not answer.", command.arguments.front()));
        std::vector<pollfd> set = channel->pollSet(false);
        ::poll(set.data(), set.size(), static_cast<int>(left.count()));
        TRY_ASSIGN(const std::string piece, channel->read(kMaxFeaturesBytes));
        output += piece;
    }
    if (const int exitCode = channel->close(std::chrono::seconds(1)))
        return tl::unexpected(brokenWorker(command.arguments.front(), exitCode, channel->errorText()));
    return output;
}

/// The parts of plans: "plans": {"grouping": ["one", "buckets"], …}.
void addPlans(std::set<std::string>& features, const nlohmann::json& json)
{
    const auto plans = json.find("plans");
    if (plans == json.end() || !plans->is_object())
        return;
    for (const auto& [part, names] : plans->items())
        for (const auto& name : names)
            if (name.is_string())
                features.insert(spec::planFeature(part, name.get_ref<const std::string&>()));
}

Result<std::set<std::string>> featuresOf(const fs::path& worker)
{
    if (!jobs::isExecutable(worker))
        return fail(ErrorCode::unavailable, Words::tr("{} is not there, or may not be executed.", worker.string()),
                    Words::tr("Build ringside-worker, or name another with RINGSIDE_WORKER."));
    TRY_ASSIGN(const std::string output, outputOf({{worker.string(), "features"}}, kFeaturesLimit));
    const auto json = nlohmann::json::parse(output, nullptr, false);
    if (!json.is_object())
        return fail(ErrorCode::unavailable, Words::tr("{} is no worker of Ringside.", worker.string()),
                    Words::tr("Name one with RINGSIDE_WORKER."));
    std::set<std::string> features;
    for (const char* name : {"mpi", "tcp", "jpeg", "hwloc", "nccl", "cuda", "cuda_graph"})
        if (const auto found = json.find(name); found != json.end() && *found == true)
            features.insert(name);
    if (const auto gpus = json.find("gpus"); gpus != json.end() && gpus->is_number_integer() && *gpus > 0)
        features.insert("gpu");
    addPlans(features, json);
    return features;
}

bool hasFolder(const std::string& path)
{
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}

} // namespace

spec::SiteLimits localSite(const fs::path& worker)
{
    spec::SiteLimits site;
    site.cores = usableCores();
    site.memoryBytes = memoryBytes();
    site.mpirun = jobs::isInPath("mpirun");
    site.hasFolder = hasFolder;
    auto features = featuresOf(worker);
    site.direct = !site.mpirun.value_or(true) && features && features->count("tcp");
    if (features && features->count("cuda") && features->count("gpu"))
        site.devices.insert("cuda");
    if (features)
        site.features = std::move(*features);
    else if (features.error().code != ErrorCode::timeout) // a slow disk says nothing about the worker
        site.worker = std::move(features.error());
    return site;
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
