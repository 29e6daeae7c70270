// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment editor: form at the left, what it means at the right (UX.md 3.3).
#pragma once

#include "app/pages/editor/evaluation.h"
#include "app/pages/editor/openeddraft.h"
#include "app/session/jobtracker.h"
#include "app/session/sitesystems.h"
#include "app/session/taskthread.h"
#include "app/shell/page.h"

class QLabel;
class QTimer;

namespace ringside {

class Card;
class ChecksList;
class DraftHistory;
class ExperimentForm;
class ExperimentOpener;
class PreviewTabs;
class SummaryCard;
struct Opening;

class EditorPage : public Page
{
    Q_OBJECT
public:
    explicit EditorPage(const PageContext& context);

    void activate(const Target& target) override;
    void deactivate() override;

private:
    void build();
    QWidget* makeFooter();
    void bindActions();
    void bindUndo();

    void learnSite();
    void learnSites();
    void followSystems();
    void showOpened(const Opening& opening);
    void showAsked(const QString& what);
    void offerOpened();
    void setDraft(const Draft& draft);

    void draftEdited();
    void evaluateNow();
    void takeEvaluation(const Draft& draft, Evaluation evaluation);
    void whenEvaluated(const std::function<void()>& act);
    void refreshActions();
    void takeToml(const QString& text);
    void discardToml();
    bool refusesToml(const QString& whatIsNot);
    void goToField(const QString& field);
    void goToCheck(int step);

    void save();
    void takeSaved(const Draft& draft);
    void launch();
    void tryOneRun();
    void offer(const LaunchRequest& request);
    void start(const LaunchRequest& request);
    void exportToml();

    spec::SiteLimits limits() const;
    Surroundings surroundings() const;

    OpenedDraft m_opened;
    Evaluation m_evaluation;
    std::optional<Draft> m_evaluated; ///< what m_evaluation is of
    std::function<void()> m_whenEvaluated;
    std::optional<spec::SiteLimits> m_site; ///< this computer, as it was last known; nullopt: not answered yet
    SiteSystems m_systems;                  ///< of the experiment's site, unless that is this computer
    int m_check = -1;                       ///< where F8 stands

    ExperimentOpener* m_opener;
    ExperimentForm* m_form;
    DraftHistory* m_history;
    SummaryCard* m_summary;
    PreviewTabs* m_tabs;
    Card* m_checksCard;
    ChecksList* m_checks;
    QLabel* m_unsaved;
    QTimer* m_delay;

    JobTracker m_siteJob, m_sitesJob, m_evaluationJob;
    TaskThread m_probe; // last: it calls back
};

} // namespace ringside
