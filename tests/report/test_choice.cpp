// SPDX-License-Identifier: MIT
#include "core/report/choice.h"

#include "tests/report/support/lab.h"

#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::report;
using namespace ringside::test;

TEST_CASE("levels that are left out are named as rules, those that a combination collapsed to among them")
{
    const auto experiment = plansExperiment({1, 2});
    const auto runs = measure(experiment, usualMeasurement);
    const auto leftOut = levelsLeftOut({"plan=one", "plan=none", "ranks=2"}, experiment, runs);
    REQUIRE(leftOut);
    CHECK(leftOut->at("plan") == std::vector<Value>{Value("one"), Value("none")});
    CHECK(leftOut->at("ranks") == std::vector<Value>{Value(std::int64_t{2})});

    const auto typo = levelsLeftOut({"plan=on"}, experiment, runs);
    REQUIRE_FALSE(typo);
    CHECK(typo.error().code == ErrorCode::usage);
    CHECK(typo.error().message == "No run of “plans” has plan=on.");
    CHECK(typo.error().hint.find("plan=one") != std::string::npos);
    CHECK(levelsLeftOut({"nonsense"}, experiment, runs).error().code == ErrorCode::usage);
}

TEST_CASE("a layout names factors that vary, each once")
{
    const auto experiment = plansExperiment({1, 2});
    const auto comparison = compared(experiment, measure(experiment, usualMeasurement), kThroughput);
    CHECK(checkLayout({}, comparison));
    CHECK(checkLayout({"plan", "ranks", "model"}, comparison));
    const auto fixed = checkLayout({"precision", "", ""}, comparison);
    REQUIRE_FALSE(fixed);
    CHECK(fixed.error().message == "“precision” is no factor that varies in what is shown.");
    CHECK(fixed.error().hint == "These vary: model, ranks, plan.");
    CHECK(checkLayout({.coloured = {"buckets"}}, comparison));
    const auto noSeries = checkLayout({.coloured = {"buckets", "nosuch"}}, comparison);
    REQUIRE_FALSE(noSeries);
    CHECK(noSeries.error().code == ErrorCode::usage);
    CHECK(noSeries.error().message == "“nosuch” is no series of this figure.");
    CHECK(noSeries.error().hint == "There are: one, buckets.");
    CHECK(checkLayout({"plan", "plan", ""}, comparison).error().hint == "Name each factor once.");
}
