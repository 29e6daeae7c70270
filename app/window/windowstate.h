// SPDX-License-Identifier: GPL-3.0-or-later
// Geometry and last page of the window, stored between starts.
#pragma once

#include <QList>
#include <QRect>

class QMainWindow;

namespace ringside {

class Preferences;

inline constexpr int kMinimumWidth = 1100, kMinimumHeight = 700;

/// Restores size and place; what does not fit the screen that it is mostly on is fitted to it, a geometry that is off
/// all screens is ignored (first start: 1280×800).
void restoreWindow(QMainWindow& window, const Preferences& preferences);
/// `geometry` moved and shrunk into the room of the screen that it overlaps most, with `titleBar` px above it;
/// unchanged where it fits, null if it is off all screens.
QRect onScreen(const QRect& geometry, const QList<QRect>& screens, int titleBar);
void saveWindow(const QMainWindow& window, Preferences& preferences);

} // namespace ringside
