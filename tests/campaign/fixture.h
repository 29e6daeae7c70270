// SPDX-License-Identifier: MIT
// A campaign of two runs, to whose state machine events are given.
#pragma once

#include "core/campaign/campaign.h"

#include <doctest/doctest.h>

namespace ringside::campaign {

struct Fixture
{
    RunId first = RunId::random(), second = RunId::random();
    State state;

    Fixture() { state.runs = {{first, {}}, {second, {}}}; }

    std::vector<Action> on(const Event& event) { return step(state, event); }
    /// Until the ranks of an attempt without an end had their time to write.
    std::vector<Action> endAfterLooks(const Event& event)
    {
        std::vector<Action> actions = on(event);
        for (int look = 0; look < kLastLooks && state.stage != Stage::ended; ++look)
            actions = on(event);
        return actions;
    }
    void submit()
    {
        on(Connected{});
        on(Chosen{});
        on(Accepted{"4711"});
    }
    Journalled started(const RunId& run, int attempt) { return journalled(JournalKind::attemptStarted, run, attempt); }
    Journalled ended(const RunId& run, int attempt, RunState end, Cause cause = Cause::none)
    {
        Journalled line = journalled(JournalKind::attemptEnded, run, attempt);
        line.event.state = end;
        line.event.cause = cause;
        return line;
    }
    Journalled journalled(JournalKind kind, const RunId& run = {}, int attempt = 0)
    {
        Journalled line;
        line.event.kind = kind;
        line.event.attempt = attempt;
        line.event.wallNs = 7;
        if (!run.empty())
            line.event.run = run;
        return line;
    }
};

inline const Reason kWaitsForNodes = because(why::kJob, {{"job", "4"}, {"state", "pending"}, {"word", "Resources"}});

/// With every contact: the site may still hold what was continued without it.
inline const Control kProceed{Control::Kind::proceed, {}};

template <class Wanted> int countOf(const std::vector<Action>& actions)
{
    int count = 0;
    for (const Action& action : actions)
        count += std::holds_alternative<Wanted>(action) ? 1 : 0;
    return count;
}

} // namespace ringside::campaign
