// SPDX-License-Identifier: MIT
#include "core/base/words.h"
#include "core/jobs/reasons/reasonsentence.h"
#include "core/report/figure.h"
#include "core/report/files.h"
#include "tests/report/support/lab.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

using namespace ringside;
using namespace ringside::report;
using namespace ringside::test;

namespace {

std::vector<std::string> linesOf(const std::string& csv)
{
    std::vector<std::string> lines;
    std::istringstream stream(csv);
    for (std::string line; std::getline(stream, line);) {
        REQUIRE(line.back() == '\r');
        lines.push_back(line.substr(0, line.size() - 1));
    }
    return lines;
}

struct Made
{
    std::vector<store::MeasuredRun> runs;
    Comparison comparison;
    FigureData figure;
};

Made make(const ComparedKind& kind)
{
    const auto experiment = plansExperiment({1, 2});
    Made made{measure(experiment, usualMeasurement), {}, {}};
    made.runs[3].row.state = RunState::failed;
    made.runs[3].row.reason = because(why::kNotStarted, {{"exit_code", 2}, {"said", "out of memory, said \"torch\""}});
    made.comparison = compared(experiment, made.runs, kind);
    made.figure = figure(made.comparison);
    return made;
}

} // namespace

TEST_CASE("The plotted values have a line per point, with a point for decimals and no groups")
{
    const auto lines = linesOf(figureCsv(make(kSpeedup).figure));
    CHECK(lines[0] == "model,ranks,plan,speedup,low,high,unit,n,failed,disturbed,base_case,of_fastest,of_fastest_low,"
                      "of_fastest_high,p,verdict,differs_from_fastest,warmup,measured_iterations,measured_s,"
                      "cpu_utilisation,cpu_utilisation_low,cpu_utilisation_high,gpu_utilisation,gpu_utilisation_low,"
                      "gpu_utilisation_high,processor,torch,system,network,image_size,sequence_length,precision,"
                      "batch_per_rank,batch_global,flags,differs");
    CHECK(lines.size() == 7);
    CHECK(lines[1].starts_with("alexnet,1,none,1,,,1,6,0,0,1,,,,,,,0,50,"));
    CHECK(lines[1].ends_with(",,,,224,,fp32,8,,,"));
}

TEST_CASE("Efficiency is a share of 1 in a file, as in JSON")
{
    const Made made = make(kEfficiency);
    const auto lines = linesOf(figureCsv(made.figure));
    CHECK(lines[1].starts_with("alexnet,1,none,1,,,1,"));
    CHECK(lines[2].starts_with("alexnet,2,one,0.9"));
}

TEST_CASE("The plotted phases have a line per stack")
{
    const auto lines = linesOf(figureCsv(make(kPhaseStacks).figure));
    CHECK(lines[0] == "model,ranks,plan,input_wait_ms,h2d_ms,forward_ms,backward_ms,comm_exposed_ms,update_ms,"
                      "other_ms,total_ms,lowest_ms,highest_ms,comm_hidden_ms,read_ms,decode_ms,n,failed,disturbed,"
                      "warmup,measured_iterations,measured_s,cpu_utilisation,cpu_utilisation_low,cpu_utilisation_high,"
                      "gpu_utilisation,gpu_utilisation_low,gpu_utilisation_high,processor,torch,system,network,"
                      "image_size,sequence_length,precision,batch_per_rank,batch_global,flags,differs");
    CHECK(lines.size() == 7);
}

TEST_CASE("What was loaded beside the phases is among the plotted values")
{
    const auto experiment = plansExperiment({2}, 6, {"lenet"});
    const auto runs = measure(experiment, loadingMeasurement);
    const auto lines = linesOf(figureCsv(figure(compared(experiment, runs, kPhaseStacks))));
    REQUIRE(lines.size() == 3);
    std::vector<std::string> fields;
    std::istringstream stream(lines[1]);
    for (std::string field; std::getline(stream, field, ',');)
        fields.push_back(field);
    REQUIRE(fields.size() >= 15);
    CHECK(std::stod(fields[12]) == doctest::Approx(3)); // behind plan, seven phases and four times
    CHECK(std::stod(fields[13]) == doctest::Approx(60));
}

TEST_CASE("What is not reported is empty among the plotted values, and the rest has a column of its own")
{
    const auto experiment = plansExperiment({2}, 6, {"alexnet"});
    const auto lines =
        linesOf(figureCsv(figure(compared(experiment, measure(experiment, lessToldMeasurement), kPhaseStacks))));
    REQUIRE(lines.size() == 3);
    CHECK(lines[0].starts_with("plan,input_wait_ms,h2d_ms,forward_ms,backward_ms,comm_exposed_ms,update_ms,other_ms,"
                               "not_told_ms,total_ms,lowest_ms,highest_ms,comm_hidden_ms,read_ms,"));
    const std::string number = "[0-9.]+";
    const auto matches = [](const std::string& line, const std::string& start) {
        return std::regex_search(line, std::regex("^" + start));
    };
    CHECK(matches(lines[1], fmt::format("one,,,{0},{0},,,,{0},{0},{0},{0},,0,0,6,", number)));
    CHECK(matches(lines[2], fmt::format("buckets,{0},{0},{0},{0},{0},{0},{0},,{0},{0},{0},{0},0,0,6,", number)));
}

TEST_CASE("The raw values have a line per run, failed ones included, with commas and quotes kept")
{
    const auto runs = make(kThroughput).runs;
    const auto lines = linesOf(runsCsv(runs));
    REQUIRE(lines.size() == 37);
    CHECK(lines[0].find(",reason,reason_code,flags,") != std::string::npos);
    CHECK(lines[0].find(",images_per_second,items,") != std::string::npos);
    CHECK(lines[0].find("batch_per_rank") != std::string::npos);
    const std::string reason = jobs::sentenceOf(*runs[3].row.reason);
    REQUIRE(reason.find("out of memory, said \"torch\"") != std::string::npos);
    const std::string quoted = std::regex_replace(reason, std::regex("\""), "\"\"");
    CHECK(lines[4].find(fmt::format("failed,\"{}\",not_started,", quoted)) != std::string::npos);
    CHECK(lines[1].find("done,,,") != std::string::npos);
}

TEST_CASE("The raw values are English while the window speaks another language")
{
    const auto runs = make(kThroughput).runs;
    const std::string english = runsCsv(runs);
    Words::setTranslator([](std::string_view, std::string_view, int) { return std::string("translated"); });
    const std::string elsewhere = runsCsv(runs);
    const std::string sentence = jobs::sentenceOf(*runs[3].row.reason);
    Words::setTranslator(nullptr);
    CHECK(sentence == "translated");
    CHECK(elsewhere == english);
}

TEST_CASE("Provenance says of each run what its rate counts, under the key that scripts know")
{
    const auto experiment = plansExperiment({1, 2}, 6, {"resnet50", "gpt2"});
    const auto runs = measure(experiment, usualMeasurement);
    const Comparison comparison = compared(experiment, runs, kSpeedup);
    const auto json = nlohmann::json::parse(provenanceJson(comparison, figure(comparison), runs));
    std::set<std::string> found;
    for (const auto& run : json["runs"]) {
        CHECK(run["images_per_second"].get<double>() > 0);
        found.insert(run["factors"]["model"].get<std::string>() + " " + run["items"].get<std::string>());
    }
    CHECK(found == std::set<std::string>{"resnet50 images", "gpt2 sequences"});
}

TEST_CASE("Provenance holds the statistics, the comparison and every run")
{
    const Made made = make(kSpeedup);
    const auto json = nlohmann::json::parse(provenanceJson(made.comparison, made.figure, made.runs));
    CHECK(json["comparison"]["show"] == "speedup");
    CHECK(json["statistics"]["least_runs_for_interval"] == 6);
    CHECK(json["runs"].size() == 36);
    CHECK(json["caption"] == made.figure.caption);
}

TEST_CASE("Cells all of whose runs failed have a line without values among the plotted ones, and a count in tables")
{
    const auto experiment = plansExperiment({1, 2}, 6, {"alexnet"});
    auto runs = measure(experiment, usualMeasurement);
    for (auto& run : runs)
        if (textOf(run.row.settings, "plan") == "buckets")
            run.row.state = RunState::failed;
    for (const ComparedKind* kind : {&kSpeedup, &kPhaseStacks}) {
        const Comparison comparison = compared(experiment, runs, *kind);
        const auto lines = linesOf(figureCsv(figure(comparison)));
        REQUIRE(lines.size() == 4);
        const auto fields = [](const std::string& line) { return std::ranges::count(line, ','); };
        CHECK(fields(lines[3]) == fields(lines[0]));
        CHECK_MESSAGE(
            lines[3].starts_with(kind == &kSpeedup ? "2,buckets,,,,1,0,6,0,0,,,,,,," : "2,buckets,,,,,,,,,,,,,,0,6,0,"),
            lines[3]);
        const Table table = summaryTable(comparison, {});
        const auto failed = std::ranges::find(table.columns, "Failed", &TableColumn::title);
        REQUIRE(failed != table.columns.end());
        const auto at = static_cast<std::size_t>(failed - table.columns.begin());
        std::string counts;
        for (const TableRow& row : table.rows)
            counts += row.cells[at].text() + " ";
        CHECK(std::ranges::count(counts, '6') == 1);
    }
    const Table table = summaryTable(compared(experiment, measure(experiment, usualMeasurement), kSpeedup), {});
    CHECK(std::ranges::find(table.columns, "Failed", &TableColumn::title) == table.columns.end());
}

TEST_CASE("A table of phases has no column for failed attempts of rows that have runs")
{
    const auto experiment = plansExperiment({1, 2}, 6, {"alexnet"});
    auto runs = measure(experiment, usualMeasurement);
    runs.front().row.failedAttempts = 1;
    for (const ComparedKind* kind : {&kSpeedup, &kPhaseStacks}) {
        const Table table = summaryTable(compared(experiment, runs, *kind), {});
        const auto failed = std::ranges::find(table.columns, "Failed", &TableColumn::title);
        CHECK((failed != table.columns.end()) == (kind == &kSpeedup));
    }
}
