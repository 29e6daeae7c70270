// SPDX-License-Identifier: MIT
#include "core/campaign/narrow.h"

#include <algorithm>

namespace ringside::campaign {

bool narrow(CampaignPlan& plan, const State& state)
{
    const auto progressOf = [&](const RunSpec& run) {
        const auto found = state.runs.find(run.id);
        return found == state.runs.end() ? RunProgress{} : found->second;
    };
    bool changed = std::erase_if(plan.runs, [&](const RunSpec& run) {
                       const RunProgress progress = progressOf(run);
                       return progress.cancelAsked || progress.state == RunState::done;
                   }) > 0;
    for (RunSpec& run : plan.runs) {
        const int known = std::max(run.attempts, progressOf(run).attempt);
        changed = std::exchange(run.attempts, known) != known || changed;
    }
    return changed;
}

} // namespace ringside::campaign
