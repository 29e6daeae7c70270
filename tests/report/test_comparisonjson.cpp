// SPDX-License-Identifier: MIT
// The JSON that scripts rely on: CONTRACTS, "compare … --json".
#include "tests/report/support/lab.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace ringside;
using namespace ringside::report;
using namespace ringside::test;
using Json = nlohmann::json;

namespace {

Json jsonOf(const ComparedKind& kind, int repeats = 6)
{
    const auto experiment = plansExperiment({1, 2}, repeats);
    return Json::parse(comparisonToJson(compared(experiment, measure(experiment, usualMeasurement), kind)));
}

/// A copy: a loop over a part of a temporary would outlive it.
Json groupsOf(const ComparedKind& kind, int repeats = 6)
{
    return jsonOf(kind, repeats).at("groups");
}

} // namespace

TEST_CASE("Every kind has its unit")
{
    for (const auto& [kind, name, unit] :
         {std::tuple(&kThroughput, "throughput", "images/s"), std::tuple(&kSpeedup, "speedup", "1"),
          std::tuple(&kEfficiency, "efficiency", "1"), std::tuple(&kPhaseStacks, "phases", "ms")}) {
        const Json json = jsonOf(*kind);
        CHECK(json["format"] == 1);
        CHECK(json["show"] == name);
        CHECK(json["unit"] == unit);
    }
}

TEST_CASE("The unit of throughput goes by the model")
{
    const auto experiment = plansExperiment({1, 2}, 6, {"gpt2"});
    const auto runs = measure(experiment, usualMeasurement);
    CHECK(Json::parse(comparisonToJson(compared(experiment, runs, kThroughput)))["unit"] == "sequences/s");
    CHECK(Json::parse(comparisonToJson(compared(experiment, runs, kSpeedup)))["unit"] == "1");
}

TEST_CASE("The base case is a rule and its cases with value and n")
{
    const Json base = jsonOf(kSpeedup)["base"];
    CHECK(base["where"] == Json({{"ranks", 1}}));
    REQUIRE(base["cases"].size() == 2);
    for (const Json& entry : base["cases"]) {
        CHECK(entry["factors"]["ranks"] == 1);
        CHECK(entry["factors"]["plan"] == "none");
        CHECK(entry["n"] == 6);
        CHECK(entry["value"].get<double>() > 0);
    }
}

TEST_CASE("A base case has the counts and flags of its runs, whether it is shown or left out")
{
    CompareRequest request;
    request.kind = &kSpeedup;
    request.experiment = plansExperiment({1, 2}, 6, {"alexnet"});
    auto runs = measure(request.experiment, usualMeasurement);
    for (auto& run : runs)
        if (integerOf(run.row.settings, "ranks") == 1 && run.row.repeat <= 3) {
            run.row.flags = {run.row.repeat <= 2 ? "disturbed" : "nan"};
            run.row.failedAttempts = 1;
        }
    for (const bool isLeftOut : {false, true}) {
        CAPTURE(isLeftOut);
        if (isLeftOut)
            request.leftOut = {{"ranks", {Value(std::int64_t{1})}}};
        const Json json = Json::parse(comparisonToJson(compare(runs, request).value()));
        CHECK(json["groups"].size() == (isLeftOut ? 2 : 3));
        const Json base = json["base"]["cases"].at(0);
        CHECK(base["n"] == 5);
        CHECK(base["failed"] == 3);
        CHECK(base["disturbed"] == 2);
        CHECK(base["flags"] == Json({{"disturbed", 2}, {"nan", 1}}));
        CHECK(base["left_out"] == Json({{"nan", 1}}));
    }
}

TEST_CASE("A group has factors, n, value, bounds, counts and runs")
{
    for (const Json& group : groupsOf(kThroughput)) {
        CHECK(group["factors"]["model"].is_string());
        CHECK(group["factors"]["ranks"].is_number_integer());
        CHECK(group["n"] == 6);
        CHECK(group["low"].get<double>() <= group["value"].get<double>());
        CHECK(group["value"].get<double>() <= group["high"].get<double>());
        CHECK(group["failed"] == 0);
        CHECK(group["disturbed"] == 0);
        CHECK(group["flags"] == Json::object());
        CHECK(group["runs"].size() == 6);
        CHECK(isUuid(group["runs"][0].get<std::string>()));
    }
}

TEST_CASE("The base group has speed-up 1 and null bounds; the others lie between their bounds")
{
    for (const Json& group : groupsOf(kSpeedup)) {
        if (group["factors"]["ranks"] == 1) {
            CHECK(group["value"] == 1);
            CHECK(group["low"].is_null());
            CHECK(group["high"].is_null());
        } else {
            CHECK(group["value"].get<double>() > 1);
            CHECK(group["low"].get<double>() <= group["value"].get<double>());
        }
    }
}

TEST_CASE("Efficiency is 0 to 1")
{
    for (const Json& group : groupsOf(kEfficiency)) {
        CHECK(group["value"].get<double>() > 0.5);
        CHECK(group["value"].get<double>() <= 1);
    }
}

TEST_CASE("Below six runs bounds are null in every kind")
{
    for (const ComparedKind* kind : {&kThroughput, &kSpeedup, &kEfficiency, &kPhaseStacks})
        for (const Json& group : groupsOf(*kind, 5)) {
            CHECK(group["n"] == 5);
            CHECK(group["value"].is_number());
            CHECK(group["low"].is_null());
            CHECK(group["high"].is_null());
        }
}

TEST_CASE("Work beside the phases stands with them, and is no part of the value")
{
    const auto experiment = plansExperiment({2});
    const auto runs = measure(experiment, loadingMeasurement);
    const auto groups = [&](const ComparedKind& kind) {
        return Json::parse(comparisonToJson(compared(experiment, runs, kind)))["groups"];
    };
    const Json phases = groups(kPhaseStacks);
    for (const Json& group : phases) {
        CHECK(group["background"]["read"].get<double>() == doctest::Approx(3));
        CHECK(group["background"]["decode"].get<double>() == doctest::Approx(60));
        CHECK(group["background"]["comm_total"].get<double>() >= group["phases"]["comm_exposed"].get<double>());
        CHECK(group["hidden"].get<double>() == doctest::Approx(group["background"]["comm_total"].get<double>() -
                                                               group["phases"]["comm_exposed"].get<double>()));
    }
    CHECK_FALSE(groups(kThroughput)[0].contains("background"));
}

TEST_CASE("A group without runs has no times, not times of 0")
{
    const auto experiment = plansExperiment({2}, 6, {"resnet50"});
    auto runs = measure(experiment, usualMeasurement);
    std::erase_if(runs, [](const auto& run) { return textOf(run.row.settings, "plan") == "one"; });
    const Json group = Json::parse(comparisonToJson(compared(experiment, runs, kPhaseStacks)))["groups"][0];
    CHECK(group["n"] == 0);
    CHECK(group["value"].is_null());
    CHECK(group["phases"]["forward"].is_null());
    CHECK(group["hidden"].is_null());
    CHECK(group["background"]["comm_total"].is_null());
}

TEST_CASE("The phases of a group add up to its value")
{
    const nlohmann::ordered_json json = nlohmann::ordered_json::parse(jsonOf(kPhaseStacks).dump());
    for (const auto& group : json["groups"]) {
        REQUIRE(group["phases"].size() == kPhaseCount);
        double sum = 0;
        for (const auto& [name, ms] : group["phases"].items()) {
            CHECK(phaseFromName(name));
            sum += ms.get<double>();
        }
        CHECK(sum == doctest::Approx(group["value"].get<double>()).epsilon(1e-12));
    }
}

TEST_CASE("What a group does not report is null, and the rest is not called other")
{
    const auto experiment = plansExperiment({2}, 6, {"alexnet"});
    const auto runs = measure(experiment, lessToldMeasurement);
    const Json groups = Json::parse(comparisonToJson(compared(experiment, runs, kPhaseStacks)))["groups"];
    for (const Json& group : groups) {
        const bool isLess = group["factors"]["plan"] == "one";
        REQUIRE(group["phases"].size() == (isLess ? kPhaseCount + 1 : kPhaseCount));
        double sum = 0;
        for (const auto& [name, ms] : group["phases"].items()) {
            CAPTURE(name);
            const bool isTold = !isLess || name == "forward" || name == "backward" || name == "not_told";
            CHECK(ms.is_number() == isTold);
            CHECK(ms.is_null() == !isTold);
            sum += isTold ? ms.get<double>() : 0;
        }
        CHECK(sum == doctest::Approx(group["value"].get<double>()));
        CHECK(group["hidden"].is_null() == isLess);
    }
}

TEST_CASE("The JSON has interval, scaling, what differs and how long was measured")
{
    auto experiment = plansExperiment({1, 2}, 6, {"alexnet"});
    experiment.when = {{{{"ranks", Value(std::int64_t{1})}}, {{"batch_global", Value(std::int64_t{8})}}}};
    const Json json =
        Json::parse(comparisonToJson(compared(experiment, measure(experiment, usualMeasurement), kSpeedup)));
    CHECK(json["interval"]["level"] == 0.95);
    CHECK(json["scaling"] == "mixed");
    CHECK(json["groups"][0]["differs"] == Json::object());
    CHECK(json["groups"][1]["differs"]["batch_global"] == Json({8, nullptr}));
    CHECK(json["groups"][1]["window"]["iterations"] == 50);
    CHECK(json["groups"][1]["window"]["seconds"].get<double>() > 0);
    CHECK(json["groups"][1]["flags"].is_object());
    CHECK(jsonOf(kThroughput)["scaling"] == "weak");
}
