// SPDX-License-Identifier: MIT
#include "core/report/table.h"
#include "core/spec/plans.h"
#include "tests/report/support/lab.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <map>

using namespace ringside;
using namespace ringside::report;
using namespace ringside::test;

namespace {

Table tableOf(const ComparedKind& kind, int repeats = 6, const Model& model = usualMeasurement)
{
    const auto experiment = plansExperiment({1, 2}, repeats, {"resnet50"});
    return summaryTable(compared(experiment, measure(experiment, model), kind), {}, {","});
}

} // namespace

TEST_CASE("The summary is printed with equal decimals in a column")
{
    const Table table = tableOf(kSpeedup);
    CHECK(written("tsv", table)
              .starts_with("Plan\tCPU ranks\tn\timages/s\t95 % interval, low\t95 % interval, high\tSpeed-up\t"
                           "95 % interval, low\t95 % interval, high\tEfficiency\tOf the fastest\t"
                           "95 % interval, low\t95 % interval, high\tAgainst the fastest (same ranks)\n"
                           "buckets\t2\t6\t11.320\t11.196\t11.445\t1.942\t1.920\t1.963\t97.1\u202f%\t–\t–\t\tfastest\n"
                           "one\t2\t6\t10.648\t10.531\t10.766\t1.826\t"));
    CHECK(written("tsv", table)
              .ends_with("none\t1\t6\t5.830\t5.766\t5.894\t1.000\tbase case\t\t100.0\u202f%\t–\t–\t\t–\n"));
    CHECK(table.rows[1].cells.back().text().starts_with("slower, p = 0.0"));
}

TEST_CASE(
    "Nodes and cores are those of all processes, where servers run beside the ranks, and efficiency goes by them, too")
{
    auto experiment = plansExperiment({1, 2}, 6, {"resnet50"});
    AggregationPlan two = spec::findBuiltInPlan("tensorflow-ps")->plan;
    two.name = "two";
    two.servers = 2;
    two.serverPlacement = Placement::own;
    experiment.plans = {{"two", two}};
    experiment.factors.back().levels.emplace_back("two");
    experiment.fixed["cores_per_rank"] = std::int64_t{3};
    const Comparison comparison = compared(experiment, measure(experiment, usualMeasurement), kSpeedup);
    const Group& served = groupWith(comparison, {{"plan", std::string("two")}});
    CHECK(served.used.processes == 4);
    CHECK(served.used.nodes == 2);
    CHECK(served.used.cores == 12);
    CHECK(*served.efficiencyPerNode.value == doctest::Approx(*served.speedup.value / 2));
    CHECK_FALSE(groupWith(comparison, {{"plan", std::string("buckets")}}).efficiencyPerNode.value);
    const std::string table = written("tsv", summaryTable(comparison));
    CHECK(table.find("\tn\tNodes in all\tCores in all\timages/s\t") != std::string::npos);
    CHECK(table.find("\tEfficiency\tEfficiency per node\tOf the fastest\t") != std::string::npos);
    CHECK(table.find("two\t2\t6\t2\t12\t") != std::string::npos);
    const std::string json = comparisonToJson(comparison);
    CHECK(json.find("\"cores\": 12") != std::string::npos);
    CHECK(json.find("\"efficiency_per_node\": 0.") != std::string::npos);
}

TEST_CASE("The same table compiles in LaTeX, whatever the names")
{
    Table table = tableOf(kSpeedup);
    table.rows[0].cells[0].words = "a_b & 50\u202f%";
    const std::string latex = written("latex", table);
    CHECK(latex.find("\\begin{tabular}{lrrrrrrrrrl}\n\\toprule\nPlan & CPU ranks & n & images/s & 95 \\% interval") ==
          0);
    CHECK(latex.find("a\\_b \\& 50\\,\\% & 2 & 6 & 11.320 & 11.196 -- 11.445 & ") != std::string::npos);
    CHECK(latex.find("none & 1 & 6 & 5.830 & 5.766 -- 5.894 & 1.000 & base case & 100.0\\,\\% & -- & -- & -- "
                     "\\\\\n\\bottomrule") != std::string::npos);
}

TEST_CASE("Where some ranks are GPUs and others are not, the column names neither")
{
    auto experiment = plansExperiment({1, 2}, 6, {"resnet50"});
    experiment.fixed.erase("device");
    experiment.factors.push_back({"device", {Value("cpu"), Value("cuda")}});
    const auto titleOf = [&](const std::vector<Value>& leftOut) {
        CompareRequest request;
        request.experiment = experiment;
        request.leftOut = {{"device", leftOut}};
        return summaryTable(*compare(measure(experiment, usualMeasurement), request), {"ranks", "plan", "device"})
            .columns.at(1)
            .title;
    };
    CHECK(titleOf({}) == "Ranks");
    CHECK(titleOf({Value("cpu")}) == "GPUs");
    CHECK(titleOf({Value("cuda")}) == "CPU ranks");
}

TEST_CASE("Below six runs nothing is claimed")
{
    const Table table = tableOf(kSpeedup, 4);
    for (const TableRow& row : table.rows) {
        CHECK(row.cells[2].text() == "4");
        CHECK(row.cells[2].warning);
        CHECK(row.cells[4].text() == "n < 6");
    }
    CHECK(table.rows[1].cells.back().text() == "no claim, n < 6");
}

TEST_CASE("Where the test shows no difference the table does not say that plans are equal")
{
    const auto alike = [](const Settings& settings, int repeat) {
        Measured measured = usualMeasurement(settings, repeat);
        const bool buckets = *textOf(settings, "plan") == "buckets";
        measured.rate = *numberOf(settings, "ranks") * (100 + (buckets ? repeat : 7 - repeat) + (buckets ? 0.1 : 0));
        return measured;
    };
    const Table table = tableOf(kThroughput, 6, alike);
    CHECK(table.rows[0].cells.back().text() == "fastest");
    CHECK(table.rows[1].cells.back().text().starts_with("no difference shown, p = "));
}

TEST_CASE("The table of phases has ms per phase and the hidden share of communication")
{
    const Table table = tableOf(kPhaseStacks);
    REQUIRE(table.columns.size() == table.rows[0].cells.size());
    CHECK(table.columns[3].title == "Iteration, ms");
    CHECK(table.columns.back().title == "Hidden share");
    CHECK(table.rows.back().cells[3].text() == "1,413.5"); // as the stacks above: one rank first
    CHECK(table.rows.back().cells[0].text() == "buckets");
    CHECK(table.rows[0].cells.back().text() == "–");
}

TEST_CASE("Phases that are parts of a short iteration are told apart in the table")
{
    const auto brief = [](const Settings& settings, int repeat) {
        Measured measured = usualMeasurement(settings, repeat);
        measured.rate *= 10'000;
        return measured;
    };
    const Table table = tableOf(kPhaseStacks, 6, brief);
    CHECK(table.rows.back().cells[3].text() == "0.141");
    for (const TableRow& row : table.rows)
        for (std::size_t i = 3; i < row.cells.size(); ++i)
            if (row.cells[i].value.value_or(0) > 0.001)
                CHECK(row.cells[i].text() != "0.0");
}

TEST_CASE("A copied table says where layers were paced: in a title if all were, else in rows")
{
    const auto has = [](const std::string& text, std::string_view what) {
        CAPTURE(text);
        CHECK(text.find(what) != std::string::npos);
    };
    auto all = plansExperiment({1, 2}, 6, {"resnet50"}), some = all;
    all.fixed["compute"] = Value("paced");
    some.fixed.erase("compute");
    some.factors.push_back({"compute", {Value("paced"), Value("real")}});
    for (const auto& [kind, title] :
         {std::pair(&kSpeedup, std::string("images/s")), {&kPhaseStacks, std::string("Iteration, ms")}}) {
        const Table paced = summaryTable(compared(all, measure(all, usualMeasurement), *kind));
        has(written("tsv", paced), "\t" + title + ", emulated\t");
        has(written("latex", paced), " & " + title + ", emulated & ");
        const Comparison both = compared(some, measure(some, usualMeasurement), *kind);
        const Table mixed = summaryTable(both);
        has(written("tsv", mixed), "\t" + title + "\t");
        CHECK(mixed.columns.back().title == "Mark");
        for (const TableRow& row : mixed.rows) {
            REQUIRE(row.cells.size() == mixed.columns.size());
            const bool isPaced = textOf(both.groups[row.group].settings, "compute") == "paced";
            CHECK(row.cells.back().text() == (isPaced ? "emulated" : ""));
        }
        CHECK(tableOf(*kind).columns.back().title != "Mark");
    }
}

TEST_CASE("Where a configuration reports fewer phases the table has a column for the unreported time")
{
    const Table table = tableOf(kPhaseStacks, 6, lessToldMeasurement);
    std::map<std::string, std::size_t> columns;
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        columns[table.columns[i].title] = i;
    REQUIRE(columns.contains("Not told"));
    CHECK(columns["Not told"] == columns["Other"] + 1);
    const auto rowOf = [&](const char* plan) {
        return *std::ranges::find(table.rows, plan, [](const TableRow& row) { return row.cells[0].text(); });
    };
    const TableRow one = rowOf("one"), buckets = rowOf("buckets");
    for (const char* title : {"Input wait", "Host to device", "Exposed", "Update", "Other", "Hidden", "Hidden share"}) {
        CAPTURE(title);
        CHECK(one.cells[columns[title]].text() == "–");
        CHECK(buckets.cells[columns[title]].text() != "–");
    }
    CHECK(one.cells[columns["Forward"]].value > 0);
    CHECK(one.cells[columns["Not told"]].value > 0);
    CHECK(buckets.cells[columns["Not told"]].text() == "–");
    CHECK(written("latex", table).find(" & Other & Not told & ") != std::string::npos);
    for (const TableColumn& column : tableOf(kPhaseStacks).columns)
        CHECK(column.title != "Not told");
}

TEST_CASE("Flags of runs have a column where any bears one, in tables of rates")
{
    const auto experiment = plansExperiment({1, 2}, 6, {"resnet50"});
    auto runs = measure(experiment, usualMeasurement);
    for (const ComparedKind* kind : {&kThroughput, &kSpeedup})
        CHECK(summaryTable(compared(experiment, runs, *kind)).columns.back().title != "Flags");
    for (auto& run : runs)
        if (textOf(run.row.settings, "plan") == "one") {
            run.row.flags = {"short"};
            if (run.row.repeat <= 2)
                run.row.flags = {"short", "throttled", "incomplete", "unobserved", "emulated"};
        }
    for (const ComparedKind* kind : {&kThroughput, &kSpeedup}) {
        const Comparison comparison = compared(experiment, runs, *kind);
        const Table table = summaryTable(comparison);
        CHECK(table.columns.back().title == "Flags");
        for (const TableRow& row : table.rows) {
            REQUIRE(row.cells.size() == table.columns.size());
            const bool isFlagged = textOf(comparison.groups[row.group].settings, "plan") == "one";
            CHECK(row.cells.back().text() == (isFlagged ? "incomplete 2, short 6, throttled 2, unobserved 2" : ""));
        }
    }
}

TEST_CASE("A value has the same digits in the table, in the figure and in its labels")
{
    const auto experiment = plansExperiment({1, 2}, 6);
    const auto scattered = [](const Settings& settings, int repeat) { // intervals as wide as of a busy computer
        Measured measured = usualMeasurement(settings, repeat);
        measured.rate *= (*textOf(settings, "model") == "alexnet" ? 0.4 : 0.9) + 0.1 * repeat;
        return measured;
    };
    const Comparison comparison = compared(experiment, measure(experiment, scattered), kSpeedup);
    const FigureData data = figure(comparison);
    const Table table = summaryTable(comparison);
    const int decimals = decimalsOf(pointsOf(data));
    CHECK(decimals < 3);
    for (const TableRow& row : table.rows) {
        const double speedup = *comparison.groups[row.group].speedup.value;
        CHECK(row.cells[6].text() == formatNumber(speedup, decimals));
        CHECK(formatShort(speedup, {}, decimals) == formatNumber(speedup, decimals));
    }
}

TEST_CASE("Rates are in what the models are trained with, and only like is set against like")
{
    const auto table = [](const std::vector<std::string>& models) {
        const auto experiment = plansExperiment({1, 2}, 6, models);
        const FigureRequest rivals{.x = "ranks", .series = "model", .panels = "plan"}; // so that models are rivals
        return summaryTable(compared(experiment, measure(experiment, usualMeasurement), kSpeedup, rivals), rivals);
    };
    const Table sequences = table({"gpt2", "lstm"}), both = table({"alexnet", "gpt2"});
    CHECK(sequences.columns[4].title == "sequences/s");
    CHECK(sequences.note == "sequences/s: work over time of a run; interval: 95 % of the median over runs");
    CHECK(both.columns[4].title == "items/s");
    CHECK(both.note ==
          "items/s: images, sequences or tokens over time of a run; interval: 95 % of the median over runs");
    for (const TableRow& row : both.rows)
        CHECK(row.cells.back().text() == "–");
    for (const TableRow& row : table({"alexnet", "resnet50"}).rows) // other work: no model is slower than another
        CHECK(row.cells.back().text() == "–");
}

TEST_CASE("An empty comparison gives an empty table")
{
    const auto experiment = plansExperiment({1, 2});
    CHECK(summaryTable(compared(experiment, {}, kThroughput)).rows.empty());
}
