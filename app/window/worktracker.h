// SPDX-License-Identifier: GPL-3.0-or-later
// Follows what runs in the open database: how much, and when an experiment ends or a run fails. GUI thread.
#pragma once

#include "app/session/session.h"

#include <QObject>
#include <map>
#include <set>

namespace ringside {

class WorkTracker : public QObject
{
    Q_OBJECT
public:
    explicit WorkTracker(Session& session);

    /// Experiments that have runs to do, running or waiting: their runs together.
    const store::RunCounts& unfinished() const { return m_unfinished; }
    /// True if a trial, which no experiment counts, was reported to be under way.
    bool isTrying() const { return !m_trials.empty(); }

Q_SIGNALS:
    void changed();
    /// The last run of this experiment ended while the window was open.
    void experimentEnded(const ringside::store::ExperimentRow& experiment);
    /// Runs that failed since the last tick.
    void runsFailed(const std::vector<ringside::store::RunRow>& runs);

private:
    void forget();
    void takeExperiments();
    void lookForFailures(const std::vector<store::RunRow>& rows);
    void lookForTrials(const std::vector<store::RunRow>& rows);

    Session& m_session;
    std::set<std::string> m_busy;          ///< experiments that have runs to do
    std::map<RunId, int> m_failedAttempts; ///< announced already
    std::set<RunId> m_trials;              ///< that have not ended
    store::RunCounts m_unfinished;
};

/// "1 running · 8 queued", "8 queued", "1 without contact"; empty if there is nothing to do.
QString workText(const store::RunCounts& runs);

} // namespace ringside
