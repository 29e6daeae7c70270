// SPDX-License-Identifier: MIT
#include "agent/worker/data/pictureorder.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <numeric>
#include <vector>

using namespace ringside;

namespace {

std::vector<std::size_t> numbersBelow(std::size_t n)
{
    std::vector<std::size_t> all(n);
    std::iota(all.begin(), all.end(), 0);
    return all;
}

std::vector<std::size_t> epoch(const PictureOrder& order, std::size_t n, std::uint64_t number)
{
    std::vector<std::size_t> seen;
    for (std::uint64_t p = number * n; p < (number + 1) * n; ++p)
        seen.push_back(order.pictureAt(p));
    return seen;
}

} // namespace

TEST_CASE("an epoch of any length shows every picture once")
{
    for (const std::size_t n : {1, 2, 3, 4, 5, 17, 64, 65, 1000}) {
        CAPTURE(n);
        auto seen = epoch(PictureOrder(5, n, 0, 1), n, 3);
        std::sort(seen.begin(), seen.end());
        CHECK(seen == numbersBelow(n));
    }
}

TEST_CASE("epochs and seeds have their own order, which is not the sorted one")
{
    const PictureOrder order(5, 1000, 0, 1);
    CHECK(epoch(order, 1000, 0) != epoch(order, 1000, 1));
    CHECK(epoch(order, 1000, 0) != epoch(PictureOrder(6, 1000, 0, 1), 1000, 0));
    int stayed = 0;
    for (std::size_t i = 0; i < 1000; ++i)
        stayed += order.pictureAt(i) == i;
    CHECK(stayed < 10);
}

TEST_CASE("ranks share an epoch without overlap, also where it does not divide")
{
    constexpr std::size_t n = 10;
    constexpr int world = 3;
    std::vector<std::size_t> seen;
    for (int rank = 0; rank < world; ++rank) {
        const PictureOrder order(9, n, rank, world);
        for (std::uint64_t i = 0; order.position(i) < n; ++i)
            seen.push_back(order.pictureAt(order.position(i)));
    }
    std::sort(seen.begin(), seen.end());
    CHECK(seen == numbersBelow(n));
}

TEST_CASE("replacements try every picture")
{
    const PictureOrder order(4, 20, 0, 1);
    std::vector<std::size_t> tried;
    for (std::size_t attempt = 1; attempt <= 20; ++attempt)
        tried.push_back(order.replacement(7, attempt));
    std::sort(tried.begin(), tried.end());
    CHECK(tried == numbersBelow(20));
}
