// SPDX-License-Identifier: GPL-3.0-or-later
// Asks for the scope to cancel: this run, all that wait, or everything. By default runs continue.
#pragma once

#include "app/dialogs/dialogparts.h"
#include "core/conductor/controlorder.h"
#include "core/store/rows.h"

#include <QCoreApplication>
#include <QString>
#include <functional>
#include <optional>

class QButtonGroup;
class QRadioButton;

namespace ringside {

class RunModel;

struct CancelChoice
{
    /// `shown`: the run beside the list; once it has ended, a trial.
    static CancelChoice of(const RunModel& model, const QString& experiment, const RunId& shown);
    bool isEmpty() const { return !run && unfinished == 0; }

    QString experiment;
    std::optional<store::RunRow> run = {}; ///< has not ended
    int waiting = 0;
    int unfinished = 0;
};

/// `open()` it; it deletes itself. `chosen` is called with what to cancel, or never.
class CancelDialog : public QuestionDialog
{
    Q_DECLARE_TR_FUNCTIONS(ringside::CancelDialog)
public:
    CancelDialog(QWidget* parent, const ThemeController& theme, const CancelChoice& choice,
                 std::function<void(const ControlOrder&)> chosen);

    /// Runs have begun or ended. What was chosen stays chosen or, once it is not offered any more, nothing is: a press
    /// never ends what it did not name. Without anything to cancel the dialog closes.
    void offer(const CancelChoice& choice);

private:
    struct Scope
    {
        QRadioButton* button;
        QString text = {}, verb = {};
        ControlOrder order = {};
    };
    Scope addScope();
    void set(Scope& scope, bool isOffered, const Scope& now);
    void showChosen();
    const Scope* chosenScope() const;

    QButtonGroup* m_group;
    Scope m_run, m_waiting, m_all;
    QPushButton* m_cancel;
};

} // namespace ringside
