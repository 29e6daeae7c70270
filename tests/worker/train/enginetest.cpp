// SPDX-License-Identifier: MIT
#include "agent/worker/train/engine.h"

#include <ATen/Parallel.h>
#include <doctest/doctest.h>
#include <thread>

using namespace ringside;

TEST_CASE("a thread that works on one core leaves the thread that computes all of its own")
{
    startEngine(TrainSettings(), {0, 1});
    std::thread([] { at::set_num_threads(1); }).join(); // before the first operation here
    CHECK(at::get_num_threads() == 2);
}
