// SPDX-License-Identifier: MIT
#include "core/campaign/narrow.h"

#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::campaign;

TEST_CASE("a plan that is handed over has what its campaign is still to do, and nothing of another one")
{
    CampaignPlan plan;
    State state;
    const auto add = [&](const std::optional<RunProgress>& progress) {
        RunSpec run;
        run.id = RunId::random();
        if (progress)
            state.runs.emplace(run.id, *progress);
        return plan.runs.emplace_back(run).id;
    };
    const RunId waits = add(RunProgress{}), again = add(RunProgress{RunState::requeued, 2});
    SUBCASE("all of it")
    {
        CHECK(narrow(plan, state)); // attempts are known
    }
    SUBCASE("less what has an end or is to have one")
    {
        add(RunProgress{RunState::done, 1});
        add(RunProgress{RunState::cancelled, 0, Cause::cancelled, true});
        CHECK(narrow(plan, state));
    }
    SUBCASE("less what a later campaign has now")
    {
        add(std::nullopt);
        CHECK(narrow(plan, state));
    }
    REQUIRE(plan.runs.size() == 2);
    CHECK(plan.runs[0].id == waits);
    CHECK(plan.runs[0].attempts == 0);
    CHECK(plan.runs[1].id == again);
    CHECK(plan.runs[1].attempts == 2);
    CHECK_FALSE(narrow(plan, state));
}
