// SPDX-License-Identifier: GPL-3.0-or-later
// Compare: throughput, speed-up, efficiency and phases of an experiment's configurations side by side, and the timeline
// of one of its runs (UX.md 3.5).
#pragma once

#include "app/figures/exportfiles.h"
#include "app/pages/compare/facetmodel.h"
#include "app/session/jobtracker.h"
#include "app/shell/page.h"
#include "core/report/analyse.h"
#include "core/report/figure.h"
#include "core/report/kinds/kinds.h"

#include <functional>
#include <memory>

namespace ringside {

class EmptyState;
class FacetsCard;
class FigureCard;
class FigureView;
class SegmentedControl;
class SummaryTable;

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
    using Measured = std::shared_ptr<const report::MeasuredExperiment>;
    void takeAnalysis(const Measured& measured, report::Analysis analysis);
    void showFigure();
    void joinFigureAndTable();
    void chooseRuns(FigureView& view, const std::vector<RunId>& runs);
    QString describe(const std::vector<RunId>& runs) const;

    report::AnalysisRequest request() const;
    void replace(const QString& experiment);
    void choose(const QString& experiment);
    QWidget* makeCopyButton();
    void copyFigure();
    void allowExport();
    void exportFigure();

    QString m_experiment;
    QString m_loaded;    ///< the experiment whose runs were asked for last
    Measured m_measured; ///< as it was read last
    Measured m_analysed; ///< of m_analysis; null without one
    report::Analysis m_analysis;
    const report::FigureKind* m_kind = report::findFigureKind("speedup"); ///< what is shown
    std::function<void()> m_wayOut;                                       ///< what the button of a refusal does
    bool m_hasFigure = false;
    bool m_active = false;
    bool m_isOutdated = false; ///< the runs that are loaded: something may have changed unseen

    FacetModel m_facets;
    SegmentedControl* m_kinds;
    FacetsCard* m_choice;
    FigureCard* m_figure;
    SummaryTable* m_table;
    EmptyState* m_empty = nullptr;

    JobTracker m_runsJob, m_analysisJob; // last: they drop answers that come too late
};

} // namespace ringside
