// SPDX-License-Identifier: MIT
#include "core/campaign/endings.h"

#include <algorithm>
#include <utility>

namespace ringside::campaign {

namespace {

/// Returns whether an event about `attempt` changes the run: an attempt that has ended stays as it ended.
bool isNews(const RunProgress& run, int attempt, RunState next)
{
    if (attempt == 0) // the run itself, between its attempts
        return isWaiting(run) && next != run.state;
    if (attempt != run.attempt)
        return attempt > run.attempt;
    if (run.state == RunState::starting)
        return next != RunState::starting;
    return run.state == RunState::running && next != RunState::starting && next != RunState::running;
}

} // namespace

bool isWaiting(const RunProgress& run)
{
    return ringside::isWaiting(run.state);
}

bool allEnded(const State& state)
{
    return std::ranges::all_of(state.runs, [](const auto& run) { return isFinal(run.second.state); });
}

void change(State& state, Actions& actions, RunChange news)
{
    const auto found = state.runs.find(news.run);
    if (found == state.runs.end() || !isNews(found->second, news.attempt, news.state))
        return;
    found->second.state = news.state;
    found->second.attempt = std::max(found->second.attempt, news.attempt);
    found->second.cause = news.cause;
    actions.push_back(SaveRun{std::move(news)});
}

void endRun(State& state, Actions& actions, const RunId& id, RunState end, Cause cause, const Reason& reason,
            std::int64_t atNs)
{
    const RunProgress& run = state.runs.at(id);
    if (isFinal(run.state))
        return;
    if (isWaiting(run) && run.cancelAsked)
        return change(state, actions,
                      {id, 0, RunState::cancelled, Cause::cancelled, because(why::kCancelled), std::nullopt, atNs});
    change(state, actions, {id, isWaiting(run) ? 0 : run.attempt, end, cause, reason, std::nullopt, atNs});
}

void endRuns(State& state, Actions& actions, RunState end, Cause cause, const Reason& reason, std::int64_t atNs)
{
    for (const auto& [id, run] : state.runs)
        endRun(state, actions, id, end, cause, reason, atNs);
}

void enter(State& state, Actions& actions, Stage stage, const std::string& job)
{
    if (state.stage == stage)
        return;
    state.stage = stage;
    actions.push_back(SaveStage{stage, job});
}

bool hasOpenAttempt(const State& state)
{
    return std::ranges::any_of(state.runs,
                               [](const auto& run) { return !isWaiting(run.second) && !isFinal(run.second.state); });
}

bool isAllCancelled(const State& state)
{
    return std::ranges::all_of(state.runs,
                               [](const auto& run) { return isFinal(run.second.state) || run.second.cancelAsked; });
}

void endHere(State& state, Actions& actions, std::int64_t atNs)
{
    endRuns(state, actions, RunState::cancelled, Cause::cancelled, because(why::kCancelled), atNs);
    enter(state, actions, Stage::ended);
}

void endWithoutFiles(State& state, Actions& actions, std::int64_t atNs)
{
    if (state.cancelled)
        return endHere(state, actions, atNs);
    endRuns(state, actions, RunState::failed, Cause::runnerLost, because(why::kFilesGone), atNs);
    enter(state, actions, Stage::ended);
}

void endForMemory(State& state, Actions& actions, const Reported& event)
{
    for (const auto& [id, run] : state.runs)
        if (!isWaiting(run))
            endRun(state, actions, id, RunState::failed, Cause::outOfMemory, event.reason, event.atNs);
    endRuns(state, actions, RunState::failed, Cause::runnerLost, event.reason, event.atNs);
    enter(state, actions, Stage::ended);
}

} // namespace ringside::campaign
