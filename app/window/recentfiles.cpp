// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/recentfiles.h"

#include "app/session/preferences.h"
#include "app/text/text.h"

#include <QFileInfo>
#include <QMenu>

namespace ringside {

namespace {

const QString kKey = QStringLiteral("recent");
constexpr qsizetype kKept = 8;

} // namespace

RecentFiles::RecentFiles(Preferences& preferences, Open open)
    : m_preferences(preferences)
    , m_open(std::move(open))
{
}

void RecentFiles::add(const QString& path)
{
    QStringList paths = m_preferences.windowValue(kKey).toStringList();
    const QString absolute = QFileInfo(path).absoluteFilePath();
    paths.removeAll(absolute);
    paths.prepend(absolute);
    m_preferences.setWindowValue(kKey, paths.mid(0, kKept));
}

void RecentFiles::attach(QMenu& menu)
{
    connect(&menu, &QMenu::aboutToShow, this, [this, &menu] { fill(menu); });
}

void RecentFiles::fill(QMenu& menu) const
{
    menu.clear();
    for (const QString& path : m_preferences.windowValue(kKey).toStringList())
        connect(menu.addAction(shortPath(path).replace(QLatin1Char('&'), QStringLiteral("&&"))), &QAction::triggered,
                this, [this, path] { m_open(path); });
    if (menu.isEmpty())
        menu.addAction(tr("No files yet"))->setEnabled(false);
}

} // namespace ringside
