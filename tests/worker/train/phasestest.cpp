// SPDX-License-Identifier: MIT
#include "tests/worker/train/phaseproof.h"

#include <doctest/doctest.h>

TEST_CASE("a delay of 20 ms grows its own phase by 20 ms and every other by less than 1 ms")
{
    ringside::test::provePhases();
}
