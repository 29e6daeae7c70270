// SPDX-License-Identifier: MIT
// Ringside's worker: it trains, or measures its site. A program for each of its subcommands that a run may be of.
#include "core/base/sequences.h"
#include "core/base/words.h"
#include "core/jobs/programs/table.h"
#include "core/protocol/layout.h"
#include "core/protocol/ownprograms.h"

namespace ringside::jobs {

namespace {

class Worker final : public Program
{
public:
    explicit Worker(const OwnProgram& program)
        : m_program(program)
    {
    }

    std::string_view name() const override { return m_program.name; }
    bool trains() const override { return m_program.trains; }
    std::vector<Role> roles(const AggregationPlan& plan) const override
    {
        return trains() ? rolesOf(plan) : std::vector<Role>();
    }

    Command words(const Processes& processes) const override
    {
        const CampaignPlan& plan = processes.plan;
        const fs::path file = layout::planFile(layout::campaignFolder(processes.paths.root, plan.campaign));
        Command words{"--"};
        append(words, plan.launchPrefix);
        append(words, {plan.worker, std::string(m_program.subcommand), "--plan", file.string(), "--run",
                       processes.run.id.str(), "--attempt", processes.attempt().string()});
        return words;
    }

    ExitMeaning meaningOf(int code) const override
    {
        switch (code) {
        case exitcode::kSettings:
            return {Cause::settings, Words::noop("refused its settings"), Words::noop("its log says which")};
        case exitcode::kOutOfMemory:
            return {Cause::outOfMemory, Words::noop("has too little memory"), ""};
        case exitcode::kPeerLost:
            return {Cause::lostRank, Words::noop("lost the connection to another rank"), "", true};
        case exitcode::kData:
            return {Cause::data, Words::noop("could not read its data"), Words::noop("its log says which")};
        case exitcode::kNotANumber:
            return {Cause::notANumber};
        case exitcode::kEngineFailed:
            return {Cause::crashed, Words::noop("could not compute"), Words::noop("its log says why")};
        case exitcode::kNoSpace: // happened to the run, and not in it: it is begun again once there is room
            return {Cause::lostRank, Words::noop("found its disk full"), Words::noop("free some space there")};
        default:
            return {};
        }
    }

private:
    const OwnProgram& m_program;
};

} // namespace

std::span<const Program* const> programs()
{
    static const std::vector<Worker> workers(kOwnPrograms.begin(), kOwnPrograms.end());
    static const std::vector<const Program*> all =
        mapped<const Program*>(workers, [](const Worker& worker) { return &worker; });
    return all;
}

} // namespace ringside::jobs
