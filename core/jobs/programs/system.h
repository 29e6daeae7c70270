// SPDX-License-Identifier: MIT
// A system that is not Ringside's own engine, as its plan carries it (core/protocol/engine.h). Guards make the commands
// of its processes, since only a process knows its rank, and where the others are. Pure.
#pragma once

#include "core/jobs/program.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ringside::jobs {

/// nullptr: the run's engine is Ringside's own. The plan outlives it.
std::shared_ptr<const Program> systemOf(const CampaignPlan& plan, const Settings& settings);

/// Address at which a process can be reached.
struct Endpoint
{
    std::string address;
    int port = 0;
};

/// One process, as its guard finds it.
struct ProcessPlace
{
    int process = 0;   ///< ranks first, then the others in the order of their roles
    int localRank = 0; ///< among all processes of its node
    fs::path attempt;
    fs::path drivers;                ///< the folder of Ringside's drivers there
    std::vector<Endpoint> endpoints; ///< of all processes; empty where meetsByAddress() is false
};

struct ProcessStart
{
    Command command;
    std::map<std::string, std::string> environment;
    fs::path folder; ///< to start in; empty: that of its guard
};

/// Returns whether the commands or environment of this run's processes name an address or a port.
bool meetsByAddress(const CampaignPlan& plan, const RunSpec& run);
/// Fails with usage for a name in braces that has no value.
Result<ProcessStart> processStart(const CampaignPlan& plan, const RunSpec& run, const ProcessPlace& place);

} // namespace ringside::jobs
