// SPDX-License-Identifier: MIT
// The user's ssh configuration: what holds for a host, the way there, and which hosts it names.
//
// Read by Ringside and not by libssh: 0.10 knows neither certificates nor several key files, and would start `ssh -W`
// for a jump. Nothing in a configuration is ever executed.
#pragma once

#include "core/remote/ssh/settings.h"

#include <string>
#include <vector>

namespace ringside::ssh {

/// A host that a configuration names, for a list to choose from.
struct ConfiguredHost
{
    std::string alias;
    std::string hostName;
    std::string user;
    int port = 22;
    std::string jump; ///< as configured; empty without
};

class Config
{
public:
    /// Reads the files (see readConfigFiles). Blocking.
    static Result<Config> read(const ConfigPlaces& places, const fs::path& explicitFile = {});

    /// What holds for one target. Fails with usage where the configuration is wrong, with unavailable where it asks for
    /// what Ringside does not do (ProxyCommand).
    Result<HostSettings> settingsFor(const Target& target) const;

    /// The hosts to sign in to, one after the other; the last is the target, the others are jumps.
    Result<std::vector<HostSettings>> route(const Target& target) const;

    /// Every alias without wildcard, in the order of the files. A host with errors is left out.
    std::vector<ConfiguredHost> hosts() const;

private:
    Config(ConfigPlaces places, std::vector<ConfigFile> files);
    Result<void> appendRoute(const Target& target, bool withJumps, std::size_t depth,
                             std::vector<HostSettings>& route) const;

    ConfigPlaces m_places;
    std::vector<ConfigFile> m_files;
};

} // namespace ringside::ssh
