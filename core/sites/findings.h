// SPDX-License-Identifier: MIT
// Puts what a probe of a site found (agent/README.md, “Probe”) in words and a verdict. Pure.
#pragma once

#include "core/base/error.h"
#include "core/protocol/installedengine.h"
#include "core/sites/site.h"
#include "core/sites/sitestep.h"
#include "core/wire/messages.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ringside {

using ProbeValues = std::map<std::string, std::string>;

struct ProbeFinding
{
    SiteStep::Kind kind = SiteStep::Kind::scheduler;
    SiteStep::State state = SiteStep::State::ok;
    std::string text;
    std::string hint;
    bool rootIsUnseen = false; ///< by compute nodes: nothing that lies there could start
};

/// "alder: 16 cores".
std::string machineWords(const ProbeValues& values);

/// Returns the scheduler that carries campaigns out on a site where this was found; nullptr where runs are started at
/// once.
const jobs::Scheduler* schedulerOn(const Site& site, const ProbeValues& values);

/// Scheduler, storage and MPI of a site that is described like this.
std::vector<ProbeFinding> findingsOf(const ProbeValues& values, const Site& site);

/// Describes a compute node, and whether what is on the login node can run there.
ProbeFinding nodeFindingOf(const ProbeValues& node, const ProbeValues& login);
/// Returns why no compute node answered, in words; `error` is the relay's.
ProbeFinding nodeFindingOf(const Error& error, const ProbeValues& login);

/// Checks that the worker that `site` names is one, starts there, and is not of an earlier version than this program.
/// Behind a prefix or modules it may start in a job although it does not on the login node: then there is only a
/// warning.
ProbeFinding givenWorkerOf(const ProbeValues& values, const Site& site);

/// The systems that are installed there; an older agent reports none.
InstalledEngines enginesOf(const ProbeValues& values);

/// Label of the fact that shows the load of partitions.
std::string schedulerLabel();
/// Describes the site, in the order to be read; what was not found is left out.
std::vector<SiteFact> factsOf(const ProbeValues& values, const Site& site);
/// The same of the compute node that was asked.
std::vector<SiteFact> nodeFactsOf(const ProbeValues& node);
/// Lists what Ringside has put there, by kind, with the sizes; nothing if there is nothing.
std::vector<SiteFact> installedFactsOf(const std::vector<wire::InstalledItem>& items);
/// One line: "torch 2.11.0", the experiment of a campaign; empty where the path says all.
std::string aboutOf(const wire::InstalledItem& item);

/// Returns why nothing can run there; nullopt if something can.
std::optional<Error> obstacleIn(const std::vector<ProbeFinding>& findings);

} // namespace ringside
