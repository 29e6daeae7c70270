// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/sites/busysites.h"

#include "app/session/session.h"

#include "core/store/queries.h"

#include <algorithm>

namespace ringside {

namespace {

Result<std::vector<store::CampaignRow>> unfinished(const store::Database& db, const std::stop_token&)
{
    return store::campaigns(db, true);
}

} // namespace

BusySites::BusySites(Session& session)
    : m_session(session)
{
    connect(&session.live(), &QtSink::runsUpdated, this, &BusySites::follow);
    connect(&session.live(), &QtSink::runsOutdated, this, &BusySites::refresh);
}

std::set<std::string> BusySites::experimentsAt(const std::string& site) const
{
    const auto found = m_experimentsBySite.find(site);
    return found == m_experimentsBySite.end() ? std::set<std::string>() : found->second;
}

void BusySites::refresh()
{
    m_session.queries().askRepeatedly(m_news, unfinished, [this](const Result<Campaigns>& found) { take(found); });
}

void BusySites::askNow(const std::function<void(const Result<void>&)>& then)
{
    m_session.queries().ask(m_now, unfinished, [this, then](const Result<Campaigns>& found) {
        take(found);
        then(found ? Result<void>() : tl::unexpected(found.error()));
    });
}

/// A run that goes on says nothing new, and the end of a campaign outdates its runs.
void BusySites::follow(const std::vector<store::RunRow>& rows)
{
    const auto isNews = [this](const store::RunRow& row) { return !isFinal(row.state) && !contains(row.site); };
    if (std::ranges::any_of(rows, isNews))
        refresh();
}

/// The store may not be readable for a moment, which says nothing of the sites.
void BusySites::take(const Result<Campaigns>& campaigns)
{
    if (!campaigns)
        return;
    m_experimentsBySite.clear();
    for (const store::CampaignRow& campaign : *campaigns)
        m_experimentsBySite[campaign.site].insert(campaign.experiment);
}

} // namespace ringside
