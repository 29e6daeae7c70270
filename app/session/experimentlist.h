// SPDX-License-Identifier: GPL-3.0-or-later
// The experiments of the open database and their progress, for all views: queried once, updated by the rows of runs
// that arrive, queried again only when more changed than those say. GUI thread.
#pragma once

#include "app/session/jobtracker.h"

#include "core/store/overview.h"

#include <QObject>

namespace ringside {

class Session;

/// Returns whether lists to choose from offer it: neither archived experiments nor the calibrations of sites.
bool isOffered(const store::ExperimentRow& row);

class ExperimentList : public QObject
{
    Q_OBJECT
public:
    explicit ExperimentList(Session& session);

    /// By name; empty before the first answer.
    const std::vector<store::ExperimentRow>& rows() const { return m_overview.experiments; }
    bool isLoaded() const { return m_isLoaded; }
    /// Returns whether the experiment is among rows().
    bool holds(const QString& experiment) const;
    /// True if rows() shows whether there is such an experiment, or any if it is empty. Else an answer is awaited,
    /// after which changed() or failed() follows, or the last one failed.
    bool knows(const QString& experiment = {}) const;
    /// For a view that begins to show them: asks again where `experiment`, just made, is not known yet, where the last
    /// answer failed, and where another program writes, of which there is no signal.
    void visit(const QString& experiment = {});

Q_SIGNALS:
    void changed();
    void failed(const ringside::Error& error);

private:
    void followAccess();
    void refresh();
    void take(Result<store::ExperimentOverview> overview);
    void follow(const std::vector<store::RunRow>& runs);

    Session& m_session;
    store::ExperimentOverview m_overview;
    bool m_isLoaded = false;
    bool m_isCurrent = false;
    bool m_hasFailed = false; ///< the last answer
    int m_asked = 0;
    JobTracker m_question; // last: it drops answers that come too late
};

} // namespace ringside
