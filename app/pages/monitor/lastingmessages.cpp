// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/monitor/lastingmessages.h"

#include "app/pages/monitor/monitormessages.h"

#include <utility>

namespace ringside {

void LastingMessages::showContact(const std::optional<SiteStatus>& lost)
{
    const auto now =
        lost ? std::pair(lost->name, lost->contact == SiteStatus::Contact::refused) : std::pair(std::string(), false);
    if (lost && m_lostSite != now)
        Q_EMIT shown(lossMessage(
            *lost, [this, name = lost->name] { Q_EMIT contactWanted(name); },
            [this, name = lost->name] { Q_EMIT siteWanted(name); }));
    else if (!lost)
        Q_EMIT dropped(kLossTopic);
    m_lostSite = now;
}

void LastingMessages::showTrial(const store::RunRow& run)
{
    const auto now = run.kind == RunKind::trial ? std::optional(std::pair(run.id, isFinal(run.state))) : std::nullopt;
    if (std::exchange(m_shownTrial, now) == now)
        return;
    if (now)
        Q_EMIT shown(trialMessage(run, [this] { Q_EMIT editorWanted(); }));
    else
        Q_EMIT dropped(kTrialTopic);
}

void LastingMessages::forget()
{
    m_lostSite = {};
    m_shownTrial.reset();
    Q_EMIT dropped(kLossTopic);
    Q_EMIT dropped(kTrialTopic);
}

} // namespace ringside
