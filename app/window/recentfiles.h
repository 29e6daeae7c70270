// SPDX-License-Identifier: GPL-3.0-or-later
// File ▸ Open recent: the last experiment files, stored in the preferences.
#pragma once

#include <QObject>
#include <functional>

class QMenu;

namespace ringside {

class Preferences;

class RecentFiles : public QObject
{
    Q_OBJECT
public:
    using Open = std::function<void(const QString& path)>;

    RecentFiles(Preferences& preferences, Open open);
    void add(const QString& path);
    /// Fills `menu` each time before it is shown.
    void attach(QMenu& menu);

private:
    void fill(QMenu& menu) const;

    Preferences& m_preferences;
    Open m_open;
};

} // namespace ringside
