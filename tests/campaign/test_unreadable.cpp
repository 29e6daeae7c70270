// SPDX-License-Identifier: MIT
// Campaigns whose files the site does not find, or cannot read.
#include "tests/campaign/fixture.h"

using namespace ringside;
using namespace ringside::campaign;

TEST_CASE_FIXTURE(Fixture, "a campaign whose files are gone is over, however that is noticed")
{
    submit();
    on(started(first, 1));
    on(ended(first, 1, RunState::done));
    const Unreadable gone{{ErrorCode::notFound, "There is no plan.json.", ""}, 3};
    const Reported unknown{Reported::Standing::unknown, 3};
    SUBCASE("by a Follow")
    {
        CHECK(on(gone) == std::vector<Action>{Follow{}}); // what its runs left there
        CHECK(on(unknown).empty());
    }
    SUBCASE("by a question")
    {
        CHECK(on(unknown) == std::vector<Action>{Follow{}});
        CHECK(on(unknown).empty());
        on(Disconnected{4});
        on(Connected{});
        CHECK(countOf<Follow>(on(unknown)) == 1); // the first one is not answered any more
    }
    CHECK(state.stage == Stage::submitted);
    on(SamplesSeen{second, 1, 5});
    REQUIRE(on(CaughtUp{false, 6}).empty());
    CHECK(state.stage == Stage::submitted);
    CHECK(on(Ticked{}) == std::vector<Action>{AskStatus{}}); // once more
    for (int look = 0; look < kLastLooks; ++look) {          // the second run's ranks may still write
        CHECK(on(unknown).empty());
        on(SamplesSeen{second, 1, 7});
        CHECK(on(Ticked{}) == std::vector<Action>{AskStatus{}});
    }
    CHECK(state.runs[second].state == RunState::running);
    const auto last = on(Reported{Reported::Standing::unknown, 7});
    CHECK(std::get<SaveRun>(last[0]).change.reason == because(why::kFilesGone));
    CHECK(state.stage == Stage::ended);
    CHECK(state.runs[first].state == RunState::done);
    CHECK(state.runs[second].attempt == 1);
    CHECK(state.runs[second].state == RunState::failed);
    CHECK(isFromOutside(state.runs[second].cause));
}

TEST_CASE_FIXTURE(Fixture, "a campaign whose files were out of sight for a moment goes on")
{
    submit();
    on(CaughtUp{false, 1});
    on(Reported{Reported::Standing::alive, 2, kWaitsForNodes});
    const Reported unknown{Reported::Standing::unknown, 3};
    CHECK(on(unknown).back() == Action(Follow{}));
    SUBCASE("the second look finds them")
    {
        on(CaughtUp{false, 4});
        on(Ticked{});
    }
    SUBCASE("they cannot be read")
    {
        const Error refused{ErrorCode::permission, "plan.json cannot be read.", ""};
        CHECK(on(Unreadable{refused, 4}) == std::vector<Action>{SaveContact{std::nullopt, becauseOf(refused)}});
        on(Disconnected{5});
        on(Connected{});
    }
    CHECK(on(Reported{Reported::Standing::alive, 6, kWaitsForNodes}).back() == Action(kProceed));
    CHECK(state.stage == Stage::submitted);
    CHECK(state.note == kWaitsForNodes);
    on(CaughtUp{false, 7});
    on(Ticked{});
    on(unknown); // another moment, of which one look is not enough either
    CHECK(state.stage == Stage::submitted);
    on(started(first, 1));
    on(CaughtUp{true, 8});
    CHECK(state.runs[first].state == RunState::starting);
}

TEST_CASE_FIXTURE(Fixture, "a campaign whose files are gone ends where its agent cannot look for what is left")
{
    submit();
    const Unreadable gone{{ErrorCode::notFound, "There is no plan.json.", ""}, 3};
    on(gone);
    on(gone);
    CHECK(state.stage == Stage::ended);
    CHECK(state.runs[first].state == RunState::failed);
}

TEST_CASE_FIXTURE(Fixture, "what cannot be read says why, and does not keep a cancelled campaign open")
{
    submit();
    const Unreadable damaged{{ErrorCode::damaged, "plan.json is damaged.", "Cancel it."}, 3};
    CHECK(on(damaged) == std::vector<Action>{SaveContact{std::nullopt, becauseOf(damaged.error)}});
    CHECK(on(damaged).empty());
    on(Asked{{Control::Kind::cancel}, 4});
    on(damaged);
    CHECK(state.runs[first].state == RunState::cancelled);
    CHECK(state.stage == Stage::ended);
}

TEST_CASE_FIXTURE(Fixture,
                  "a cancelled campaign that cannot be read ends once its site has answered the cancel, no sooner")
{
    submit();
    const Control cancel{Control::Kind::cancel, {}};
    const Unreadable refused{{ErrorCode::permission, "plan.json cannot be read.", ""}, 3};
    on(refused);
    CHECK(on(Asked{cancel, 4}).back() == Action(cancel));
    on(Answered{Control::Kind::cancel, false});
    on(refused);
    REQUIRE(state.stage == Stage::submitted); // its job goes on
    SUBCASE("it is asked again as soon as the files can be read")
    {
        CHECK(on(CaughtUp{true, 5}).back() == Action(cancel));
        CHECK(on(CaughtUp{true, 6}).empty());
    }
    SUBCASE("it was asked at the next contact")
    {
        on(Disconnected{5});
        on(Connected{});
        CHECK(on(Reported{Reported::Standing::alive, 6}).back() == Action(cancel));
    }
    on(Answered{Control::Kind::cancel, true});
    on(refused);
    CHECK(state.stage == Stage::ended);
    CHECK(state.runs[first].state == RunState::cancelled);
}

TEST_CASE_FIXTURE(Fixture, "why it could not be read is no longer said once it was read; what it waits for is")
{
    submit();
    on(Reported{Reported::Standing::alive, 1, kWaitsForNodes});
    CHECK(on(CaughtUp{true, 2}).empty());
    CHECK(state.note == kWaitsForNodes);
    const Unreadable damaged{{ErrorCode::damaged, "plan.json is damaged.", ""}, 3};
    on(damaged);
    CHECK(state.note == becauseOf(damaged.error));
    CHECK(on(CaughtUp{true, 4}) == std::vector<Action>{SaveContact{std::nullopt}});
    CHECK(state.note.empty());
}
