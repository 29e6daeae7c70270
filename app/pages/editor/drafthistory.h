// SPDX-License-Identifier: GPL-3.0-or-later
// The form's contents before each change, so that Undo reverts a choice as well as a text. Typing in one field, or in
// the TOML, is one step. GUI thread.
#pragma once

#include "app/drafts/draft.h"

#include <QObject>
#include <QPointer>
#include <vector>

namespace ringside {

class ExperimentForm;

class DraftHistory : public QObject
{
    Q_OBJECT
public:
    explicit DraftHistory(ExperimentForm& form);

    /// Something else was opened: nothing of before can be brought back.
    void begin();
    /// The form shows another draft that the user wanted.
    void note();
    /// The user changed the form, or the text that it follows.
    void noteEdit();
    bool canUndo() const { return !m_past.empty(); }
    bool canRedo() const { return !m_future.empty(); }
    void undo() { step(m_past, m_future); }
    void redo() { step(m_future, m_past); }

Q_SIGNALS:
    /// The draft that the form is to show.
    void restored(const ringside::Draft& draft);
    void changed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void step(std::vector<Draft>& from, std::vector<Draft>& to);

    ExperimentForm& m_form;
    Draft m_current;
    std::vector<Draft> m_past;
    std::vector<Draft> m_future;
    QPointer<QWidget> m_typedInto; ///< a further key there belongs to the same step
};

} // namespace ringside
