// SPDX-License-Identifier: MIT
// Parts of the state machine of a campaign (campaign.h): its runs, and the campaign itself, change and end. Each
// function changes the state and adds to what is to be done.
#pragma once

#include "core/campaign/campaign.h"

namespace ringside::campaign {

using Actions = std::vector<Action>;

bool isWaiting(const RunProgress& run);
bool allEnded(const State& state);
bool hasOpenAttempt(const State& state);
/// Returns whether every run has ended or was to be cancelled: a runner would begin none of them.
bool isAllCancelled(const State& state);

/// Applies a change of a run; one that does not fit its state is no news.
void change(State& state, Actions& actions, RunChange news);
void enter(State& state, Actions& actions, Stage stage, const std::string& job = {});

/// Ends a run that has no end yet, in its open attempt or between attempts. One that was to be cancelled before it
/// began is cancelled, whatever ends the others.
void endRun(State& state, Actions& actions, const RunId& id, RunState end, Cause cause, const Reason& reason,
            std::int64_t atNs);
void endRuns(State& state, Actions& actions, RunState end, Cause cause, const Reason& reason, std::int64_t atNs);

/// The site has no part in it: nothing was handed over, or nothing is left for a runner to do.
void endHere(State& state, Actions& actions, std::int64_t atNs);
/// The site has lost its files.
void endWithoutFiles(State& state, Actions& actions, std::int64_t atNs);
/// The job had too little memory for the runs that ran; the others can be launched again.
void endForMemory(State& state, Actions& actions, const Reported& event);

} // namespace ringside::campaign
