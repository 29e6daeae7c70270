// SPDX-License-Identifier: MIT
#include "core/sites/configuredhost.h"

#include "core/remote/ssh/config.h"

namespace ringside {

Result<std::vector<ConfiguredHost>> configuredHosts(const ssh::ConfigPlaces& places)
{
    TRY_ASSIGN(const ssh::Config config, ssh::Config::read(places));
    std::vector<ConfiguredHost> hosts;
    for (const ssh::HostSettings& host : config.hosts())
        hosts.push_back({host.alias, host.hostName, host.user, host.port, ssh::written(host.jumps)});
    return hosts;
}

Result<std::vector<ConfiguredHost>> configuredHosts()
{
    TRY_ASSIGN(const ssh::ConfigPlaces places, ssh::ConfigPlaces::ofThisUser());
    return configuredHosts(places);
}

} // namespace ringside
