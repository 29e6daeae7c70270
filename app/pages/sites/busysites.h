// SPDX-License-Identifier: GPL-3.0-or-later
// The sites where campaigns have not ended, kept up to date by what the session reports. GUI thread.
#pragma once

#include "app/session/jobtracker.h"

#include "core/base/error.h"
#include "core/store/rows.h"

#include <QObject>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ringside {

class Session;

class BusySites : public QObject
{
public:
    /// `session` outlives this.
    explicit BusySites(Session& session);

    bool contains(const std::string& site) const { return m_experimentsBySite.contains(site); }
    /// The experiments whose campaigns these are, in the order of their names.
    std::set<std::string> experimentsAt(const std::string& site) const;
    /// Asks the store again, of whose changes by another program there is no signal.
    void refresh();
    /// The same, and calls `then` once that holds now, or with the reason why it is not known, unless this is called
    /// again before.
    void askNow(const std::function<void(const Result<void>&)>& then);

private:
    using Campaigns = std::vector<store::CampaignRow>;

    void follow(const std::vector<store::RunRow>& rows);
    void take(const Result<Campaigns>& campaigns);

    Session& m_session;
    std::map<std::string, std::set<std::string>> m_experimentsBySite;
    JobTracker m_news, m_now; // last: they drop answers that come too late
};

} // namespace ringside
