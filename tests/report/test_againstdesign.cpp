// SPDX-License-Identifier: MIT
// Phases of a system beside those of Ringside's engine with the plan of the system's design.
#include "core/report/table.h"
#include "tests/report/support/lab.h"
#include "tests/report/support/systems.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace ringside;
using namespace ringside::report;
using namespace ringside::test;

namespace {

using Json = nlohmann::json;

bool isMxnet(const Settings& settings)
{
    return textOf(settings, "engine") == "mxnet";
}

/// Six iterations of 101, 102 … 106 ms, a fifth of them exposed; of MXNet of 122, 124 … 132 ms and two fifths. Of the
/// rest forward takes 29 %.
Measured measurement(const Settings& settings, int repeat)
{
    const double ms = isMxnet(settings) ? 120 + 2 * repeat : 100 + repeat;
    const double items = 8 * numberOf(settings, "ranks").value_or(1);
    return {items / ms * 1000, isMxnet(settings) ? 0.4 : 0.2, 0};
}

Measured lessTold(const Settings& settings, int repeat)
{
    Measured measured = measurement(settings, repeat);
    if (isMxnet(settings))
        measured.told = {Phase::forward, Phase::backward};
    return measured;
}

/// Slower by 5 ms a rank, MXNet by 10; Ringside's own engine by 30 more with plan "one".
Measured ofRanks(const Settings& settings, int repeat)
{
    const double ranks = numberOf(settings, "ranks").value();
    const double own = textOf(settings, "plan") == "one" ? 130 : 100;
    const double ms = isMxnet(settings) ? 120 + 2 * repeat + 10 * ranks : own + repeat + 5 * ranks;
    return {8 * ranks / ms * 1000, 0.2, 0};
}

/// MXNet is so many ms apart from 100 ms, in every run.
Model apartBy(double ms)
{
    return [ms](const Settings& settings, int) {
        const double items = 8 * numberOf(settings, "ranks").value();
        return Measured{items / (isMxnet(settings) ? 100 + ms : 100) * 1000, 0.2, 0};
    };
}

spec::Experiment beside(std::vector<Value> plans, int repeats = 6, const std::vector<std::int64_t>& ranks = {2})
{
    spec::Experiment experiment = plansExperiment(ranks, repeats, {"lenet"});
    experiment.factors[0] = {"engine", {Value("ringside"), Value("mxnet")}};
    experiment.factors[2] = {"plan", std::move(plans)};
    experiment.fixed["model"] = Value("lenet");
    return experiment;
}

Comparison phasesOf(const spec::Experiment& experiment, const Model& model = measurement)
{
    return compared(experiment, measure(experiment, model), kPhaseStacks);
}

const Group& mxnetOf(const Comparison& comparison)
{
    return groupWith(comparison, {{"engine", Value("mxnet")}});
}

Json jsonOfMxnet(const Comparison& comparison)
{
    const Json groups = Json::parse(comparisonToJson(comparison))["groups"];
    return *std::ranges::find_if(groups, [](const Json& group) { return group["factors"]["engine"] == "mxnet"; });
}

/// The cell of MXNet's row, and so many columns behind it.
std::string cellOf(const Table& table, const Comparison& comparison, std::string_view title, std::size_t behind = 0)
{
    const auto column = std::ranges::find(table.columns, title, &TableColumn::title);
    REQUIRE(column != table.columns.end());
    const auto row = std::ranges::find_if(
        table.rows, [&](const TableRow& each) { return isMxnet(comparison.groups[each.group].settings); });
    return row->cells.at(static_cast<std::size_t>(column - table.columns.begin()) + behind).text();
}

bool hasColumn(const Table& table, std::string_view title)
{
    return std::ranges::find(table.columns, title, &TableColumn::title) != table.columns.end();
}

void checkMeasure(const Json& measure, double value, double low, double high)
{
    CHECK(measure["value"].get<double>() == doctest::Approx(value));
    CHECK(measure["low"].get<double>() == doctest::Approx(low));
    CHECK(measure["high"].get<double>() == doctest::Approx(high));
}

} // namespace

// Medians 127 and 103.5; the ends are the differences of resampled medians up to which 2.5 and 97.5 % of all pairs of
// the 6^6 resamples of either side lie: 122 − 103 is the first to reach 2.5 %, of 2.79 %.
TEST_CASE("The iteration and each phase of a system have their difference from its design, with its interval")
{
    const Systems systems;
    const Comparison comparison = phasesOf(beside({Value("one"), Value("mxnet")}));
    const Json against = jsonOfMxnet(comparison)["against_design"];
    CHECK(against["design"]["engine"] == "ringside");
    CHECK(against["design"]["plan"] == "mxnet");
    CHECK(against["n"] == 6);
    CHECK(against["differs"] == Json::object());
    checkMeasure(against["iteration"], 127 - 103.5, 19, 28);
    checkMeasure(against["phases"]["comm_exposed"], 0.4 * 127 - 0.2 * 103.5, 28.5, 31.7);
    checkMeasure(against["phases"]["forward"], 0.29 * (0.6 * 127 - 0.8 * 103.5), -2.726, -1.102);
    for (const Group& group : comparison.groups)
        CHECK(group.againstDesign.has_value() == isMxnet(group.settings));
}

TEST_CASE("Table, notes and caption of phases say how far a system is from its design")
{
    const Systems systems;
    const Comparison comparison = phasesOf(beside({Value("one"), Value("mxnet")}));
    const Table table = summaryTable(comparison);
    CHECK(cellOf(table, comparison, "Design") == "Ringside · mxnet");
    CHECK(cellOf(table, comparison, "Iteration, difference") == "23.5");
    CHECK(cellOf(table, comparison, "Iteration, difference", 1) == "19.0 – 28.0");
    CHECK(cellOf(table, comparison, "Exposed, difference") == "30.1");
    CHECK(cellOf(table, comparison, "Forward, difference") == "-1.91");
    CHECK(cellOf(table, comparison, "Forward, difference", 1) == "-2.73 – -1.10");
    for (const TableRow& row : table.rows)
        CHECK(row.cells.size() == table.columns.size());
    const FigureData data = figure(comparison);
    const auto note = std::ranges::find_if(data.notes, [](const auto& each) { return says(each, "its design"); });
    REQUIRE(note != data.notes.end());
    CHECK(says(*note, "against its design (Ringside · mxnet), differences of medians with 95 % intervals: Iteration "
                      "+23.5 ms (+19.0 to +28.0); "));
    CHECK(says(*note, "; Forward -1.91 ms (-2.73 to -1.10); "));
    CHECK(says(data.caption, "Median iteration against the design on Ringside's engine, with 95 % interval: "));
    CHECK(says(data.caption, " +23.5 ms (+19.0 to +28.0) against Ringside · mxnet."));
}

TEST_CASE("The rule of a comparison's base cases does not move the differences from a design")
{
    const Systems systems;
    const auto experiment = beside({Value("one"), Value("mxnet")});
    const auto runs = measure(experiment, measurement);
    CompareRequest request;
    request.kind = &kPhaseStacks;
    request.experiment = experiment;
    const Json against = jsonOfMxnet(compare(runs, request).value())["against_design"];
    checkMeasure(against["iteration"], 23.5, 19, 28);
    for (const Settings& rule : {Settings{}, Settings{{"engine", Value("mxnet")}},
                                 Settings{{"engine", Value("ringside")}}, Settings{{"plan", Value("one")}}}) {
        request.base = rule;
        const Comparison comparison = compare(runs, request).value();
        CHECK(comparison.where == rule);
        CHECK(jsonOfMxnet(comparison)["against_design"] == against);
    }
}

TEST_CASE("On a single rank the run without a plan is the design")
{
    const Systems systems;
    const Json against = jsonOfMxnet(phasesOf(beside({Value("one"), Value("mxnet")}, 6, {1})))["against_design"];
    REQUIRE(against.is_object());
    CHECK(against["design"]["engine"] == "ringside");
    CHECK(against["design"]["plan"] == "none");
    checkMeasure(against["iteration"], 23.5, 19, 28);
}

// Medians of MXNet 147 and 167 ms, of its plan on Ringside's engine 113.5 and 123.5 ms, 30 ms more with the other plan.
TEST_CASE("Each configuration of a system is set against its design at the same levels of other factors")
{
    const Systems systems;
    const Comparison comparison = phasesOf(beside({Value("one"), Value("mxnet")}, 6, {2, 4}), ofRanks);
    for (const auto& [ranks, difference] :
         {std::pair(std::int64_t{2}, 147 - 113.5), std::pair(std::int64_t{4}, 167 - 123.5)}) {
        const Group& group = groupWith(comparison, {{"engine", Value("mxnet")}, {"ranks", Value(ranks)}});
        REQUIRE(group.againstDesign);
        CHECK(numberOf(group.againstDesign->design, "ranks") == static_cast<double>(ranks));
        CHECK(textOf(group.againstDesign->design, "plan") == "mxnet");
        CHECK(group.againstDesign->iteration.value.value() == doctest::Approx(difference));
    }
}

// Layout is a setting of Ringside's engine, which MXNet does not know.
TEST_CASE("Where several cells of Ringside's engine are as close there is no difference from one of them")
{
    const Systems systems;
    auto experiment = beside({Value("one"), Value("mxnet")});
    experiment.factors.push_back({"layout", {Value("contiguous"), Value("channels_last")}});
    const auto runs = measure(experiment, measurement);
    CompareRequest request;
    request.kind = &kPhaseStacks;
    request.experiment = experiment;
    const Comparison all = compare(runs, request).value();
    CHECK_FALSE(mxnetOf(all).againstDesign);
    CHECK(jsonOfMxnet(all)["against_design"].is_null());
    request.leftOut = {{"layout", {Value("channels_last")}}};
    const Json against = jsonOfMxnet(compare(runs, request).value())["against_design"];
    REQUIRE(against.is_object());
    CHECK(against["design"]["layout"] == "contiguous");
}

TEST_CASE("A difference from a design that rounds to nothing is printed without a sign")
{
    const Systems systems;
    for (const double ms : {0.0004, -0.0004}) {
        const Comparison comparison = phasesOf(beside({Value("one"), Value("mxnet")}), apartBy(ms));
        const double difference = mxnetOf(comparison).againstDesign.value().iteration.value.value();
        CHECK(1e4 * difference == doctest::Approx(1e4 * ms));
        const Table table = summaryTable(comparison);
        CHECK(cellOf(table, comparison, "Iteration, difference") == "0.000");
        CHECK(cellOf(table, comparison, "Iteration, difference", 1) == "0.000 – 0.000");
        const FigureData data = figure(comparison);
        const auto note = std::ranges::find_if(data.notes, [](const auto& each) { return says(each, "its design"); });
        REQUIRE(note != data.notes.end());
        CHECK(says(*note, ": Iteration 0.000 ms (0.000 to 0.000); "));
        CHECK_FALSE(says(*note, "-0"));
        CHECK_FALSE(says(*note, "+0"));
        CHECK(says(data.caption, " 0.000 ms (0.000 to 0.000) against Ringside"));
    }
}

TEST_CASE("A phase that a system does not tell has no difference from its design")
{
    const Systems systems;
    const Comparison comparison = phasesOf(beside({Value("one"), Value("mxnet")}), lessTold);
    const Json against = jsonOfMxnet(comparison)["against_design"];
    checkMeasure(against["iteration"], 23.5, 19, 28);
    CHECK(against["phases"]["backward"]["value"].get<double>() == doctest::Approx(0.61 * (0.6 * 127 - 0.8 * 103.5)));
    for (const char* phase : {"input_wait", "h2d", "comm_exposed", "update", "other"})
        CHECK(against["phases"].at(phase).is_null());
    const Table table = summaryTable(comparison);
    CHECK(hasColumn(table, "Backward, difference"));
    CHECK_FALSE(hasColumn(table, "Exposed, difference"));
}

TEST_CASE("Below six runs a difference from the design has no interval")
{
    const Systems systems;
    const Comparison comparison = phasesOf(beside({Value("one"), Value("mxnet")}, 5));
    const Measure& iteration = mxnetOf(comparison).againstDesign.value().iteration;
    CHECK(iteration.value.value() == doctest::Approx(126 - 103)); // 122 … 130 and 101 … 105
    CHECK_FALSE(iteration.low);
    CHECK(cellOf(summaryTable(comparison), comparison, "Iteration, difference", 1) == "n < 6");
}

TEST_CASE("Without the plan of its design a system has no difference, nor where that is left out")
{
    const Systems systems;
    const Comparison others = phasesOf(beside({Value("one"), Value("buckets")}));
    CHECK_FALSE(mxnetOf(others).againstDesign);
    CHECK(jsonOfMxnet(others)["against_design"].is_null());
    CHECK_FALSE(hasColumn(summaryTable(others), "Design"));
    const auto experiment = beside({Value("one"), Value("mxnet")});
    CompareRequest request;
    request.kind = &kPhaseStacks;
    request.experiment = experiment;
    const auto runs = measure(experiment, measurement);
    CHECK(mxnetOf(compare(runs, request).value()).againstDesign);
    request.leftOut = {{"plan", {Value("mxnet")}}};
    CHECK_FALSE(mxnetOf(compare(runs, request).value()).againstDesign);
}
