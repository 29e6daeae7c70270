// SPDX-License-Identifier: MIT
// mpiexec of HPE Cray's Parallel Application Launch Service.
#include "core/jobs/launcher.h"

#include "core/base/words.h"

namespace ringside::jobs {

namespace {

/// As sites that have it document it (Argonne's Polaris and Aurora); none was there to try it on. It fills nodes with
/// equal numbers of processes, so that other roles have no place of their own.
class Pals final : public Launcher
{
public:
    std::string_view name() const override { return "pals"; }
    std::string_view title() const override { return "HPE Cray PALS"; }
    std::string program(const Processes&) const override { return "mpiexec"; }
    std::string advice() const override { return Words::tr("Load the module of the site's MPI, or use one rank."); }
    RankVariables variables() const override { return {"PALS_RANKID", "PALS_LOCAL_RANKID"}; }
    std::string_view pmi() const override { return "cray_shasta"; }
    bool isOf(std::string_view version) const override { return version.starts_with("mpiexec version"); }
    bool placesOtherRoles() const override { return false; }

    AttemptCommand command(const Processes& processes) const override
    {
        AttemptCommand command;
        command.arguments = {"mpiexec", "--envall", "--np", std::to_string(processes.run.processes())};
        if (!processes.areHere())
            append(command.arguments, {"--ppn", std::to_string(processes.run.rankProcessesPerNode()), "--hosts",
                                       joined(processes.place.hosts)});
        append(command.arguments, {"--cpu-bind", "none", "--mem-bind", "none"});
        append(command.arguments, processes.guarded());
        return command;
    }
};

constinit const Pals pals;

} // namespace

const Launcher& kPals = pals;

} // namespace ringside::jobs
