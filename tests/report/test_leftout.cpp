// SPDX-License-Identifier: MIT
// Finished runs that are counted but not in n: what is said of them, and what would be shown with them.
#include "core/report/comparison.h"
#include "core/report/figurewords.h"
#include "core/report/flagnotes.h"
#include "tests/report/support/lab.h"
#include "tests/support/seeds.h"

#include <doctest/doctest.h>

#include <array>
#include <map>
#include <random>

using namespace ringside;
using namespace ringside::report;
using namespace ringside::test;

namespace {

/// Some of its runs disturbed, some with a loss that is not a number, some failed; in some cells all of them.
std::vector<store::MeasuredRun> troubledRuns(const spec::Experiment& experiment, std::mt19937_64& random)
{
    const auto happens = [&](double often) { return std::bernoulli_distribution(often)(random); };
    std::map<std::string, double> disturbed;
    auto runs = measure(experiment, usualMeasurement);
    for (store::MeasuredRun& run : runs) {
        const double often = happens(0.3) ? 1 : happens(0.5) ? 0 : 0.4;
        if (happens(disturbed.try_emplace(run.row.configurationKey, often).first->second))
            run.row.flags = {"disturbed"};
        if (happens(0.1))
            run.row.flags.emplace_back("nan");
        if (happens(0.1))
            run.row.state = RunState::failed;
    }
    return runs;
}

/// Checks that what `one` says of the other choice is what `other` shows.
void checkOtherwise(const Comparison& one, const Result<Comparison>& other)
{
    CHECK(one.noOtherwise == (other ? std::nullopt : std::optional(other.error().message)));
    for (std::size_t i = 0; other && i < one.groups.size(); ++i) {
        const Group &group = one.groups[i], &then = other->groups[i];
        const Measure expected = other->kind->measureOf(then);
        if (!group.otherwise) {
            CHECK(one.kind->measureOf(group).value.has_value() == expected.value.has_value());
            continue;
        }
        CHECK(group.otherwise->n == then.n());
        CHECK(group.otherwise->measure.value == expected.value);
        CHECK(group.otherwise->measure.low == expected.low);
        CHECK(group.otherwise->measure.high == expected.high);
    }
}

} // namespace

TEST_CASE("What is said of the other choice about disturbed runs is what is shown once it is made")
{
    const auto experiment = plansExperiment({1, 2, 4});
    for (const auto seed : seeds(1, 60)) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        const auto runs = troubledRuns(experiment, random);
        CompareRequest request;
        request.experiment = experiment;
        request.kind = std::array{&kThroughput, &kSpeedup, &kPhaseStacks}[seed % 3];
        if (seed % 2 == 0)
            request.base = Settings{{"plan", Value("one")}};
        const auto kept = compare(runs, request);
        request.leaveOutDisturbed = true;
        const auto left = compare(runs, request);
        if (kept)
            checkOtherwise(*kept, left);
        if (left)
            checkOtherwise(*left, kept);
    }
}

TEST_CASE("Failed runs are counted but not in n; disturbed ones stay in n until they are left out")
{
    const auto experiment = plansExperiment({1, 2});
    auto runs = measure(experiment, usualMeasurement);
    const auto isWanted = [](const auto& run) {
        return *textOf(run.row.settings, "plan") == "one" && *textOf(run.row.settings, "model") == "alexnet";
    };
    for (auto& run : runs)
        if (isWanted(run) && run.row.repeat == 1) {
            run.row.state = RunState::failed;
            run.ranks.clear();
        } else if (isWanted(run) && run.row.repeat == 2)
            run.row.flags = {"disturbed"};
    CompareRequest request;
    request.experiment = experiment;
    const auto kept = compare(runs, request);
    const Group& group = groupWith(*kept, alexnetOn(2, "one"));
    CHECK(group.failed == 1);
    CHECK(group.disturbed == 1);
    CHECK(group.n() == 5);
    request.leaveOutDisturbed = true;
    const auto left = compare(runs, request);
    CHECK(groupWith(*left, alexnetOn(2, "one")).n() == 4);
    CHECK(groupWith(*left, alexnetOn(2, "one")).disturbed == 1);
}

TEST_CASE("A result that depends on its disturbed runs is given with and without them")
{
    const auto experiment = plansExperiment({1, 2});
    const auto disturbedBy = [&](double slower) {
        auto runs = measure(experiment, usualMeasurement);
        for (auto& run : runs)
            if (run.row.repeat <= 3 && textOf(run.row.settings, "plan") == "one" &&
                textOf(run.row.settings, "model") == "alexnet") {
                run.row.flags = {"disturbed"};
                for (auto& rank : run.ranks)
                    rank.lengthNs = static_cast<std::int64_t>(static_cast<double>(rank.lengthNs) * slower);
            }
        return runs;
    };
    CompareRequest request;
    request.experiment = experiment;
    const auto slow = *compare(disturbedBy(2), request);
    const Group& group = groupWith(slow, alexnetOn(2, "one"));
    REQUIRE(group.otherwise);
    CHECK(group.otherwise->n == 3);
    CHECK(*group.otherwise->measure.value > 1.2 * *group.throughput.value);
    CHECK_FALSE(groupWith(slow, alexnetOn(2, "buckets")).otherwise);
    CHECK(disturbedNotes(slow).size() == 1);
    CHECK(disturbedNotes(slow)[0].find("with disturbed runs (n = 6)") != std::string::npos);
    CHECK(disturbedNotes(slow)[0].find("without them (n = 3)") != std::string::npos);

    request.leaveOutDisturbed = true;
    const auto left = *compare(disturbedBy(2), request);
    REQUIRE(groupWith(left, alexnetOn(2, "one")).otherwise);
    CHECK(groupWith(left, alexnetOn(2, "one")).otherwise->n == 6);
    const auto same = *compare(disturbedBy(1), request);
    CHECK(disturbedNotes(same).empty());
}

TEST_CASE("Where all runs of the base case are disturbed it is said that without them there is no speed-up")
{
    const auto experiment = plansExperiment({1, 2});
    auto runs = measure(experiment, usualMeasurement);
    for (auto& run : runs)
        if (integerOf(run.row.settings, "ranks") == 1)
            run.row.flags = {"disturbed"};
    CompareRequest request;
    request.experiment = experiment;
    request.kind = &kSpeedup;
    const auto comparison = *compare(runs, request);
    REQUIRE(comparison.noOtherwise);
    REQUIRE(disturbedNotes(comparison).size() == 1);
    CHECK(disturbedNotes(comparison)[0].starts_with("without disturbed runs there is no result: No finished run of"));
    CHECK(comparisonToJson(comparison).find("\"without_disturbed\"") != std::string::npos);
}

TEST_CASE("Many configurations whose runs are all disturbed are named together")
{
    const auto experiment = plansExperiment({1, 2});
    auto runs = measure(experiment, usualMeasurement);
    for (auto& run : runs)
        if (integerOf(run.row.settings, "ranks") == 2)
            run.row.flags = {"disturbed"};
    CompareRequest request;
    request.experiment = experiment;
    const auto kept = *compare(runs, request);
    const auto groups =
        std::ranges::count_if(kept.groups, [](const Group& group) { return group.otherwise.has_value(); });
    REQUIRE(groups > 2);
    CHECK(disturbedNotes(kept) ==
          std::vector{fmt::format("{} configurations have a result only with disturbed runs", groups)});
    request.leaveOutDisturbed = true;
    const auto left = *compare(runs, request);
    CHECK(disturbedNotes(left) == disturbedNotes(kept));
}

TEST_CASE("A run whose loss was not a number is counted, and in n only when asked for")
{
    const auto experiment = plansExperiment({1, 2});
    auto runs = measure(experiment, usualMeasurement);
    for (auto& run : runs)
        if (run.row.repeat == 2)
            run.row.flags = {"nan", "short"};
        else if (run.row.repeat == 3)
            run.row.flags = {"short"};
    CompareRequest request;
    request.experiment = experiment;
    const auto left = compare(runs, request);
    const Group& group = groupWith(*left, alexnetOn(2, "one"));
    CHECK(group.n() == 5);
    CHECK(group.flags == std::map<std::string, int>{{"nan", 1}, {"short", 2}});
    request.keepNan = true;
    const auto kept = compare(runs, request);
    CHECK(groupWith(*kept, alexnetOn(2, "one")).n() == 6);
}

TEST_CASE("Finished runs that are left out are not called missing, and the option that counts them is named")
{
    const auto experiment = plansExperiment({1, 2}, 6, {"alexnet"});
    auto runs = measure(experiment, usualMeasurement);
    for (auto& run : runs)
        if (run.row.settings->at("ranks") == Value(std::int64_t{1}))
            run.row.flags = {"disturbed", "nan"};
    CompareRequest request;
    request.experiment = experiment;
    const auto says = [](const std::vector<std::string>& notes, const std::string& note) {
        return std::ranges::find(notes, note) != notes.end();
    };
    const Comparison shown = *compare(runs, request);
    CHECK(std::ranges::any_of(notesOf(shown), [](const std::string& note) {
        return note.starts_with("all runs are left out of: ") && note.find("1 CPU rank") != std::string::npos;
    }));
    CHECK(std::ranges::none_of(notesOf(shown),
                               [](const std::string& note) { return note.find("missing") != std::string::npos; }));
    CHECK(says(notesOf(shown), "6 runs were disturbed and left out")); // being NaN as well
    request.kind = &kSpeedup;
    const auto refused = compare(runs, request);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("all of them are left out") != std::string::npos);
    CHECK(refused.error().hint.find("--keep-nan") != std::string::npos);
    for (auto& run : runs)
        run.row.flags = {"nan"};
    request.kind = &kThroughput;
    CHECK(says(notesOf(*compare(runs, request)), "All finished runs are left out."));
}

TEST_CASE("Where all finished runs are left out it is said how many, why, and what to do")
{
    const auto experiment = plansExperiment({1, 2}, 6, {"alexnet"});
    auto runs = measure(experiment, usualMeasurement);
    CompareRequest request;
    request.experiment = experiment;
    request.leaveOutDisturbed = true;
    CHECK_FALSE(whyAllLeftOut(*compare(runs, request)));
    runs[0].ranks.clear(); // its samples are gone
    runs[1].row.flags = {"disturbed"};
    runs[2].row.state = RunState::failed;
    CHECK_FALSE(whyAllLeftOut(*compare(runs, request))); // others count
    for (std::size_t i = 3; i < runs.size(); ++i)
        runs[i].row.flags = {"nan", "short"};
    const auto why = whyAllLeftOut(*compare(runs, request));
    REQUIRE(why);
    CHECK(why->message == "All 17 finished runs of “" + experiment.name +
                              "” are left out: loss not a number (15), disturbed (1), not measured on all ranks after "
                              "the warm-up (1).");
    CHECK(why->hint.find("count them with --keep-nan and without --leave-out-disturbed") != std::string::npos);
    CHECK(why->hint.find("“ringside-cli collect”") != std::string::npos);
    runs.resize(1);
    const auto only = whyAllLeftOut(*compare(runs, request));
    REQUIRE(only);
    CHECK(only->message.starts_with("The only finished run of “"));
}

TEST_CASE("Every flag of runs that are left out is said to be left out with them")
{
    const auto experiment = plansExperiment({1, 2}, 6, {"alexnet"});
    auto runs = measure(experiment, usualMeasurement);
    for (auto& run : runs)
        if (run.row.repeat <= 2)
            run.row.flags = {run.row.repeat == 1 ? "nan" : "unobserved", "short", "throttled"};
    CompareRequest request;
    request.experiment = experiment;
    const auto notes = flagNotes(*compare(runs, request));
    CHECK(std::ranges::count(notes, "6 runs were measured for less than 5 s or 30 iterations, 3 left out") == 1);
    CHECK(std::ranges::count(notes, "6 runs had a GPU that slowed itself down, 3 left out") == 1);
}

TEST_CASE("The caption counts flags of what is drawn, and says which failures and cells are not")
{
    const auto experiment = plansExperiment({1, 2, 4}, 6, {"alexnet"});
    auto runs = measure(experiment, usualMeasurement);
    for (auto& run : runs) {
        const auto ranks = integerOf(run.row.settings, "ranks");
        const bool isBuckets = textOf(run.row.settings, "plan") == "buckets";
        if (ranks == 4 && isBuckets)
            run.row.flags = {"disturbed", "nan"};
        else if (ranks == 4)
            run.row.state = RunState::failed;
        else if (ranks == 2 && isBuckets && run.row.repeat == 1)
            run.row.flags = {"disturbed"};
        else if (ranks == 1)
            run.row.failedAttempts = run.row.repeat == 1;
    }
    const std::string caption = figure(compared(experiment, runs, kSpeedup)).caption;
    CHECK_MESSAGE(
        caption.ends_with(" 7 attempts failed (6 of them in cells that are not drawn), 1 run was disturbed and "
                          "kept and all runs of 1 cell are left out (disturbed 6, nan 6)."),
        caption);
}
