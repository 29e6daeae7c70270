// SPDX-License-Identifier: MIT
#include "core/jobs/programs/table.h"

#include "core/base/words.h"
#include "core/jobs/programs/system.h"

#include <algorithm>

namespace ringside::jobs {

const Program& training()
{
    return *programs().front();
}

const Program& programOf(const Settings& settings)
{
    return programNamed(textOf(settings, "engine").value_or(""));
}

std::shared_ptr<const Program> programOf(const CampaignPlan& plan, const Settings& settings)
{
    auto system = systemOf(plan, settings);
    return system ? system : std::shared_ptr<const Program>(std::shared_ptr<const Program>(), &programOf(settings));
}

const Program& programNamed(std::string_view name)
{
    const auto found = std::ranges::find(programs(), name, &Program::name);
    return found == programs().end() ? training() : **found;
}

bool isOwn(std::string_view name)
{
    return std::ranges::count(programs(), name, &Program::name) > 0;
}

ExitMeaning meaningOf(const Program& program, int code)
{
    switch (code) {
    case exitcode::kTerminated:
        return {Cause::lostRank};
    case 126:
    case 127:
        return {Cause::launch, Words::noop("could not be started"), Words::noop("its log says why")};
    default:
        return program.meaningOf(code);
    }
}

} // namespace ringside::jobs
