// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the output of a worker's build on a site while it runs.
#pragma once

#include <QString>

class QWidget;

namespace ringside {

class SiteStates;
class ThemeController;

/// Returns at once and does not block other work. Follows the latest build there until it is closed.
void showBuildLog(QWidget* parent, const ThemeController& theme, SiteStates& states, const QString& site);

} // namespace ringside
