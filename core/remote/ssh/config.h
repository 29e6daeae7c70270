// SPDX-License-Identifier: MIT
// The built-in reader of the ssh configuration: which hosts it names, and what holds for one of them where there is no
// ssh to ask (route.h). It executes nothing.
#pragma once

#include "core/remote/ssh/settings.h"

#include <vector>

namespace ringside::ssh {

class Config
{
public:
    /// Reads the files (see readConfigFiles). Blocking.
    static Result<Config> read(const ConfigPlaces& places, const fs::path& explicitFile = {});

    /// Returns the settings of one target; fails as settingsFrom does.
    Result<HostSettings> settingsFor(const Target& target) const;

    /// Returns the settings of every alias without wildcard, in the order of the files. A host with errors is left out.
    std::vector<HostSettings> hosts() const;

private:
    Config(ConfigPlaces places, std::vector<ConfigFile> files);

    ConfigPlaces m_places;
    std::vector<ConfigFile> m_files;
};

} // namespace ringside::ssh
