// SPDX-License-Identifier: GPL-3.0-or-later
// What Monitor's message bar tells for as long as it holds, each once: that a site is out of contact, and what becomes
// of a trial. GUI thread.
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
    /// Of the site that carries out something of the experiment and is out of contact; nullopt: none is.
    void tellOfContact(const std::optional<SiteStatus>& lost);
    /// A trial is no part of the experiment's runs: what it is, what came of it, and the way back. Of another run there
    /// is nothing to tell.
    void tellOfTrial(const store::RunRow& run);
    /// Another experiment is shown.
    void forget();

Q_SIGNALS:
    void told(const ringside::Message& message);
    /// What was told of this topic no longer holds.
    void dropped(const QString& topic);
    void contactWanted(const std::string& site);
    void siteWanted(const std::string& site);
    void editorWanted();

private:
    std::pair<std::string, bool> m_lostSite;           ///< of whose loss was told, and whether as refused; empty: none
    std::optional<std::pair<RunId, bool>> m_toldTrial; ///< and whether as ended
};

} // namespace ringside
