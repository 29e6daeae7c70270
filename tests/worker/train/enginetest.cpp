// SPDX-License-Identifier: MIT
#include "agent/worker/train/engine.h"

#include <ATen/Functions.h>
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

TEST_CASE("ranks begin with the same random numbers, and draw their own once their weights are made")
{
    TrainSettings settings;
    settings.seed = 7;
    const auto drawn = [&](int rank) {
        startEngine(settings, {0});
        at::Tensor weights = at::rand({16});
        separateRandomNumbers(settings.seed, rank);
        return std::pair(weights, at::rand({16}));
    };
    startEngine(settings, {0});
    const at::Tensor stream = at::rand({32});
    const auto [ofFirst, dropsOfFirst] = drawn(0);
    const auto [ofSecond, dropsOfSecond] = drawn(1);
    CHECK(at::equal(ofFirst, ofSecond));
    CHECK(at::equal(at::cat({ofFirst, dropsOfFirst}), stream));
    CHECK_FALSE(at::equal(dropsOfFirst, dropsOfSecond));
    CHECK(at::equal(dropsOfSecond, drawn(1).second));
}
