// SPDX-License-Identifier: GPL-3.0-or-later
// Lasting messages of Monitor's message bar, each shown once: a site out of contact, and the outcome of a trial. GUI
// thread.
#pragma once

#include "app/widgets/messagebar.h"

#include "core/conductor/sink.h"
#include "core/store/rows.h"

#include <QObject>
#include <optional>
#include <string>
#include <utility>

namespace ringside {

class LastingMessages : public QObject
{
    Q_OBJECT
public:
    /// Shows that the site that carries out something of the experiment is out of contact; nullopt: none is.
    void showContact(const std::optional<SiteStatus>& lost);
    /// Shows a trial, which is no part of the experiment's runs: its purpose, its outcome, and the way back. For
    /// another run there is no message.
    void showTrial(const store::RunRow& run);
    /// Another experiment is shown.
    void forget();

Q_SIGNALS:
    void shown(const ringside::Message& message);
    /// Messages on this topic no longer hold.
    void dropped(const QString& topic);
    void contactWanted(const std::string& site);
    void siteWanted(const std::string& site);
    void editorWanted();

private:
    std::pair<std::string, bool> m_lostSite; ///< the last lost site shown, and whether as refused; empty: none
    std::optional<std::pair<RunId, bool>> m_shownTrial; ///< and whether as ended
};

} // namespace ringside
