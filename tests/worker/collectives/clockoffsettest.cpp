// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/rankgroup.h"
#include "tests/support/built.h"
#include "tests/worker/nompi.h"

#include <doctest/doctest.h>

using namespace ringside;
using namespace std::chrono_literals;

TEST_CASE("offsets of clocks that are minutes apart are right to what is said of them")
{
    if (test::noMpi())
        return;
    for (const int ranks : {2, 4}) {
        CAPTURE(ranks);
        auto group = RankGroup::start(ranks, {test::testProgram("clockprobe")});
        REQUIRE(group);
        const auto code = group->wait(60s);
        REQUIRE(code);
        CHECK(*code == 0);
    }
}
