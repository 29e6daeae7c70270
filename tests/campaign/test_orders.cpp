// SPDX-License-Identifier: MIT
// Orders whose campaign is on its way to the site, and those that the site refuses.
#include "tests/campaign/fixture.h"

using namespace ringside;
using namespace ringside::campaign;

namespace {

const Control kCancel{Control::Kind::cancel, {}};

} // namespace

TEST_CASE_FIXTURE(Fixture, "a campaign that is cancelled before its submission is answered is not submitted again")
{
    on(Chosen{}); // without contact
    CHECK(on(Asked{kCancel, 1}) == std::vector<Action>{SaveCancelled{}});
    const auto sent = on(Connected{});
    CHECK(countOf<Submit>(sent) == 0);
    CHECK(sent.back() == Action(kCancel)); // it may have been submitted, and the answer lost
    SUBCASE("the site does not have it")
    {
        on(Refused{{ErrorCode::notFound, "There is no such campaign.", ""}, 3});
        CHECK(state.stage == Stage::ended);
        CHECK(state.runs[first].state == RunState::cancelled);
    }
    SUBCASE("the site has it")
    {
        CHECK(on(Answered{Control::Kind::cancel, true}) ==
              std::vector<Action>{SaveStage{Stage::submitted, ""}, Follow{}});
        on(ended(first, 1, RunState::done)); // it was begun
        on(journalled(JournalKind::runnerEnded));
        on(CaughtUp{false, 4});
        CHECK(state.stage == Stage::ended);
        CHECK(state.runs[first].state == RunState::done);
        CHECK(state.runs[second].state == RunState::cancelled);
    }
    SUBCASE("the site cannot say")
    {
        on(Postponed{{ErrorCode::io, "plan.json cannot be read.", ""}, 3});
        for (int tick = 1; tick < kPostponedTicks; ++tick)
            CHECK(on(Ticked{}).empty());
        CHECK(on(Ticked{}) == std::vector<Action>{kCancel});
    }
}

TEST_CASE_FIXTURE(Fixture, "a campaign that is cancelled run by run before its submission is answered is cancelled")
{
    on(Chosen{}); // without contact
    CHECK(countOf<SaveRunCancelled>(on(Asked{{Control::Kind::cancelWaiting}, 1})) == 2);
    const auto sent = on(Connected{});
    CHECK(countOf<Submit>(sent) == 0);
    CHECK(sent.back() == Action(kCancel));
}

TEST_CASE_FIXTURE(Fixture, "a campaign that is cancelled while the scheduler is away is not submitted when it is back")
{
    on(Connected{});
    on(Chosen{});
    on(Postponed{{ErrorCode::unavailable, "Slurm does not answer.", ""}, 3});
    CHECK(on(Asked{kCancel, 4}) == std::vector<Action>{SaveCancelled{}});
    for (int tick = 1; tick < kPostponedTicks; ++tick)
        CHECK(on(Ticked{}).empty());
    CHECK(on(Ticked{}) == std::vector<Action>{kCancel});
}

TEST_CASE_FIXTURE(Fixture,
                  "a submission that is postponed again and again is made ever less often, until contact is lost")
{
    const auto untilSubmitted = [&] {
        on(Postponed{{ErrorCode::unavailable, "As many jobs are queued as your account allows.", ""}, 3});
        int ticks = 1;
        while (on(Ticked{}).empty() && ticks <= kMostPostponedTicks)
            ++ticks;
        return ticks;
    };
    on(Connected{});
    on(Chosen{});
    for (const int ticks : {5, 10, 20, 40, 80, 160, 160})
        CHECK(untilSubmitted() == ticks);
    SUBCASE("a cancel does not wait for that")
    {
        on(Postponed{{ErrorCode::unavailable, "As many jobs are queued as your account allows.", ""}, 3});
        on(Asked{kCancel, 4});
        for (int tick = 1; tick < kPostponedTicks; ++tick)
            CHECK(on(Ticked{}).empty());
        CHECK(on(Ticked{}) == std::vector<Action>{kCancel});
    }
    SUBCASE("with new contact it is as at first")
    {
        on(Disconnected{5});
        on(Connected{});
        CHECK(untilSubmitted() == kPostponedTicks);
    }
}

TEST_CASE_FIXTURE(Fixture,
                  "the answer to an order from before a runner died says nothing of its successor's submission")
{
    submit();
    on(Asked{{Control::Kind::hold}, 1});
    on(Asked{{Control::Kind::proceed}, 1});
    on(CaughtUp{false, 2});
    REQUIRE(countOf<Submit>(on(Reported{Reported::Standing::lost, 3})) == 1);
    CHECK(on(Answered{Control::Kind::proceed, true}).empty());
    CHECK(state.stage == Stage::submitting);
}

TEST_CASE_FIXTURE(Fixture, "an order that the site refused is sent again after a while, though nothing else happens")
{
    submit();
    on(started(first, 1));
    on(CaughtUp{true, 1}); // a runner that goes on
    REQUIRE(on(Asked{kCancel, 2}).back() == Action(kCancel));
    for (int refusals = 0; refusals < 3; ++refusals) {
        on(Answered{Control::Kind::cancel, false});
        for (int tick = 1; tick < kRefusedOrderTicks; ++tick)
            REQUIRE(on(Ticked{}).empty());
        CHECK(on(Ticked{}) == std::vector<Action>{kCancel});
    }
    on(Answered{Control::Kind::cancel, true});
    for (int tick = 0; tick < 2 * kRefusedOrderTicks; ++tick)
        CHECK(on(Ticked{}).empty());
}

TEST_CASE_FIXTURE(Fixture, "a refused order waits for the next contact, where it is sent with all others")
{
    submit();
    on(CaughtUp{true, 1});
    on(Asked{kCancel, 2});
    on(Answered{Control::Kind::cancel, false});
    on(Disconnected{3});
    for (int tick = 0; tick < 2 * kRefusedOrderTicks; ++tick)
        CHECK(on(Ticked{}).empty());
    on(Connected{});
    CHECK(on(Reported{Reported::Standing::alive, 4}).back() == Action(kCancel));
    for (int tick = 0; tick < 2 * kRefusedOrderTicks; ++tick)
        CHECK(on(Ticked{}).empty());
}

TEST_CASE_FIXTURE(Fixture, "orders are sent although the files are read before the site says how the campaign stands")
{
    submit();
    on(Disconnected{1});
    on(Asked{{Control::Kind::hold}, 2});
    on(Connected{});
    CHECK(on(CaughtUp{true, 3}).back() == Action(Control{Control::Kind::hold, {}}));
    CHECK(on(CaughtUp{true, 4}).empty());
}

TEST_CASE_FIXTURE(Fixture, "a run that was cancelled without contact ends with the next one if it has not begun")
{
    submit();
    on(started(first, 1));
    on(Disconnected{1});
    on(Asked{{Control::Kind::cancelWaiting}, 2});
    on(Connected{});
    on(Reported{Reported::Standing::alive, 3});
    CHECK(state.runs[second].state == RunState::queued); // it may have begun
    SUBCASE("it has not")
    {
        CHECK(countOf<SaveRun>(on(CaughtUp{true, 4})) == 1);
        CHECK(state.runs[second].state == RunState::cancelled);
        on(started(second, 1)); // before the site had the order
        CHECK(state.runs[second].state == RunState::starting);
    }
    SUBCASE("it has")
    {
        on(started(second, 1));
        on(CaughtUp{true, 4});
        CHECK(state.runs[second].state == RunState::starting);
    }
    CHECK_FALSE(isFinal(state.runs[first].state));
}
