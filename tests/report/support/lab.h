// SPDX-License-Identifier: MIT
// Measured runs as the store gives them out, for an experiment that needs no machine: rates and phases are said by a
// test.
#pragma once

#include "core/report/figure.h"
#include "core/report/kinds/kinds.h"
#include "core/report/table.h"

#include <functional>

namespace ringside::test {

/// The measurements of a run.
struct Measured
{
    double rate = 1;                          ///< items/s of all ranks
    double exposedShare = 0, hiddenShare = 0; ///< of an iteration, inside collectives
    double readMs = 0, decodeMs = 0;          ///< an iteration, of loader threads
    PhaseSet told = PhaseSet::all();
    std::optional<double> cpuUtilisation = {}, gpuUtilisation = {}; ///< of each rank
};
using Model = std::function<Measured(const Settings& settings, int repeat)>;

/// Two models, ranks 1, 2 and 4 (as given), plans one and buckets; base case ranks = 1.
spec::Experiment plansExperiment(std::vector<std::int64_t> ranks, int repeats = 6,
                                 std::vector<std::string> models = {"alexnet", "resnet50"});

/// All runs of the experiment, done, numbered from 1.
std::vector<store::MeasuredRun> measure(const spec::Experiment& experiment, const Model& model);

/// Scales as clusters do: buckets better than one, with a little spread over repeats.
Measured usualMeasurement(const Settings& settings, int repeat);

/// The same, with pictures that threads load: 1.5 ms of reading and 30 ms of decoding an iteration for each of its
/// ranks.
Measured loadingMeasurement(const Settings& settings, int repeat);

/// As usualMeasurement, but runs of plan "one" report only what they compute: all of them forward and backward, and
/// each one phase more, which is not the same.
Measured lessToldMeasurement(const Settings& settings, int repeat);

/// compare() of the experiment, with standings for this layout; the test fails if there is an error.
report::Comparison compared(const spec::Experiment& experiment, const std::vector<store::MeasuredRun>& runs,
                            const report::ComparedKind& kind, const report::FigureRequest& layout = {});

/// The table in the form of this name: "tsv"; throws if there is none.
std::string written(std::string_view form, const report::Table& table);

/// The drawing of a figure; throws if it is another.
inline const report::Points& pointsOf(const report::FigureData& figure)
{
    return std::get<report::Points>(figure.drawing);
}
inline const report::Stacks& stacksOf(const report::FigureData& figure)
{
    return std::get<report::Stacks>(figure.drawing);
}
inline const report::Lanes& lanesOf(const report::FigureData& figure)
{
    return std::get<report::Lanes>(figure.drawing);
}

/// The first group with these settings; throws if there is none.
const report::Group& groupWith(const report::Comparison& comparison, const Settings& wanted);

Settings alexnetOn(std::int64_t ranks, const char* plan);

/// Returns whether a caption, a note or another text holds these words.
inline bool says(std::string_view text, std::string_view what)
{
    return text.find(what) != std::string_view::npos;
}

} // namespace ringside::test
