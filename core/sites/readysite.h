// SPDX-License-Identifier: MIT
// Facts that a campaign needs of a site that can carry it out.
#pragma once

#include "core/protocol/installedengine.h"
#include "core/sites/site.h"

#include <map>
#include <string>

namespace ringside {

struct ReadySite
{
    Site site;        ///< as a person described it
    std::string root; ///< absolute, like all paths here: on the site
    std::string agent;
    std::string worker;
    std::string mpirunVersion = {};             ///< what “mpirun --version” answers there; empty: not known
    const jobs::Scheduler* scheduler = nullptr; ///< whose jobs carry campaigns out; none: the runner is started at once
    InstalledEngines engines = {};              ///< that are not Ringside's own, by the levels of `engine`
};

} // namespace ringside
