// SPDX-License-Identifier: GPL-3.0-or-later
// Dialogs that belong to no page. Each returns at once, is window-modal and deletes itself when closed.
#pragma once

class QMainWindow;
class QWidget;

namespace ringside {

class ThemeController;
struct PageContext;

void showHowMeasured(const ThemeController& theme, QWidget* parent);
/// The shortcuts of the window's menus.
void showShortcuts(QMainWindow& window);
void showAbout(QWidget* parent);
void showDiagnostics(const PageContext& context, QWidget* parent);

} // namespace ringside
