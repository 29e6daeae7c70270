// SPDX-License-Identifier: GPL-3.0-or-later
// Compare: throughput, speed-up, efficiency and phases of an experiment's configurations side by side, and the timeline
// of one of its runs (UX.md 3.5).
#pragma once

#include "app/figures/exportfiles.h"
#include "app/pages/compare/comparemodel.h"
#include "app/pages/compare/facetmodel.h"
#include "app/session/jobtracker.h"
#include "app/shell/page.h"
#include "core/report/figure.h"
#include "core/report/kinds/kinds.h"

#include <functional>
#include <memory>

class QTableView;

namespace ringside {

class Card;
class EmptyState;
class FacetsCard;
class FigureCard;
class FigureView;
class SegmentedControl;

class ComparePage : public Page
{
    Q_OBJECT
public:
    explicit ComparePage(const PageContext& context);

    void activate(const Target& target) override;
    void deactivate() override { m_active = false; }

private:
    void build();
    QWidget* makeControls();
    Card* makeTableCard();
    void bindActions();

    void followSession();
    bool isNews(const store::RunRow& run) const;
    void takeExperiments();
    void forget();
    void showNothing();
    void loadRuns();
    void takeRuns(report::MeasuredExperiment measured);
    void withdraw();
    void computeAnew();
    void recompute();
    void takeAnalysis(report::Analysis analysis);
    std::optional<Settings> chosenGroup() const;
    void showTable(const std::optional<Settings>& chosen);
    void showFigure();
    void joinFigureAndTable();
    void chooseRuns(FigureView& view, const std::vector<RunId>& runs);
    void chooseTableRow(int row);
    int rowOf(const std::vector<RunId>& runs) const;
    /// The first of which `holds` says so of its group; -1: none.
    template <class Holds> int rowWhere(const Holds& holds) const;
    QString describe(const std::vector<RunId>& runs) const;

    report::AnalysisRequest request() const;
    void replace(const QString& experiment);
    void choose(const QString& experiment);
    QWidget* makeCopyButton();
    QPixmap markOf(const report::TableRow& row) const;
    void copyFigure();
    void allowExport();
    void exportFigure();

    QString m_experiment;
    QString m_loaded; ///< the experiment whose runs were asked for last
    std::shared_ptr<const report::MeasuredExperiment> m_measured;
    report::Analysis m_analysis;
    const report::FigureKind* m_kind = report::findFigureKind("speedup"); ///< what is shown
    std::function<void()> m_wayOut;                                       ///< what the button of a refusal does
    bool m_hasFigure = false;
    bool m_active = false;
    bool m_isOutdated = false; ///< the runs that are loaded: something may have changed unseen

    FacetModel m_facets;
    CompareModel m_rows;
    CompareOrder m_order;
    SegmentedControl* m_kinds;
    FacetsCard* m_choice;
    FigureCard* m_figure;
    Card* m_tableCard;
    QTableView* m_table;
    EmptyState* m_empty = nullptr;

    JobTracker m_runsJob, m_analysisJob; // last: they drop answers that come too late
};

} // namespace ringside
