// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/windowstate.h"

#include "app/session/preferences.h"

#include <QGuiApplication>
#include <QMainWindow>
#include <QScreen>
#include <QStyle>
#include <algorithm>

namespace ringside {

namespace {

const QString kGeometry = QStringLiteral("geometry");
constexpr QSize kFirstSize{1280, 800};
constexpr int kFrame = 8; // px beyond the screen that are no more than what a frame pushes a full window

qint64 overlap(const QRect& a, const QRect& b)
{
    const QRect both = a & b;
    return both.isEmpty() ? 0 : qint64(both.width()) * both.height();
}

/// As far as it must be to lie within `room`.
QRect movedInto(QRect geometry, const QRect& room)
{
    geometry.setSize(geometry.size().boundedTo(room.size()));
    geometry.moveLeft(std::clamp(geometry.left(), room.left(), room.right() - geometry.width() + 1));
    geometry.moveTop(std::clamp(geometry.top(), room.top(), room.bottom() - geometry.height() + 1));
    return geometry;
}

QRect firstGeometry(const QScreen& screen, int titleBar)
{
    QRect geometry({}, kFirstSize);
    geometry.moveCenter(screen.availableGeometry().center());
    return movedInto(geometry, screen.availableGeometry().adjusted(0, titleBar, 0, 0));
}

QList<QRect> availableScreens()
{
    QList<QRect> rooms;
    for (const QScreen* screen : QGuiApplication::screens())
        rooms << screen->availableGeometry();
    return rooms;
}

/// Where the screen is smaller than the minimum, the page scrolls inside a smaller window.
QSize minimumFor(const QScreen& screen, int titleBar)
{
    return QSize(kMinimumWidth, kMinimumHeight).boundedTo(screen.availableSize() - QSize(0, titleBar));
}

} // namespace

QRect onScreen(const QRect& geometry, const QList<QRect>& screens, int titleBar)
{
    const auto most = std::max_element(screens.begin(), screens.end(), [&](const QRect& a, const QRect& b) {
        return overlap(a, geometry) < overlap(b, geometry);
    });
    if (most == screens.end() || overlap(*most, geometry) == 0)
        return {};
    const bool fits = most->adjusted(-kFrame, -kFrame, kFrame, kFrame).contains(geometry);
    return fits ? geometry : movedInto(geometry, most->adjusted(0, titleBar, 0, 0));
}

void restoreWindow(QMainWindow& window, const Preferences& preferences)
{
    const int titleBar = window.style()->pixelMetric(QStyle::PM_TitleBarHeight, nullptr, &window);
    window.setMinimumSize(minimumFor(*window.screen(), titleBar));
    QRect geometry;
    if (window.restoreGeometry(preferences.windowValue(kGeometry).toByteArray())) {
        if (window.windowState() & (Qt::WindowMaximized | Qt::WindowFullScreen))
            return;
        geometry = onScreen(window.geometry(), availableScreens(), titleBar);
    }
    window.setGeometry(geometry.isEmpty() ? firstGeometry(*window.screen(), titleBar) : geometry);
}

void saveWindow(const QMainWindow& window, Preferences& preferences)
{
    preferences.setWindowValue(kGeometry, window.saveGeometry());
}

} // namespace ringside
