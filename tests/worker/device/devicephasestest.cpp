// SPDX-License-Identifier: MIT
// The phases of a device, which are its events', read an iteration later: on the stand-in. A prompt one has nothing
// left to do when the host pauses; one that is late has, and where phases are serialised the host waits for it at each
// border.
#include "tests/support/built.h"
#include "tests/worker/train/phaseproof.h"

#include <doctest/doctest.h>

using ringside::test::Attempt;
using ringside::test::provePhases;

namespace {

void useStandIn(Attempt& attempt)
{
    attempt.worker = ringside::test::testProgram("standinworker");
    attempt.run.settings["device"] = std::string("cuda");
}

} // namespace

TEST_CASE("a delay of 20 ms grows its own phase of a device by 20 ms and every other by less than 1 ms")
{
    provePhases([](Attempt& attempt) {
        useStandIn(attempt);
        attempt.options.insert(attempt.options.end(), {"--pace", "prompt"});
    });
}

TEST_CASE("so it does where phases are serialised")
{
    provePhases([](Attempt& attempt) {
        useStandIn(attempt);
        attempt.run.settings["timing"] = std::string("serialised");
    });
}
