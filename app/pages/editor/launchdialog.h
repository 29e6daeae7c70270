// SPDX-License-Identifier: GPL-3.0-or-later
// What a launch means, before anything is submitted: runs, time, script, checks.
#pragma once

#include "app/pages/editor/evaluation.h"
#include "app/style/themecontroller.h"

#include <QDialog>
#include <functional>

namespace ringside {

/// Opens a dialog that deletes itself; `launch` is called if the user wants it.
void askToLaunch(const ThemeController& theme, QWidget* parent, const Evaluation& evaluation,
                 std::function<void()> launch);

} // namespace ringside
