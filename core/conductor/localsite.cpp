// SPDX-License-Identifier: MIT
#include "core/conductor/localsite.h"

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

/// Standard output of a short command, or an error; never waits longer than `limit`.
Result<std::string> outputOf(const CommandLine& command, std::chrono::milliseconds limit)
{
    LocalHost host;
    TRY_ASSIGN(const std::unique_ptr<Channel> channel, host.start(command));
    const auto end = std::chrono::steady_clock::now() + limit;
    std::string output;
    while (!channel->atEnd() && output.size() < kMaxFeaturesBytes) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        if (left.count() <= 0)
            return fail(ErrorCode::timeout, fmt::format("{} did not answer.", command.arguments.front()));
        std::vector<pollfd> set = channel->pollSet(false);
        ::poll(set.data(), set.size(), static_cast<int>(left.count()));
        TRY_ASSIGN(const std::string piece, channel->read(kMaxFeaturesBytes));
        output += piece;
    }
    channel->close(std::chrono::seconds(1));
    return output;
}

std::optional<std::set<std::string>> featuresOf(const fs::path& worker)
{
    const auto output = outputOf({{worker.string(), "features"}}, kFeaturesLimit);
    if (!output)
        return std::nullopt;
    const auto json = nlohmann::json::parse(*output, nullptr, false);
    if (!json.is_object())
        return std::nullopt;
    std::set<std::string> features;
    for (const char* name : {"mpi", "jpeg", "hwloc", "cuda"})
        if (const auto found = json.find(name); found != json.end() && *found == true)
            features.insert(name);
    return features;
}

} // namespace

spec::SiteLimits localSite(const fs::path& worker)
{
    spec::SiteLimits site;
    site.cores = usableCores();
    site.memoryBytes = memoryBytes();
    site.features = featuresOf(worker);
    return site;
}

} // namespace ringside
