// SPDX-License-Identifier: MIT
#include "core/protocol/versionrange.h"

#include <doctest/doctest.h>

using namespace ringside;

TEST_CASE("a range lies within another one that has all of its versions")
{
    const auto isWithin = [](const char* range, const char* wider) {
        return VersionRange::parse(range)->isWithin(*VersionRange::parse(wider));
    };
    CHECK(isWithin(">=2.0.9, <2.4", "<2.4"));
    CHECK(isWithin(">=2", ">=1.6"));
    CHECK(isWithin(">2", ">=2"));
    CHECK(isWithin("<2", "<=2.0"));
    CHECK(isWithin("==1.5", ">1, <2"));
    CHECK(isWithin("==1.5", "==1.5.0"));
    CHECK(isWithin(">=1", ""));
    CHECK_FALSE(isWithin("", ">=1"));
    CHECK_FALSE(isWithin("<2.4", ">=2.0.9, <2.4"));
    CHECK_FALSE(isWithin(">=2", ">2"));
    CHECK_FALSE(isWithin(">=2", "<3"));
    CHECK_FALSE(isWithin(">=2", "==2"));
    CHECK_FALSE(isWithin("==2", ">2"));
}

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
