// SPDX-License-Identifier: MIT
// Window and command line show this of an experiment: figure, table and what they were computed from. analyse.h
// computes it.
#pragma once

#include "core/report/figure.h"
#include "core/report/table.h"
#include "core/store/rows.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ringside::report {

class FigureKind; // figurekind.h

/// An experiment's latest revision and what was measured of it.
struct MeasuredExperiment
{
    spec::Experiment experiment;
    std::vector<store::MeasuredRun> runs;

    /// Returns the sites of its runs: a launch may name another than the file.
    std::set<std::string> sites() const;
};

struct AnalysisRequest
{
    const FigureKind* kind = nullptr;
    CompareRequest compare; ///< its kind is set by analyse()
    FigureRequest layout;
    NumberStyle style = {}; ///< of Analysis::shown
    // For a kind of one run:
    std::optional<RunId> run = {};               ///< absent: the last run of the last group
    bool onlyCompared = true;                    ///< a run that is not compared counts as absent
    std::optional<std::uint32_t> iteration = {}; ///< of `run`; absent: the last that was recorded in detail
};

struct Analysis
{
    Comparison comparison;
    FigureData figure;
    Table table; ///< with the numbers of files, as it is copied and printed
    Table shown; ///< the same as it is on screen
    /// Reason why there is no figure. `comparison` is of throughput then, for the choices, or of phases where rates are
    /// not comparable; empty where nothing is.
    std::optional<Error> refusal = {};
    // For a kind of one run:
    std::optional<RunId> run = {};
    std::vector<std::uint32_t> recorded = {}; ///< its iterations recorded in detail
    std::uint32_t iteration = 0;
};

} // namespace ringside::report
