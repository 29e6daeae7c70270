// SPDX-License-Identifier: MIT
// The hosts that an ssh configuration names, for a list of those that may become sites.
#pragma once

#include "core/base/error.h"

#include <string>
#include <vector>

namespace ringside {

namespace ssh {
struct ConfigPlaces;
}

struct ConfiguredHost
{
    std::string alias;
    std::string hostName;
    std::string user;
    int port = 22;
    std::string jump; ///< the hosts to go through, nearest first; empty without
};

/// Every alias without wildcard, in the order of the files. A host with errors is left out. Fails where the files
/// cannot be read. Blocking.
Result<std::vector<ConfiguredHost>> configuredHosts(const ssh::ConfigPlaces& places);
/// Those of the user who runs this.
Result<std::vector<ConfiguredHost>> configuredHosts();

} // namespace ringside
