// SPDX-License-Identifier: GPL-3.0-or-later
// Geometry and last page of the window, kept between starts.
#pragma once

class QMainWindow;

namespace ringside {

class Preferences;

inline constexpr int kMinimumWidth = 1100, kMinimumHeight = 700;

/// Restores size and place; a geometry that is off all screens is ignored (first start: 1280×800).
void restoreWindow(QMainWindow& window, const Preferences& preferences);
void saveWindow(const QMainWindow& window, Preferences& preferences);

} // namespace ringside
