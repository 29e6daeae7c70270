// SPDX-License-Identifier: MIT
#include "core/jobs/processes.h"

#include "core/jobs/program.h"
#include "core/protocol/layout.h"

#include <fmt/ranges.h>
#include <iterator>
#include <sstream>

namespace ringside::jobs {

void append(Command& to, const Command& more)
{
    to.insert(to.end(), more.begin(), more.end());
}

Command wordsOf(const std::string& line)
{
    std::istringstream words(line);
    return {std::istream_iterator<std::string>(words), {}};
}

std::string joined(const std::vector<std::string>& words)
{
    return fmt::format("{}", fmt::join(words, ","));
}

fs::path controlPipe(const fs::path& temporaryFolder)
{
    return temporaryFolder / "control";
}

int Processes::coresOfEach() const
{
    return static_cast<int>(integerOf(run.settings, "cores_per_rank").value_or(1)) * run.ranksPerProcess;
}

fs::path Processes::attempt() const
{
    return layout::attemptFolder(paths.root, run.id, place.number);
}

bool Processes::shareCores() const
{
    const bool isOnGpu = textOf(run.settings, "device") == "cuda";
    return !isOnGpu || coresOfEach() < 2 || outnumberCores();
}

bool Processes::outnumberCores() const
{
    return run.processesPerNode() * coresOfEach() > place.cores;
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
        append(words, {"--rank", "0"}); // no launcher sets it
    append(words, program.words(*this));
    return words;
}

std::vector<std::string> Processes::hostsOfOtherRoles() const
{
    std::vector<std::string> hosts;
    int firstOwn = run.nodes(), shared = 0;
    for (const Role& role : run.roles) {
        const bool own = role.placement == Placement::own;
        for (int i = 0; !areHere() && i < role.count; ++i)
            hosts.push_back(place.hosts.at(
                static_cast<std::size_t>(own ? firstOwn + i / run.ranksPerNode() : shared++ % run.nodes())));
        firstOwn += ownNodesOf({&role, 1}, run.ranksPerNode());
    }
    return hosts;
}

std::vector<std::string> Processes::hosts() const
{
    std::vector<std::string> hosts;
    for (int process = 0; !areHere() && process < run.rankProcesses(); ++process)
        hosts.push_back(place.hosts.at(static_cast<std::size_t>(run.nodeOf(process))));
    append(hosts, hostsOfOtherRoles());
    return hosts;
}

} // namespace ringside::jobs
