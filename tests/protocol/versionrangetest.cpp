// SPDX-License-Identifier: MIT
#include "core/protocol/versionrange.h"

#include <doctest/doctest.h>

using namespace ringside;

TEST_CASE("versions are compared by their numbers")
{
    CHECK(versionNumbers("2.7.post2") == std::vector<int>{2, 7});
    CHECK(versionNumbers("caffe version 1.0.0") == std::vector<int>{1, 0, 0});
    CHECK(versionNumbers("none").empty());

    const auto range = VersionRange::parse(">=1.6, <2");
    REQUIRE(range);
    CHECK(range->contains("1.6"));
    CHECK(range->contains("1.10.1"));
    CHECK(range->contains("1.9.1+cu112"));
    CHECK_FALSE(range->contains("1.5.9"));
    CHECK_FALSE(range->contains("2.0"));
    CHECK_FALSE(range->contains("unknown"));
    CHECK(VersionRange::parse("==2")->contains("2.0.0"));
    CHECK(VersionRange::parse("")->contains("anything"));
    for (const char* wrong : {"1.6", ">=", ">= ,", "~=1", ">=x"})
        CHECK_FALSE(VersionRange::parse(wrong));
}
