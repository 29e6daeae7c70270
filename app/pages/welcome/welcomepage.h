// SPDX-License-Identifier: GPL-3.0-or-later
// First page of an empty database: one button to a chart; clusters; templates; what the numbers mean.
#pragma once

#include "app/session/jobtracker.h"
#include "app/session/taskthread.h"
#include "app/shell/page.h"

class QLabel;
class QPushButton;
class QScrollArea;

namespace ringside {

class Card;

class WelcomePage : public Page
{
    Q_OBJECT
public:
    explicit WelcomePage(const PageContext& context);
    void activate(const Target& target) override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* exampleCard();
    QWidget* siteCard();
    QWidget* templatesCard();
    QWidget* resultsCard();
    QWidget* learnCard();
    void addRow(Card& card, const QString& icon, const QString& title, const QString& caption, const QString& verb,
                std::function<void()> run);
    void useTemplate(const QString& name);
    void showContinue();
    void showFoot();
    void fit();
    void probe(bool thenRun);
    void showObstacle();

    QWidget* m_continueArea;
    QLabel* m_foot;
    QScrollArea* m_scroll;
    QPushButton* m_start = nullptr;
    QLabel* m_obstacle = nullptr; ///< why the example cannot run
    QString m_missing;            ///< what it needs and the last probe did not find
    bool m_isWaiting = false;     ///< for the experiments to continue with
    JobTracker m_probeJob;
    TaskThread m_probe; // last: it calls back
};

} // namespace ringside
