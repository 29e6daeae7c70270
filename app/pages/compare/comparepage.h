// SPDX-License-Identifier: GPL-3.0-or-later
// Compare: throughput, speed-up, efficiency and phases of an experiment's configurations side by side (UX.md 3.5).
#pragma once

#include "app/pages/compare/comparemodel.h"
#include "app/pages/compare/exportfiles.h"
#include "app/pages/compare/facetmodel.h"
#include "app/session/jobtracker.h"
#include "app/shell/page.h"
#include "core/report/figure.h"

#include <functional>
#include <memory>

class QTableView;

namespace ringside {

class Card;
class EmptyState;
class FacetsCard;
class FigureCard;
class SegmentedControl;

class ComparePage : public Page
{
    Q_OBJECT
public:
    explicit ComparePage(const PageContext& context, QWidget* parent = nullptr);

    void activate(const Target& target) override;
    void deactivate() override { m_active = false; }

private:
    /// An experiment's latest revision and what was measured of it; shared with the query thread, never changed.
    struct Measured
    {
        spec::Experiment experiment;
        std::vector<store::MeasuredRun> runs;
    };
    /// All that is shown, computed off the GUI thread.
    struct Shown
    {
        report::Comparison comparison;
        report::FigureData figure;
        report::Table table;
        std::optional<Error> refusal; ///< why there is no figure; `comparison` is then of throughput, for the choices
    };
    static Result<Shown> compute(const Measured& measured, report::CompareRequest request,
                                 const report::FigureRequest& layout, const report::NumberStyle& style);

    void build();
    QWidget* makeControls();
    Card* makeTableCard();
    void bindActions();

    void loadExperiments();
    void loadRuns();
    void takeRuns(Measured measured);
    void recompute();
    void takeShown(Shown shown);
    void showFigure();
    void joinFigureAndTable();
    int rowOf(const std::vector<RunId>& runs) const;
    QString describe(const std::vector<RunId>& runs) const;

    report::CompareRequest request() const;
    void choose(const QString& experiment);
    QWidget* makeCopyButton();
    QPixmap markOf(const report::TableRow& row) const;
    void copyFigure();
    void allowExport();
    void exportFigure();

    QString m_experiment;
    std::shared_ptr<const Measured> m_measured;
    Shown m_shown;
    report::Show m_show = report::Show::speedup;
    std::function<void()> m_wayOut; ///< what the button of a refusal does
    bool m_hasFigure = false;
    bool m_active = false;

    FacetModel m_facets;
    CompareModel m_rows;
    CompareOrder m_order;
    SegmentedControl* m_kinds;
    FacetsCard* m_choice;
    FigureCard* m_figure;
    Card* m_tableCard;
    QTableView* m_table;
    EmptyState* m_empty = nullptr;

    JobTracker m_experimentsJob, m_runsJob, m_shownJob; // last: they drop answers that come too late
};

} // namespace ringside
