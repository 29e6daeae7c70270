// SPDX-License-Identifier: GPL-3.0-or-later
// Dialogs that belong to no page. Each returns at once, is window-modal and deletes itself when closed.
#pragma once

#include "core/conductor/sink.h"

#include <QStringList>
#include <map>

class QMainWindow;
class QWidget;

namespace ringside {

class ThemeController;
struct PageContext;

void showHowMeasured(const ThemeController& theme, QWidget* parent);
/// The shortcuts of the window's menus.
void showShortcuts(QMainWindow& window);
void showAbout(QWidget* parent);

/// Reports since the window was opened.
struct Reports
{
    std::map<std::string, SiteStatus> sites;
    QStringList messages; ///< the newest first
};
void showDiagnostics(const PageContext& context, const Reports& reports, QWidget* parent);

} // namespace ringside
