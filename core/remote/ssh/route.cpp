// SPDX-License-Identifier: MIT
#include "core/remote/ssh/route.h"

#include "core/base/words.h"
#include "core/remote/ssh/askssh.h"
#include "core/remote/ssh/config.h"

namespace ringside::ssh {

namespace {

constexpr std::size_t kMaxHops = 8; // more is a circle, or a mistake

/// The way to the first of several jumps may itself lead through jumps; those after it are named in full.
Result<void> append(const SettingsFor& settingsFor, const Target& target, bool withJumps, std::size_t depth,
                    std::vector<HostSettings>& route)
{
    TRY_ASSIGN(HostSettings settings, settingsFor(target));
    const std::vector<Target> jumps = withJumps ? settings.jumps : std::vector<Target>();
    if (depth + jumps.size() > kMaxHops)
        return fail(ErrorCode::usage, Words::tr("The way to {} goes through too many hosts.", target.host),
                    Words::tr("Look for a loop among the ProxyJump lines."));
    for (std::size_t i = 0; i < jumps.size(); ++i)
        TRY(append(settingsFor, jumps[i], i == 0, depth + 1, route));
    route.push_back(std::move(settings));
    return {};
}

} // namespace

Result<std::vector<HostSettings>> routeBy(const SettingsFor& settingsFor, const Target& target)
{
    std::vector<HostSettings> route;
    TRY(append(settingsFor, target, true, 1, route));
    return route;
}

Result<std::vector<HostSettings>> routeTo(const Target& target, const fs::path& configFile, const std::stop_token& stop)
{
    TRY_ASSIGN(const ConfigPlaces places, ConfigPlaces::ofThisUser());
    const fs::path file = configFile.empty() ? fs::path() : withHome(configFile.string(), places.home);
    if (!isSshInstalled()) {
        TRY_ASSIGN(const Config config, Config::read(places, file));
        return routeBy([&](const Target& host) { return config.settingsFor(host); }, target);
    }
    const auto ask = [&](const Target& host) -> Result<HostSettings> {
        TRY_ASSIGN(const Values values, askSsh(host, file, places, Deadline(kAskLimit, stop)));
        return settingsFrom(values, host, places);
    };
    return routeBy(ask, target);
}

} // namespace ringside::ssh
