// SPDX-License-Identifier: MIT
#include "core/store/runsurvey.h"

#include "core/store/overview.h"
#include "core/store/runflag.h"

#include <algorithm>
#include <tuple>

namespace ringside::store {

namespace {

void count(RunSurvey& survey, const RunRow& run)
{
    count(survey.counts, run.state);
    survey.counts.held += run.held;
    survey.disturbed +=
        run.kind == RunKind::run && std::ranges::find(run.flags, runflag::kDisturbed) != run.flags.end();
}

void add(RunSurvey& survey, const RunRow& run)
{
    if (isCounted(run))
        count(survey, run);
    if (run.kind == RunKind::run && run.inMatrix && run.state == RunState::failed)
        survey.failed[run.site].push_back(run.id);
    if (run.kind == RunKind::trial && (!survey.trial || run.number > survey.trial->number))
        survey.trial = &run;
    if (isWaiting(run) && !run.held && (!survey.next || run.number < survey.next->number))
        survey.next = &run;
    if (!isFinal(run.state))
        survey.busySites.insert(run.site);
}

} // namespace

bool isWaiting(const RunRow& run)
{
    return ringside::isWaiting(run.state) || (run.state == RunState::unknown && run.attempt == 0);
}

bool isActive(const RunRow& run)
{
    return !isWaiting(run) && !isFinal(run.state);
}

RunSurvey surveyOf(const std::map<RunId, RunRow>& runs)
{
    RunSurvey survey;
    for (const auto& [id, run] : runs)
        add(survey, run);
    return survey;
}

const RunRow* activeRun(const std::map<RunId, RunRow>& runs, const RunId& preferred)
{
    const auto rank = [&](const RunRow& run) {
        return std::tuple(run.state != RunState::unknown, run.id == preferred, -run.number);
    };
    const RunRow* best = nullptr;
    for (const auto& [id, run] : runs)
        if (isActive(run) && (!best || rank(run) > rank(*best)))
            best = &run;
    return best;
}

} // namespace ringside::store
