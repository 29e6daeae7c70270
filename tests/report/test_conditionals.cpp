// SPDX-License-Identifier: MIT
// Settings that a conditional gives some plans: on a single rank, where all plans are one, they alone distinguish rows.
#include "core/report/figure.h"
#include "core/report/standing.h"
#include "core/report/table.h"
#include "tests/report/support/lab.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <set>

using namespace ringside;
using namespace ringside::report;
using namespace ringside::test;

namespace {

/// Buckets have this level, and each plan has a single rank of its own.
spec::Experiment withBuckets(const char* key, const Value& level)
{
    auto experiment = plansExperiment({1, 2}, 6, {"alexnet"});
    experiment.when = {{{{"plan", Value("buckets")}}, {{key, level}}}};
    return experiment;
}

Comparison comparedOf(const spec::Experiment& experiment, const ComparedKind& kind)
{
    return compared(experiment, measure(experiment, usualMeasurement), kind);
}

/// The cells of each row before its number of runs.
std::set<std::vector<std::string>> namesOf(const Table& table)
{
    const auto n = std::ranges::find(table.columns, "n", &TableColumn::title) - table.columns.begin();
    std::set<std::vector<std::string>> names;
    for (const TableRow& row : table.rows) {
        std::vector<std::string> name;
        for (auto cell = row.cells.begin(); cell != row.cells.begin() + n; ++cell)
            name.push_back(cell->words);
        names.insert(name);
    }
    return names;
}

std::vector<std::string> namesOf(const Points::Panel& panel)
{
    std::vector<std::string> names;
    for (const Series& series : panel.series)
        names.push_back(series.name);
    return names;
}

} // namespace

TEST_CASE("Single ranks of plans with batches of their own differ in name by them")
{
    const auto experiment = withBuckets("batch_per_rank", Value(std::int64_t{16}));
    const Comparison comparison = comparedOf(experiment, kSpeedup);
    REQUIRE(comparison.groups.size() == 4);
    const FigureData data = figure(comparison);
    const Points::Panel& panel = pointsOf(data).panels.at(0);
    CHECK(namesOf(panel) == std::vector<std::string>{"1 CPU rank · batch per rank 8\u202fimages",
                                                     "1 CPU rank · batch per rank 16\u202fimages",
                                                     "one · batch per rank 8\u202fimages",
                                                     "buckets · batch per rank 16\u202fimages"});
    for (const ComparedKind* kind : {&kThroughput, &kSpeedup, &kEfficiency, &kPhaseStacks}) {
        CAPTURE(kind->name());
        CHECK(namesOf(summaryTable(comparedOf(experiment, *kind))).size() == 4);
    }
}

TEST_CASE("A line starts at the single rank that has its batch")
{
    const FigureData data = figure(comparedOf(withBuckets("batch_per_rank", Value(std::int64_t{16})), kSpeedup));
    const Points::Panel& panel = pointsOf(data).panels.at(0);
    REQUIRE(panel.series.size() == 4);
    const auto joined = joinedPoints(panel, panel.series[3]);
    REQUIRE(joined.size() == 2);
    CHECK(joined[0] == &panel.series[1].points.at(0));
    CHECK(data.title == "Speed-up of AlexNet, weak scaling");
}

TEST_CASE("Rows of single ranks follow the levels of the setting that distinguishes them")
{
    const auto levelsOfFirst = [](const char* key, const Value& level) {
        const Comparison comparison = comparedOf(withBuckets(key, level), kThroughput);
        return std::vector{*valueOf(comparison.groups.at(0).settings, key),
                           *valueOf(comparison.groups.at(1).settings, key)};
    };
    for (const std::int64_t batch : {1, 2, 4, 16, 32, 64}) {
        CAPTURE(batch);
        CHECK(levelsOfFirst("batch_per_rank", Value(batch)) ==
              std::vector{Value(std::min<std::int64_t>(batch, 8)), Value(std::max<std::int64_t>(batch, 8))});
    }
    CHECK(levelsOfFirst("precision", Value("bf16")) == std::vector{Value("fp32"), Value("bf16")});
}

TEST_CASE("Stacks of single ranks name the setting that distinguishes them")
{
    const auto experiment = withBuckets("precision", Value("bf16"));
    const FigureData data = figure(comparedOf(experiment, kPhaseStacks));
    std::set<std::string> labels;
    for (const Stack& stack : stacksOf(data).panels.at(0).stacks)
        labels.insert(stack.label);
    CHECK(labels.size() == 4);
    CHECK(labels.contains("1 CPU rank · bf16"));
}

TEST_CASE("Plans are held against each other whatever a conditional gives one of them")
{
    const Comparison comparison = comparedOf(withBuckets("precision", Value("bf16")), kThroughput);
    const auto& one = groupWith(comparison, alexnetOn(2, "one")).againstBest;
    REQUIRE(one);
    CHECK(one->verdict == Verdict::slower);
    CHECK(one->differs.contains("precision"));
}

TEST_CASE("Rows that differ in nothing but what a conditional gives are not judged, and count as no comparison")
{
    auto experiment = withBuckets("precision", Value("bf16"));
    const Comparison both = comparedOf(experiment, kThroughput);
    for (const Group& group : both.groups)
        CHECK(group.againstBest.has_value() == (integerOf(group.settings, "ranks") == 2));
    experiment.factors.at(1).levels = {Value(std::int64_t{2})};
    const Comparison alone = comparedOf(experiment, kThroughput);
    const auto& judged = groupWith(both, alexnetOn(2, "one")).againstBest;
    REQUIRE(judged);
    CHECK(judged->p == groupWith(alone, alexnetOn(2, "one")).againstBest->p);
}

TEST_CASE("Plans in panels of what a conditional gives them are not held against each other")
{
    const auto experiment = withBuckets("precision", Value("bf16"));
    Comparison comparison = comparedOf(experiment, kThroughput);
    addStandings(comparison, experiment, {.x = {}, .series = "plan", .panels = "precision"});
    for (const Group& group : comparison.groups)
        CHECK_FALSE(group.againstBest);
}
