// SPDX-License-Identifier: GPL-3.0-or-later
// Monitor's messages above its runs.
#pragma once

#include "app/pages/monitor/runmodel.h"
#include "app/widgets/messagebar.h"

#include "core/conductor/sink.h"
#include "core/store/rows.h"

#include <map>
#include <string>

namespace ringside {

/// Topics of what holds for a while (app/widgets/messagebar.h).
inline const QString kTrialTopic = QStringLiteral("trial");
inline const QString kLossTopic = QStringLiteral("loss of contact");
inline const QString kRankTopic = QStringLiteral("late rank");        ///< of the run that is shown
inline const QString kRefusalTopic = QStringLiteral("refused order"); ///< until another one is carried out

/// A trial is no part of its experiment's runs: what it is, what came of it, and the way back.
Message trialMessage(const store::RunRow& trial, std::function<void()> goBack);

/// Returns why it does not run yet, in the words of its site, which name the job; empty if it does, or no reason is
/// known.
QString waitText(const store::RunRow& run);

/// A site that carries out runs is out of contact, or refused for its host key.
Message lossMessage(const SiteStatus& site, std::function<void()> reconnect, std::function<void()> showSite);

/// An order that was not carried out. That there is nothing left to carry it out on is no failure.
Message refusalMessage(const Error& error);

/// "alder · job 4711: Waits for free nodes.": of what runs, the run that is `shown` first, else of what comes next.
/// There is at least one run.
QString contextLine(const RunModel& model, const std::map<CampaignId, std::string>& jobs, const RunId& shown);

} // namespace ringside
