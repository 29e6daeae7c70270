// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps over starts what the latest test of each site has shown and what was found there. GUI thread.
#pragma once

#include "app/session/sitestates.h"

#include <QTimer>

namespace ringside {

class Preferences;

class KnownSites : public QObject
{
public:
    /// Tells `states` what the start before knew, and keeps what they come to know, some seconds later or at its own
    /// end. Both outlive this.
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
