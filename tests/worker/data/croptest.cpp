// SPDX-License-Identifier: MIT
#include "agent/worker/data/crop.h"

#include <doctest/doctest.h>

using namespace ringside;

TEST_CASE("crops lie within their picture, whatever its shape")
{
    for (const PictureSize size : {PictureSize{500, 375}, {1, 1}, {1, 4000}, {4000, 1}, {7, 3}, {65500, 2}})
        for (std::uint64_t i = 0; i < 200; ++i) {
            const Rectangle part = randomCrop(size, Random(1, i)).part;
            CAPTURE(size.width);
            CAPTURE(size.height);
            REQUIRE(part.width >= 1);
            REQUIRE(part.height >= 1);
            REQUIRE(part.x >= 0);
            REQUIRE(part.y >= 0);
            REQUIRE(part.x + part.width <= size.width);
            REQUIRE(part.y + part.height <= size.height);
        }
}

TEST_CASE("areas and ratios are those of RandomResizedCrop, and half are mirrored")
{
    int mirrored = 0;
    double area = 0;
    constexpr int n = 4000;
    for (std::uint64_t i = 0; i < n; ++i) {
        const Crop crop = randomCrop({400, 400}, Random(7, i));
        const double share = double(crop.part.width) * crop.part.height / (400.0 * 400);
        const double ratio = double(crop.part.width) / crop.part.height;
        REQUIRE(share > 0.075);
        REQUIRE(ratio > 0.74);
        REQUIRE(ratio < 1.35);
        area += share / n;
        mirrored += crop.mirrored;
    }
    CHECK(area == doctest::Approx(0.51).epsilon(0.06)); // a little below 0.54, as large ones of odd ratios do not fit
    CHECK(mirrored > n * 0.46);
    CHECK(mirrored < n * 0.54);
}

TEST_CASE("the same draw gives the same crop")
{
    CHECK(randomCrop({500, 375}, Random(3, 9)).part == randomCrop({500, 375}, Random(3, 9)).part);
    CHECK_FALSE(randomCrop({500, 375}, Random(3, 9)).part == randomCrop({500, 375}, Random(3, 10)).part);
}
