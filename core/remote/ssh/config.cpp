// SPDX-License-Identifier: MIT
#include "core/remote/ssh/config.h"

#include "core/base/text.h"
#include "core/base/words.h"

#include <algorithm>

namespace ringside::ssh {

namespace {

constexpr std::size_t kMaxHops = 8; // more is a circle, or a mistake

void collectAliases(const ConfigFile& file, std::vector<std::string>& aliases)
{
    for (const Directive& directive : file.directives) {
        for (const ConfigFile& included : directive.included)
            collectAliases(included, aliases);
        if (directive.keyword != "host")
            continue;
        for (const std::string& word : directive.words)
            if (isHostName(word) && std::find(aliases.begin(), aliases.end(), word) == aliases.end())
                aliases.push_back(word);
    }
}

std::string written(const Target& target)
{
    return fmt::format("{}{}{}{}", target.user, target.user.empty() ? "" : "@", target.host,
                       target.port == 0 ? "" : fmt::format(":{}", target.port));
}

std::string written(const std::vector<Target>& targets)
{
    std::string text;
    for (const Target& target : targets)
        text += text.empty() ? written(target) : fmt::format(",{}", written(target));
    return text;
}

} // namespace

Config::Config(ConfigPlaces places, std::vector<ConfigFile> files)
    : m_places(std::move(places))
    , m_files(std::move(files))
{
}

Result<Config> Config::read(const ConfigPlaces& places, const fs::path& explicitFile)
{
    TRY_ASSIGN(std::vector<ConfigFile> files, readConfigFiles(places, explicitFile));
    return Config(places, std::move(files));
}

Result<HostSettings> Config::settingsFor(const Target& target) const
{
    if (!isHostName(target.host))
        return fail(ErrorCode::usage, Words::tr("“{}” is no host name.", plainText(target.host)),
                    Words::tr("Letters, digits and .-_ are possible."));
    Evaluation found({target, m_places.localUser});
    for (const ConfigFile& file : m_files)
        found.apply(file);
    return settingsFrom(found, target, m_places);
}

Result<std::vector<HostSettings>> Config::route(const Target& target) const
{
    std::vector<HostSettings> route;
    TRY(appendRoute(target, true, 1, route));
    return route;
}

/// The way to the first of several jumps may itself lead through jumps; those after it are named in full.
Result<void> Config::appendRoute(const Target& target, bool withJumps, std::size_t depth,
                                 std::vector<HostSettings>& route) const
{
    TRY_ASSIGN(HostSettings settings, settingsFor(target));
    const std::vector<Target> jumps = withJumps ? settings.jumps : std::vector<Target>();
    if (depth + jumps.size() > kMaxHops)
        return fail(ErrorCode::usage, Words::tr("The way to {} goes through too many hosts.", target.host),
                    Words::tr("Look for a circle among the ProxyJump lines."));
    for (std::size_t i = 0; i < jumps.size(); ++i)
        TRY(appendRoute(jumps[i], i == 0, depth + 1, route));
    route.push_back(std::move(settings));
    return {};
}

std::vector<ConfiguredHost> Config::hosts() const
{
    std::vector<std::string> aliases;
    for (const ConfigFile& file : m_files)
        collectAliases(file, aliases);
    std::vector<ConfiguredHost> hosts;
    for (const std::string& alias : aliases)
        if (const auto found = settingsFor({alias, {}, 0}))
            hosts.push_back({alias, found->hostName, found->user, found->port, written(found->jumps)});
    return hosts;
}

} // namespace ringside::ssh
