// SPDX-License-Identifier: MIT
#include "core/jobs/processes.h"

#include "core/protocol/calibration.h"
#include "core/protocol/layout.h"

namespace ringside::jobs {

namespace {

bool calibrates(const RunSpec& run)
{
    return textOf(run.settings, "engine") == kCalibrationEngine;
}

} // namespace

void append(Command& to, const Command& more)
{
    to.insert(to.end(), more.begin(), more.end());
}

std::string joined(const std::vector<std::string>& words)
{
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : ",") + word;
    return text;
}

fs::path controlPipe(const fs::path& temporaryFolder)
{
    return temporaryFolder / "control";
}

fs::path Processes::attempt() const
{
    return layout::attemptFolder(paths.root, run.id, place.number);
}

Command Processes::program() const
{
    const fs::path planFile = layout::planFile(layout::campaignFolder(paths.root, plan.campaign));
    Command words = plan.launchPrefix;
    append(words, {plan.worker, calibrates(run) ? "calibrate" : "train", "--plan", planFile.string(), "--run",
                   run.id.str(), "--attempt", attempt().string()});
    return words;
}

Command Processes::tie() const
{
    if (areHere())
        return {"--control", controlPipe(place.temporaryFolder).string()};
    return {"--runner-heartbeat", layout::runnerHeartbeatFile(attempt()).string()};
}

Command Processes::guarded(bool meetByTcp) const
{
    Command words{paths.agent.string(), "rank", "--attempt", attempt().string()};
    append(words, tie());
    if (meetByTcp)
        append(words, {"--ranks", std::to_string(run.processes())});
    if (areHere() && run.processes() == 1)
        append(words, {"--rank", "0"}); // no launcher tells it
    append(words, {"--"});
    append(words, program());
    return words;
}

std::vector<std::string> Processes::serverHosts() const
{
    const int nodes = run.nodes();
    const bool own = run.plan.serverPlacement == ServerPlacement::own;
    std::vector<std::string> hosts;
    for (int server = 0; !areHere() && server < run.plan.serverRanks(); ++server)
        hosts.push_back(
            place.hosts.at(static_cast<std::size_t>(own ? nodes + server / run.ranksPerNode() : server % nodes)));
    return hosts;
}

std::vector<std::string> Processes::hosts() const
{
    std::vector<std::string> hosts;
    for (int rank = 0; !areHere() && rank < run.ranks(); ++rank)
        hosts.push_back(place.hosts.at(static_cast<std::size_t>(rank / run.ranksPerNode())));
    append(hosts, serverHosts());
    return hosts;
}

} // namespace ringside::jobs
