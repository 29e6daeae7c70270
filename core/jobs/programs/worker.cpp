// SPDX-License-Identifier: MIT
// Ringside's worker: it trains, or measures its site.
#include "core/base/words.h"
#include "core/jobs/programs/table.h"
#include "core/protocol/calibration.h"
#include "core/protocol/layout.h"

namespace ringside::jobs {

namespace {

class Worker : public Program
{
public:
    Worker(std::string_view name, const char* subcommand)
        : m_name(name)
        , m_subcommand(subcommand)
    {
    }

    std::string_view name() const override { return m_name; }

    Command words(const Processes& processes) const override
    {
        const CampaignPlan& plan = processes.plan;
        const fs::path file = layout::planFile(layout::campaignFolder(processes.paths.root, plan.campaign));
        Command words{"--"};
        append(words, plan.launchPrefix);
        append(words, {plan.worker, m_subcommand, "--plan", file.string(), "--run", processes.run.id.str(), "--attempt",
                       processes.attempt().string()});
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
    std::string_view m_name;
    const char* m_subcommand;
};

class Training final : public Worker
{
public:
    Training()
        : Worker("ringside", "train")
    {
    }

    bool trains() const override { return true; }
    std::vector<Role> roles(const AggregationPlan& plan) const override { return rolesOf(plan); }
};

class Calibration final : public Worker
{
public:
    Calibration()
        : Worker(kCalibrationEngine, "calibrate")
    {
    }

    bool trains() const override { return false; }
    std::vector<Role> roles(const AggregationPlan&) const override { return {}; }
};

} // namespace

const Program& training()
{
    static const Training program;
    return program;
}

const Program& calibration()
{
    static const Calibration program;
    return program;
}

} // namespace ringside::jobs
