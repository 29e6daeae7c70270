// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/windowstate.h"

#include "app/session/preferences.h"

#include <QGuiApplication>
#include <QMainWindow>
#include <QScreen>
#include <algorithm>

namespace ringside {

namespace {

const QString kGeometry = QStringLiteral("geometry");
constexpr QSize kFirstSize{1280, 800};

bool isOnAScreen(const QRect& geometry)
{
    const auto screens = QGuiApplication::screens();
    return std::any_of(screens.begin(), screens.end(), [&](const QScreen* screen) {
        const QRect seen = screen->availableGeometry() & geometry;
        return seen.width() >= geometry.width() / 2 && seen.height() >= geometry.height() / 2;
    });
}

/// Where the screen is smaller than the minimum, the page scrolls inside a smaller window.
QSize minimumFor(const QScreen* screen)
{
    const QSize minimum(kMinimumWidth, kMinimumHeight);
    return screen ? minimum.boundedTo(screen->availableSize()) : minimum;
}

} // namespace

void restoreWindow(QMainWindow& window, const Preferences& preferences)
{
    window.setMinimumSize(minimumFor(window.screen()));
    const bool restored = window.restoreGeometry(preferences.windowValue(kGeometry).toByteArray());
    if (restored && isOnAScreen(window.geometry()))
        return;
    window.resize(kFirstSize.boundedTo(window.screen()->availableSize()));
    window.move(window.screen()->availableGeometry().center() - window.rect().center());
}

void saveWindow(const QMainWindow& window, Preferences& preferences)
{
    preferences.setWindowValue(kGeometry, window.saveGeometry());
}

} // namespace ringside
