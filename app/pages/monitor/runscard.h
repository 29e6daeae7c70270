// SPDX-License-Identifier: GPL-3.0-or-later
// The list of runs with its counts and its filter.
#pragma once

#include "app/pages/monitor/runmodel.h"
#include "app/style/themecontroller.h"
#include "app/widgets/card.h"

class QComboBox;
class QPushButton;
class QTimer;
class QTableView;

namespace ringside {

class RunsCard : public Card
{
    Q_OBJECT
public:
    RunsCard(ThemeController& theme, RunModel& model);

    void select(const RunId& run);
    /// Up or down in the list, past the folded row.
    void step(int by);
    void showOnly(RunModel::Scope scope);
    void refreshCounts();
    /// Shows or hides the way back to the run that runs.
    void offerFollowing(bool offer);
    QTableView& table() { return *m_table; }

Q_SIGNALS:
    /// The user chose a run.
    void chosen(const ringside::RunId& run);
    /// The user wants to see the running run again.
    void followWanted();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// With little room Progress shows its bar only, then Ranks goes: Configuration distinguishes the runs.
    void fitColumns();
    void watchPointer(const QEvent& event);
    void measureConfigurations();
    bool hasRoom(int configuration) const;
    int room(int column, int count) const;
    int digits(int count) const;

    RunModel& m_model;
    QPushButton* m_follow;
    QPushButton* m_failed;
    QComboBox* m_scope;
    QTableView* m_table;
    int m_widest = 0;  ///< px of the longest configuration
    RunId m_chosen;    ///< also while the filter hides it
    QTimer* m_pointer; ///< runs while the pointer is busy in the list: no row moves away under it
    bool m_selecting = false;
    bool m_hasUnknown = false; ///< some run's state, which is longer than others
};

} // namespace ringside
