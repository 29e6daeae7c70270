// SPDX-License-Identifier: MIT
#include "core/protocol/states.h"

#include <doctest/doctest.h>

namespace ringside {

TEST_CASE("names of states, kinds and causes read back")
{
    for (int i = 0; i <= static_cast<int>(RunState::unknown); ++i)
        CHECK(valueNamed<RunState>(nameOf(static_cast<RunState>(i))) == static_cast<RunState>(i));
    for (int i = 0; i <= static_cast<int>(RunKind::imported); ++i)
        CHECK(valueNamed<RunKind>(nameOf(static_cast<RunKind>(i))) == static_cast<RunKind>(i));
    for (int i = 0; i <= static_cast<int>(Cause::crashed); ++i)
        CHECK(valueNamed<Cause>(nameOf(static_cast<Cause>(i))) == static_cast<Cause>(i));
    CHECK_FALSE(valueNamed<RunState>("Done"));
    CHECK_FALSE(valueNamed<Cause>(""));
}

TEST_CASE("only what happened to a run from outside makes it missing")
{
    for (const Cause cause : {Cause::lostRank, Cause::hung, Cause::runnerLost, Cause::timeLimit, Cause::launch})
        CHECK(isFromOutside(cause));
    for (const Cause cause : {Cause::none, Cause::settings, Cause::outOfMemory, Cause::data, Cause::notANumber,
                              Cause::cancelled, Cause::crashed})
        CHECK_FALSE(isFromOutside(cause));
}

TEST_CASE("final states")
{
    for (const RunState state : {RunState::done, RunState::failed, RunState::cancelled})
        CHECK(isFinal(state));
    for (const RunState state :
         {RunState::queued, RunState::starting, RunState::running, RunState::requeued, RunState::unknown})
        CHECK_FALSE(isFinal(state));
}

} // namespace ringside
