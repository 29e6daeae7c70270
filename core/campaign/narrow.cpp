// SPDX-License-Identifier: MIT
#include "core/campaign/narrow.h"

#include <algorithm>

namespace ringside::campaign {

bool narrow(CampaignPlan& plan, const State& state)
{
    bool changed =
        std::erase_if(plan.runs, [&](const RunSpec& run) {
            const auto found = state.runs.find(run.id);
            return found == state.runs.end() || found->second.cancelAsked || found->second.state == RunState::done;
        }) > 0;
    for (RunSpec& run : plan.runs) {
        const int known = std::max(run.attempts, state.runs.at(run.id).attempt);
        changed = std::exchange(run.attempts, known) != known || changed;
    }
    return changed;
}

} // namespace ringside::campaign
