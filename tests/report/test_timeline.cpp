// SPDX-License-Identifier: MIT
#include "core/report/files.h"
#include "core/report/timeline.h"
#include "core/report/trace.h"
#include "tests/report/support/lab.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace ringside;
using namespace ringside::report;
using ringside::test::lanesOf;

namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kMinute = 60'000 * kMs;

store::RunRow runOf(int ranks)
{
    store::RunRow run;
    run.number = 12;
    run.repeat = 2;
    run.settings =
        Settings{{"model", Value("lenet")}, {"plan", Value("buckets")}, {"ranks", Value(std::int64_t(ranks))}};
    return run;
}

/// 100 ms: 10 of input, 30 forward, 40 backward, 15 of waiting, 5 of update. Two layers, the second bucket exposed.
store::RankIteration rankOf(int rank, std::int64_t startNs)
{
    store::RankIteration iteration;
    iteration.rank = rank;
    iteration.host = "node0" + std::to_string(rank + 1);
    iteration.sample.seq = 40;
    iteration.sample.startNs = startNs;
    iteration.sample.phases = {10 * kMs, 0, 30 * kMs, 40 * kMs, 15 * kMs, 5 * kMs, 0};
    iteration.layers = {{11 * kMs, 9 * kMs, 62 * kMs, 18 * kMs, 80 * kMs},
                        {25 * kMs, 15 * kMs, 41 * kMs, 19 * kMs, 60 * kMs}};
    iteration.buckets = {{0, 61 * kMs, 10 * kMs, 4'000}, {1, 80 * kMs, 15 * kMs, 2'000}};
    return iteration;
}

/// Two ranks; the second begins 3 ms later, and its host's clock is five minutes ahead.
store::DetailedIteration twoRanks()
{
    store::DetailedIteration iteration;
    iteration.seq = 40;
    iteration.recorded = {10, 40};
    iteration.ranks = {rankOf(0, 7'000 * kMs), rankOf(1, 7'003 * kMs + 5 * kMinute)};
    iteration.layers = {{"conv1", 2'000}, {"fc3", 4'000}};
    iteration.clocks = {{0, {7'000 * kMs, 0, 0}}, {1, {7'000 * kMs + 5 * kMinute, -5 * kMinute, 20'000}}};
    return iteration;
}

FigureData made(const store::DetailedIteration& iteration, int ranks = 2)
{
    auto figure = timeline(runOf(ranks), iteration, {});
    REQUIRE_MESSAGE(figure, figure.error().text());
    return std::move(*figure);
}

bool notes(const FigureData& figure, const std::string& words)
{
    return std::any_of(figure.notes.begin(), figure.notes.end(),
                       [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

std::vector<std::string> linesOf(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

} // namespace

TEST_CASE("ranks stand on one clock, each with phases, layers and buckets")
{
    const FigureData figure = made(twoRanks());
    CHECK(figure.kind == "timeline");
    CHECK(figure.title == "Iteration 40 of LeNet by plan buckets on 2 CPU ranks");
    CHECK(lanesOf(figure).whole.from == 0);
    CHECK(lanesOf(figure).whole.to == doctest::Approx(103));
    CHECK(lanesOf(figure).shown == lanesOf(figure).whole);
    const auto& lanes = lanesOf(figure).lanes;
    REQUIRE(lanes.size() == 2);
    for (const Lane& lane : lanes) {
        const double late = lane.rank == 0 ? 0 : 3;
        CHECK(lane.host == (lane.rank == 0 ? "node01" : "node02"));
        REQUIRE(lane.phases.size() == 5); // those that take no time are none
        CHECK(lane.phases[1].phase == Phase::forward);
        CHECK(lane.phases[1].start == doctest::Approx(10 + late));
        CHECK(lane.phases[1].length == doctest::Approx(30));
        REQUIRE(lane.layers.size() == 4);
        CHECK(lane.layers[0].name == "conv1");
        CHECK(lane.layers[0].activity == Activity::forward);
        CHECK(lane.layers[0].start == doctest::Approx(11 + late));
        CHECK_FALSE(lane.layers[0].ready);
        const Bar& back = lane.layers[2]; // by time: the last layer's backward comes first
        CHECK(back.name == "fc3");
        CHECK(back.activity == Activity::backward);
        CHECK(back.end() == doctest::Approx(60 + late));
        CHECK(back.ready == doctest::Approx(60 + late));
        CHECK(back.bytes == 4'000);
        REQUIRE(lane.communication.size() == 2);
        CHECK(lane.communication[1].start == doctest::Approx(80 + late));
        CHECK(lane.communication[1].bytes == 2'000);
    }
    CHECK(notes(figure, "agree to ± 20"));
    CHECK(figure.caption.starts_with("Iteration 40 of LeNet by plan buckets on 2 CPU ranks (run 12, repeat 2). Of each "
                                     "rank, from above: phases of the iteration, layers forward and backward and "
                                     "communication bucket by bucket. Activations"));
    CHECK(figure.spoken.find("Rank 1: 100 ms, exposed communication 15.0 ms, 2 buckets.") != std::string::npos);
}

TEST_CASE("the flags of the run are said beside its timeline and in the caption")
{
    store::RunRow run = runOf(2);
    run.flags = {"disturbed", "throttled", "incomplete", "unobserved", "nan", "short"};
    const FigureData figure = timeline(run, twoRanks(), {}).value();
    for (const char* note :
         {"the run was disturbed", "the run had a GPU that slowed itself down", "the run lacks samples",
          "the run may have been disturbed", "the run had a loss that was not a number"})
        CHECK_MESSAGE(notes(figure, note), note);
    CHECK(figure.caption.find("The run was disturbed.") != std::string::npos);
    CHECK_FALSE(notes(made(twoRanks()), "the run "));
}

TEST_CASE("unreported time of a rank stands at the end of its phases, and is not counted as other")
{
    auto iteration = twoRanks();
    Sample& less = iteration.ranks[1].sample;
    less.told = {Phase::forward, Phase::backward};
    keepTold(less.phases, less.told);
    const FigureData figure = made(iteration);
    CHECK(lanesOf(figure).lanes[0].phases.size() == 5);
    const auto& phases = lanesOf(figure).lanes[1].phases;
    REQUIRE(phases.size() == 3);
    CHECK(phases[0].phase == Phase::forward);
    CHECK(phases[2].phase == kNotTold);
    CHECK(phases[2].name == "not_told");
    CHECK(phases[2].length == doctest::Approx(30));
    CHECK(phases[2].end() == doctest::Approx(103));
    CHECK(notes(figure, "phases that are not told are together in “Not told”, at the end"));
    CHECK_FALSE(notes(made(twoRanks()), "not told"));
    CHECK_FALSE(notes(figure, "layers wait")); // where forward ended is not known
    CHECK(figure.spoken.find("Rank 0: 100 ms, exposed communication 15.0 ms, ") != std::string::npos);
    CHECK(figure.spoken.find("Rank 1: 100 ms, exposed communication not told, ") != std::string::npos);
    CHECK(figureCsv(figure).find("1,node02,phase,not_told,73,30,,\r\n") != std::string::npos);
}

TEST_CASE("where clocks were not compared each rank begins at 0, and a note says so")
{
    auto iteration = twoRanks();
    iteration.clocks.pop_back();
    const FigureData figure = made(iteration);
    CHECK(lanesOf(figure).lanes[1].phases[0].start == 0);
    CHECK(lanesOf(figure).whole.to == doctest::Approx(100));
    CHECK(notes(figure, "not compared"));
}

TEST_CASE("the caption names what is drawn")
{
    auto iteration = twoRanks();
    for (auto& rank : iteration.ranks)
        rank.buckets.clear();
    CHECK(made(iteration).caption.find("from above: phases of the iteration and layers forward and backward.") !=
          std::string::npos);
    for (auto& rank : iteration.ranks)
        rank.layers.clear();
    CHECK(made(iteration).caption.find("from above: phases of the iteration.") != std::string::npos);
}

TEST_CASE("the caption names what the run was measured on, as far as it is known")
{
    auto iteration = twoRanks();
    CHECK(made(iteration).caption.find("Measured") == std::string::npos);
    iteration.facts = {"AMD EPYC 7763", "2.11.0", "mpi: ob1"};
    CHECK(made(iteration).caption.find(" Measured: AMD EPYC 7763, torch 2.11.0, network mpi: ob1. ") !=
          std::string::npos);
    store::RunRow run = runOf(2);
    run.settings = Settings{{"model", Value("resnet50")},
                            {"ranks", Value(std::int64_t(2))},
                            {"image_size", Value(std::int64_t(224))},
                            {"precision", Value("bf16")}};
    CHECK(timeline(run, iteration, {})->caption.find(" Measured: 224 pixels, bf16; AMD EPYC 7763,") !=
          std::string::npos);
}

TEST_CASE("clocks that agree less well are compared in milliseconds")
{
    auto iteration = twoRanks();
    iteration.clocks[1].clock.uncertaintyNs = 1'500'000;
    CHECK(notes(made(iteration), "agree to ± 1.50 ms"));
}

TEST_CASE("what is missing is said")
{
    auto iteration = twoRanks();
    for (auto& rank : iteration.ranks)
        rank.layers.clear();
    CHECK(notes(made(iteration), "no times of layers"));
    CHECK_FALSE(notes(made(twoRanks()), "no times of layers"));
    CHECK(notes(made(twoRanks(), 4), "2 of 4 ranks have this iteration"));
    auto many = twoRanks();
    many.clocks.clear();
    many.ranks.clear();
    for (int rank = 0; rank < 40; ++rank)
        many.ranks.push_back(rankOf(rank, 0));
    CHECK(lanesOf(made(many, 40)).lanes.size() == kMostLanes);
    CHECK(notes(made(many, 40), "32 of 40 ranks shown"));
    auto emulated = runOf(2);
    emulated.flags = {"emulated"};
    const auto figure = timeline(emulated, twoRanks(), {});
    REQUIRE(figure);
    CHECK(notes(*figure, "emulated"));
    CHECK(lanesOf(*figure).x.title == "Time (ms, emulated)");
}

TEST_CASE("a plan that is not exact is marked on the axis and said in the caption, whatever the plan is called")
{
    AggregationPlan plan;
    CHECK(lanesOf(*timeline(runOf(2), twoRanks(), plan)).x.title == "Time (ms)");
    plan.compression = Compression::onebit;
    const auto lossy = timeline(runOf(2), twoRanks(), plan);
    CHECK(lanesOf(*lossy).x.title == "Time (ms, † lossy)");
    CHECK(lossy->caption.find("† lossy: gradients are compressed") != std::string::npos);
    plan.compression = Compression::none;
    plan.collective = Collective::parameterServer;
    plan.asynchronous = true;
    CHECK(notes(*timeline(runOf(2), twoRanks(), plan), "workers do not wait for each other"));
}

TEST_CASE("where layers wait for their own weights, phases are said to be totals")
{
    auto iteration = twoRanks();
    CHECK_FALSE(notes(made(iteration), "laid end to end"));
    iteration.ranks[1].layers[1].forwardStartNs += 12 * kMs; // it waited for its weights
    CHECK(notes(made(iteration), "laid end to end"));
}

TEST_CASE("layers without a name have a number, those that were not passed no bar")
{
    auto iteration = twoRanks();
    iteration.layers.resize(1);
    iteration.ranks[0].layers[0] = {};
    const FigureData figure = made(iteration);
    const auto& lanes = lanesOf(figure).lanes;
    REQUIRE(lanes[0].layers.size() == 2);
    CHECK(lanes[0].layers[0].name == "layer 1");
    CHECK_FALSE(lanes[0].layers[0].bytes);
}

TEST_CASE("without details there is no timeline, and the answer says what there is")
{
    store::DetailedIteration none;
    CHECK(timeline(runOf(2), none, {}).error().code == ErrorCode::notFound);
    none.recorded = {10, 40};
    none.seq = 11;
    const auto refused = timeline(runOf(2), none, {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("Iteration 11 of run 12") != std::string::npos);
    CHECK(refused.error().hint.find("10, 40") != std::string::npos);
}

TEST_CASE("as a table it has a line per bar")
{
    const auto lines = linesOf(figureCsv(made(twoRanks())));
    REQUIRE(lines.size() == 1 + 2 * (5 + 4 + 2));
    CHECK(lines[0] == "rank,host,activity,name,start_ms,length_ms,ready_ms,bytes\r");
    CHECK(lines[1] == "0,node01,phase,input_wait,0,10,,\r");
    CHECK(lines[8] == "0,node01,backward,fc3,41,19,60,4000\r");
    CHECK(lines[11] == "0,node01,communication,bucket 1,80,15,,2000\r");
}

TEST_CASE("as a trace it has a process per rank and a thread per kind")
{
    auto figure = made(twoRanks());
    figure.as<Lanes>()->shown = {50, 60}; // what is drawn is a part; the trace is whole
    const auto trace = nlohmann::json::parse(traceJson(figure));
    CHECK(trace["displayTimeUnit"] == "ms");
    int bars = 0;
    std::vector<std::string> processes, threads;
    for (const auto& event : trace["traceEvents"]) {
        if (event["ph"] == "M")
            (event["name"] == "process_name" ? processes : threads).push_back(event["args"]["name"]);
        else if (event["ph"] == "X")
            ++bars;
    }
    CHECK(bars == 22);
    CHECK(processes == std::vector<std::string>{"rank 0 on node01", "rank 1 on node02"});
    CHECK(threads.size() == 6);
    const auto isBackward = [](const nlohmann::json& event) {
        return event["ph"] == "X" && event["cat"] == "backward" && event["name"] == "fc3" && event["pid"] == 1;
    };
    const auto& events = trace["traceEvents"];
    const auto found = std::find_if(events.begin(), events.end(), isBackward);
    REQUIRE(found != events.end());
    CHECK((*found)["ts"].get<double>() == doctest::Approx(44'000)); // µs
    CHECK((*found)["dur"].get<double>() == doctest::Approx(19'000));
    CHECK((*found)["tid"] == 1);
    CHECK((*found)["args"]["bytes"] == 4'000);
    CHECK((*found)["args"]["gradients_ready_us"].get<double>() == doctest::Approx(63'000));
}

TEST_CASE("times of a trace have no more digits than stamps")
{
    auto iteration = twoRanks();
    iteration.ranks[0].layers[0] = {2'452'149'902, 72'496'479, 0, 0, 0};
    const std::string trace = traceJson(made(iteration));
    CHECK(trace.find("\"ts\": 2452149.902,") != std::string::npos);
    CHECK(trace.find("\"dur\": 72496.479,") != std::string::npos);
}

TEST_CASE("a timeline is of one run and has no base case")
{
    const FigureKind* kind = findFigureKind("timeline");
    REQUIRE(kind);
    CHECK(kind->isOfOneRun());
    CHECK_FALSE(kind->isRatio());
    CHECK_FALSE(findFigureKind("timelines"));
}
