// SPDX-License-Identifier: MIT
// Utilisation of cores and GPUs, wherever results are shown.
#include "core/report/files.h"
#include "core/report/table.h"
#include "tests/report/support/lab.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace ringside;
using namespace ringside::report;
using namespace ringside::test;

namespace {

/// Runs of plan "one" keep 33, 34, … 38 of 64 parts of their cores busy, the others report nothing.
Measured busyMeasurement(const Settings& settings, int repeat)
{
    Measured measured = usualMeasurement(settings, repeat);
    if (textOf(settings, "plan") == "one")
        measured.cpuUtilisation = (32 + repeat) / 64.0;
    return measured;
}

Comparison busy(const ComparedKind& kind, const Model& model = busyMeasurement)
{
    const auto experiment = plansExperiment({1, 2}, 6, {"resnet50"});
    return compared(experiment, measure(experiment, model), kind);
}

/// The place of the column of this title; as many as there are where none has it.
std::size_t placeOf(const std::vector<TableColumn>& columns, const std::string& title)
{
    return static_cast<std::size_t>(std::ranges::find(columns, title, &TableColumn::title) - columns.begin());
}

const std::string kTitle = "CPU utilisation";

} // namespace

TEST_CASE("Every table has the utilisation of those that report it, beside what they achieve")
{
    for (const ComparedKind* kind : {&kThroughput, &kSpeedup, &kEfficiency, &kPhaseStacks}) {
        CAPTURE(kind->name());
        const Comparison comparison = busy(*kind);
        const Table table = summaryTable(comparison);
        const std::size_t place = placeOf(table.columns, kTitle);
        REQUIRE(place < table.columns.size());
        CHECK(placeOf(table.columns, "GPU utilisation") == table.columns.size()); // none is reported
        for (const TableRow& row : table.rows) {
            const bool isTold = textOf(comparison.groups[row.group].settings, "plan") == "one";
            CHECK(row.cells.at(place).text() == (isTold ? "55\u202f%" : "–")); // the median, 35.5 of 64
            CHECK(row.cells.size() == table.columns.size());
        }
    }
    for (const ComparedKind* kind : {&kThroughput, &kPhaseStacks}) {
        const Table table = summaryTable(busy(*kind, usualMeasurement));
        CHECK(placeOf(table.columns, kTitle) == table.columns.size());
    }
}

TEST_CASE("So has what is printed, where a configuration that failed has none")
{
    for (const ComparedKind* kind : {&kThroughput, &kPhaseStacks}) {
        CAPTURE(kind->name());
        const auto experiment = plansExperiment({1, 2}, 6, {"resnet50"});
        auto runs = measure(experiment, busyMeasurement);
        for (auto& run : runs)
            if (textOf(run.row.settings, "plan") == "buckets")
                run.row.state = RunState::failed;
        const auto printed = kind->printed(figure(compared(experiment, runs, *kind)));
        REQUIRE(printed.size() == 1);
        const std::size_t place = placeOf(printed[0].columns, kTitle);
        REQUIRE(place < printed[0].columns.size());
        std::vector<std::string> cells;
        for (const auto& row : printed[0].rows) {
            REQUIRE(row.size() == printed[0].columns.size());
            cells.push_back(row[place]);
        }
        std::ranges::sort(cells);
        CHECK(cells == std::vector<std::string>{"55\u202f%", "–", "–"});
    }
}

TEST_CASE("It is of the same runs as all else: not known where one of them does not report it")
{
    const auto mostlyTold = [](const Settings& settings, int repeat) {
        Measured measured = busyMeasurement(settings, repeat);
        if (repeat == 3)
            measured.cpuUtilisation.reset();
        return measured;
    };
    for (const Group& group : busy(kThroughput, mostlyTold).groups)
        CHECK_FALSE(group.utilisation.of(Utilised::cpu).value);
}

TEST_CASE("Files have it as a share, JSON with its interval")
{
    const auto onGpus = [](const Settings& settings, int repeat) {
        Measured measured = busyMeasurement(settings, repeat);
        measured.gpuUtilisation = 0.5;
        return measured;
    };
    const auto experiment = plansExperiment({2}, 6, {"resnet50"});
    const auto runs = measure(experiment, onGpus);
    const Comparison comparison = compared(experiment, runs, kThroughput);
    const auto json = nlohmann::json::parse(comparisonToJson(comparison));
    REQUIRE(json["groups"].size() > 1);
    for (const auto& group : json["groups"]) {
        const bool isTold = group["factors"]["plan"] == "one";
        const auto& cpu = group["utilisation"]["cpu"];
        CHECK(cpu["value"].is_null() != isTold);
        if (isTold) {
            CHECK(cpu["value"].get<double>() == 35.5 / 64);
            CHECK(cpu["low"].get<double>() == 33.0 / 64);
            CHECK(cpu["high"].get<double>() == 38.0 / 64);
        }
        CHECK(group["utilisation"]["gpu"]["value"] == 0.5);
    }
    const std::string csv = figureCsv(figure(comparison)), all = runsCsv(runs);
    CHECK(csv.find(",cpu_utilisation,cpu_utilisation_low,cpu_utilisation_high,gpu_utilisation,") != std::string::npos);
    CHECK(csv.find(",0.5546875,0.515625,0.59375,0.5,0.5,0.5,") != std::string::npos);
    CHECK(csv.find(",,,,0.5,0.5,0.5,") != std::string::npos);
    CHECK(all.find(",cpu_utilisation,gpu_utilisation,") != std::string::npos);
    CHECK(all.find(",0.515625,0.5,") != std::string::npos);
}
