// SPDX-License-Identifier: MIT
// Without MPI: `ringside-agent ranks` starts a guard a rank here, or by ssh itself on each host, which does. Ranks meet
// by TCP.
#include "core/base/rankvariables.h"
#include "core/base/words.h"
#include "core/jobs/launchers/table.h"
#include "core/jobs/program.h"

namespace ringside::jobs {

namespace {

class AgentStarter final : public Launcher
{
public:
    std::string_view name() const override { return kLauncherWithoutMpi; }
    std::string_view title() const override { return Words::noop("Ringside itself, without MPI"); }
    std::string program(const Processes& processes) const override { return processes.areHere() ? "" : "ssh"; }
    std::string advice() const override
    {
        return Words::tr("Install it (Debian: openssh-client), or choose mpirun as the site's launcher.");
    }
    RankVariables variables() const override { return {"", kTcpLocalRankVariable}; }
    std::optional<int> codeOfUnreachedHosts() const override { return kSshFailed; }

    AttemptCommand command(const Processes& processes) const override
    {
        AttemptCommand command;
        command.arguments = {processes.paths.agent.string(), "ranks", "--attempt", processes.attempt().string()};
        append(command.arguments, processes.tie());
        append(command.arguments, {"--ranks", std::to_string(processes.run.processes())});
        for (const std::string& host : processes.hosts())
            append(command.arguments, {"--host", host});
        append(command.arguments, processes.program.words(processes));
        return command;
    }
};

constinit const AgentStarter agentStarter;

} // namespace

const Launcher& kAgentStarter = agentStarter;

} // namespace ringside::jobs
