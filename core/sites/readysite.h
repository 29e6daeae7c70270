// SPDX-License-Identifier: MIT
// What a campaign needs to know of a site that can carry it out.
#pragma once

#include "core/sites/site.h"

namespace ringside {

struct ReadySite
{
    Site site;        ///< as a person described it
    std::string root; ///< absolute, like all paths here: on the site
    std::string agent;
    std::string worker;
    bool hasSlurm = false; ///< found there; whether it is used is in `site.scheduler`

    bool usesSlurm() const
    {
        return site.scheduler == Scheduler::slurm || (site.scheduler == Scheduler::automatic && hasSlurm);
    }
};

} // namespace ringside
