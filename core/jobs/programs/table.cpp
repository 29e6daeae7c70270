// SPDX-License-Identifier: MIT
#include "core/jobs/programs/table.h"

#include "core/jobs/programs/worker.h"

#include <algorithm>

namespace ringside::jobs {

std::span<const Program* const> programs()
{
    static const Program* const all[] = {&training(), &calibration()};
    return all;
}

const Program& programOf(const Settings& settings)
{
    const std::string engine = textOf(settings, "engine").value_or("");
    const auto found = std::ranges::find(programs(), std::string_view(engine), &Program::name);
    return found == programs().end() ? training() : **found;
}

} // namespace ringside::jobs
