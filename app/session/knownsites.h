// SPDX-License-Identifier: GPL-3.0-or-later
// Stores the results of each site's latest test, and the facts found there, between starts. GUI thread.
#pragma once

#include "app/session/sitestates.h"

#include <QTimer>

namespace ringside {

class Preferences;

class KnownSites : public QObject
{
public:
    /// Restores the knowledge of the start before in `states`, and saves new results, some seconds later or in the
    /// destructor. Both outlive this.
    KnownSites(SiteStates& states, Preferences& preferences);
    ~KnownSites() override;

private:
    void save();

    SiteStates& m_states;
    Preferences& m_preferences;
    std::set<QString> m_changed;
    QTimer m_soon;
};

} // namespace ringside
