// SPDX-License-Identifier: MIT
// A kind of figure that sets the configurations of an experiment against each other.
#pragma once

#include "core/report/figurekind.h"
#include "core/report/layout.h"

#include <nlohmann/json_fwd.hpp>

namespace ringside::report {

/// A table of one panel, as a terminal shows it.
struct PrintedPanel
{
    std::string title;
    std::vector<TableColumn> columns;
    std::vector<std::vector<std::string>> rows; ///< a cell for each column
};

/// The panel of this title, which is added with these columns if there is none.
PrintedPanel& panelNamed(std::vector<PrintedPanel>& panels, const std::string& title,
                         const std::vector<TableColumn>& columns);

/// Describes an interval of it.
struct IntervalKind
{
    std::string_view name;       ///< "rank interval of the median"
    std::optional<double> level; ///< 0.95; absent: it covers all runs
};

class ComparedKind : public FigureKind
{
public:
    using FigureKind::FigureKind;

    /// Returns whether it shows what an iteration spends its time on.
    virtual bool showsPhases() const { return false; }
    /// Returns whether its table has a column of failed attempts where there are any; else only where a row has nothing
    /// but such.
    virtual bool tabulatesFailed() const { return true; }

    /// Returns the measure of a group; no value without runs.
    virtual Measure measureOf(const Group& group) const = 0;
    /// Returns the unit of the measure, in files: "images/s", "1", "ms".
    virtual std::string_view unitOf(const Comparison& comparison) const = 0;
    virtual IntervalKind interval() const = 0;
    /// Fails with usage where these groups cannot be compared so.
    virtual Result<void> check(const Comparison& comparison, const spec::Experiment& experiment) const = 0;
    /// Whatever it has of a group beside the measure.
    virtual void addTo(nlohmann::ordered_json& json, const Group& group) const;

    /// Sets drawing and failed cells.
    virtual void draw(const Comparison& comparison, const Layout& layout, FigureData& figure) const = 0;
    /// Below the figure. There is at least one group.
    virtual Table table(const Comparison& comparison, const Layout& layout, const NumberStyle& style) const = 0;
    /// The figure as text, cells included in which every run failed.
    virtual std::vector<PrintedPanel> printed(const FigureData& figure) const = 0;

    // Words, in English. `drawn` has the groups that are drawn.
    virtual std::string titleOf(const Comparison& drawn, const std::string& what) const = 0;
    /// Returns the beginning of a caption: "Parallel efficiency".
    virtual std::string_view quantity() const = 0;
    /// Beside the key: how marks are to be read.
    virtual std::vector<std::string> keyNotes(const Comparison& drawn) const = 0;
    /// The sentences of a caption that say the same, each with a space before it.
    virtual std::string marksText(const Comparison& drawn, const FigureData& figure) const = 0;
    /// Notes beside those of every kind.
    virtual std::vector<std::string> notes(const Comparison& comparison, const FigureData& figure) const;
    /// For a screen reader, a sentence a panel, each with a space before it.
    virtual std::string spoken(const Comparison& comparison, const Layout& layout, const FigureData& figure) const = 0;

    Result<Analysis> analyse(const store::Database& db, const MeasuredExperiment& measured,
                             const AnalysisRequest& request) const override;
};

} // namespace ringside::report
