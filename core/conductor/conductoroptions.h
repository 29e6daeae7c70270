// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/files.h"
#include "core/remote/interaction.h"

namespace ringside {

struct ConductorOptions
{
    fs::path store;     ///< database file; made if missing
    fs::path localRoot; ///< root of the site "local"; empty: dataFolder()
    fs::path agent;     ///< ringside-agent of this build
    fs::path worker;    ///< ringside-worker of this build
    fs::path sites;     ///< folder of the sites' files; empty: the user's (SiteBook::ofUser)
    /// Asked while a site is connected to for a person's command; outlives the conductor. Null: no person can be asked.
    Interaction* interaction = nullptr;
};

} // namespace ringside
