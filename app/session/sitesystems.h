// SPDX-License-Identifier: GPL-3.0-or-later
// The systems that a site has installed, as it answers; for a page that shows one site at a time. GUI thread; nothing
// here waits.
#pragma once

#include "core/protocol/installedengine.h"

#include <QObject>
#include <QString>
#include <map>

namespace ringside {

class Session;

class SiteSystems : public QObject
{
    Q_OBJECT
public:
    explicit SiteSystems(Session& session);

    /// Asks this site now, or as soon as there is contact with it, and again with each new contact. Empty: none.
    void follow(const QString& site);
    const QString& followed() const { return m_site; }
    void ask();
    /// True if the followed site can be asked: this computer answers at once; elsewhere a list is not worth a sign-in.
    bool isReachable() const;
    /// False in a window that only reads its database: there nothing is asked, so nothing new is known.
    bool mayAsk() const;

    /// The latest answer of a site; nullptr: there is none.
    const InstalledEngines* find(const QString& site) const;
    /// A system was removed there.
    void remove(const QString& site, const std::string& system);
    void forget(const QString& site) { m_installed.erase(site); }

Q_SIGNALS:
    /// The followed site has answered otherwise than before, or contact with it began or ended.
    void changed();

private:
    void take(const QString& site, const InstalledEngines& installed);
    void refresh();

    Session& m_session;
    QString m_site;
    bool m_wasReachable = false;
    std::map<QString, InstalledEngines> m_installed; ///< of the sites that have answered
};

} // namespace ringside
