// SPDX-License-Identifier: GPL-3.0-or-later
// Asks for the scope to cancel: this run, all that wait, or everything. By default runs continue.
#pragma once

#include "core/conductor/conductor.h"

#include <QString>
#include <functional>

class QWidget;

namespace ringside {

class ThemeController;

struct CancelChoice
{
    QString experiment;
    const store::RunRow* run = nullptr; ///< the one that is shown, if it has not ended
    int waiting = 0;
    int unfinished = 0;
};

/// Opens a dialog that deletes itself; `chosen` is called with what to cancel, or never.
void askWhatToCancel(QWidget* parent, const ThemeController& theme, const CancelChoice& choice,
                     std::function<void(const ControlOrder&)> chosen);

} // namespace ringside
