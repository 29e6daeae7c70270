// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/monitor/logfollower.h"

#include "app/pages/monitor/logcard.h"
#include "app/text/text.h"
#include "app/widgets/corewords.h"
#include "app/widgets/numbers.h"

namespace ringside {

LogFollower::LogFollower(Session& session, LogCard& card)
    : m_session(session)
    , m_card(card)
{
    connect(&session.sites(), &SiteStates::changed, this, [this](const QString& site) {
        if (site == toQt(m_run.site))
            explain();
    });
}

/// A log may be gone from its site; everything else of the run is stored.
void LogFollower::follow(const store::RunRow& run)
{
    m_run = run;
    m_sent.reset();
    explain();
    if (run.id.empty() || m_session.access() != Session::Access::writing)
        return;
    m_session.request(this, calling(&Conductor::followLog, run.id), [this, id = run.id](const Result<void>& result) {
        if (id != m_run.id)
            return;
        m_sent = result;
        m_card.setCaughtUp();
        explain();
    });
}

void LogFollower::update(const store::RunRow& run)
{
    m_run = run;
    explain();
}

void LogFollower::explain()
{
    if (m_session.access() == Session::Access::reading)
        m_card.say(tr("This database can only be read here; the program that writes it shows the logs."));
    else if (m_run.attempt > 0 && m_session.sites().firstLost({m_run.site}))
        m_card.say(tr("The log of run %1 is on %2, and cannot be read without contact.")
                       .arg(Numbers::count(m_run.number), siteInSentence(m_run.site)));
    else
        m_card.say(m_sent ? LogCard::whyEmpty(m_run, *m_sent) : QString());
}

} // namespace ringside
