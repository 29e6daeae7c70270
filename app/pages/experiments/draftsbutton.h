// SPDX-License-Identifier: GPL-3.0-or-later
// Unsaved edits: their number, and a menu that opens them again.
#pragma once

#include "app/drafts/drafts.h"
#include "app/shell/shell.h"

#include "core/store/rows.h"

#include <QPushButton>

namespace ringside {

class DraftsButton : public QPushButton
{
    Q_OBJECT
public:
    explicit DraftsButton(Preferences& preferences);

    /// Looks again. A draft of an experiment that is not among `stored` is of another database.
    void refresh(const std::vector<store::ExperimentRow>& stored);

Q_SIGNALS:
    /// Opens that draft in the editor.
    void chosen(const ringside::Target& target);

private:
    Drafts m_drafts;
    QMenu* m_menu;
};

} // namespace ringside
