// SPDX-License-Identifier: GPL-3.0-or-later
// The menu bar: every action of the window with its shortcut.
#pragma once

class QMainWindow;

namespace ringside {

class RecentFiles;
struct PageContext;

void buildMenus(QMainWindow& window, const PageContext& context, RecentFiles& recent);

} // namespace ringside
