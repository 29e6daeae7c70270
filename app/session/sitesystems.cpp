// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/sitesystems.h"

#include "app/session/session.h"
#include "app/text/text.h"

#include <utility>

namespace ringside {

SiteSystems::SiteSystems(Session& session)
    : m_session(session)
{
    connect(&session, &Session::accessChanged, this, [this] {
        ask();
        Q_EMIT changed();
    });
    connect(&session.sites(), &SiteStates::changed, this, [this](const QString& site) {
        if (site == m_site)
            refresh();
    });
    connect(&session.sites(), &SiteStates::knownForgotten, this, [this](const QString& site) {
        if (m_installed.erase(site) > 0 && site == m_site)
            Q_EMIT changed();
    });
}

void SiteSystems::follow(const QString& site)
{
    m_site = site;
    m_wasReachable = isReachable();
    ask();
}

bool SiteSystems::isReachable() const
{
    return toUtf8(m_site) == spec::kLocalSite ||
           m_session.sites().statusOf(m_site).contact == SiteStatus::Contact::connected;
}

bool SiteSystems::mayAsk() const
{
    return m_session.access() == Session::Access::writing;
}

void SiteSystems::ask()
{
    if (!isReachable() || !mayAsk())
        return;
    m_session.request<InstalledEngines>(this, calling(&Conductor::listEngines, toUtf8(m_site)),
                                        [this, site = m_site](const Result<InstalledEngines>& installed) {
                                            if (installed)
                                                take(site, *installed);
                                        });
}

void SiteSystems::take(const QString& site, const InstalledEngines& installed)
{
    const auto [known, isNew] = m_installed.try_emplace(site, installed);
    const bool isOther = isNew || std::exchange(known->second, installed) != installed;
    if (isOther && site == m_site)
        Q_EMIT changed();
}

void SiteSystems::refresh()
{
    const bool was = std::exchange(m_wasReachable, isReachable());
    if (m_wasReachable && (!was || !find(m_site)))
        ask();
    if (m_wasReachable != was)
        Q_EMIT changed();
}

const InstalledEngines* SiteSystems::find(const QString& site) const
{
    const auto known = m_installed.find(site);
    return known == m_installed.end() ? nullptr : &known->second;
}

void SiteSystems::remove(const QString& site, const std::string& system)
{
    if (const auto known = m_installed.find(site); known != m_installed.end())
        known->second.erase(system);
}

} // namespace ringside
