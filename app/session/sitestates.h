// SPDX-License-Identifier: GPL-3.0-or-later
// The conductor's reports about sites: contact since the window was opened; the latest connection test and facts found
// there also of earlier starts (KnownSites). Pages that are made later find them here. GUI thread.
#pragma once

#include "app/text/loglines.h"

#include "core/conductor/sink.h"

#include <QObject>
#include <QString>
#include <QStringList>
#include <map>
#include <optional>
#include <set>

namespace ringside {

class QtSink;

class SiteStates : public QObject
{
    Q_OBJECT
public:
    using Steps = std::map<SiteStep::Kind, SiteStep>;

    struct SeenStep
    {
        SiteStep step;
        std::int64_t at = 0; ///< wall clock, ns
    };
    /// Knowledge of a site that stays valid, as far as is known, after the program has ended.
    struct Known
    {
        std::map<SiteStep::Kind, SeenStep> steps;
        std::vector<SiteFact> facts;
        std::int64_t factsAt = 0; ///< wall clock, ns
    };

    explicit SiteStates(QtSink& live);

    /// Restores an earlier start's knowledge of a site; ignored where something is known already, as in a second window
    /// of the same start. No signal.
    void restore(const QString& site, Known known);
    Known knownOf(const QString& site) const;
    /// The site's description has changed: earlier results are about another site. The latest contact stays.
    void forgetKnown(const QString& site);
    /// The site was removed, with all its reports. Those of a line that is still there are dropped until lineEnded().
    void forget(const QString& site);
    /// From now on reports are about another site of this name.
    void lineEnded(const QString& site);
    /// Returns when the oldest of its steps was seen or its facts were found, if that was in an earlier start (wall
    /// clock, ns); 0: in this one, or there are none.
    std::int64_t stepsAsOf(const QString& site) const;
    std::int64_t factsAsOf(const QString& site) const;

    /// Contact::never for a site without reports.
    SiteStatus statusOf(const QString& site) const;
    /// All sites with reports, by name.
    std::map<std::string, SiteStatus> statuses() const;
    /// Steps of the latest test, and later ones of other conversations; missing ones were not tried. While contact is
    /// lost, steps of the lost connection count as not tried, until the present try shows them, or contact is there
    /// again.
    Steps stepsOf(const QString& site) const;
    /// True if there was contact since the window was opened.
    bool wasReached(const QString& site) const;
    /// True if the user has had it tested.
    bool wasTested(const QString& site) const;
    /// In the order in which they are to be read; empty without a probe.
    std::vector<SiteFact> factsOf(const QString& site) const;
    /// The newest lines of the latest build of a worker there, as far as this window received them.
    QStringList buildLogOf(const QString& site) const;
    /// One of these that had contact and has none; nullopt if there is no such.
    std::optional<SiteStatus> firstLost(const std::set<std::string>& sites) const;
    /// Another database: no reports yet. Knowledge of the sites themselves stays.
    void forgetAll();
    /// The user's new test begins: of the last one stay the steps of a connection that stands.
    void beginTest(const QString& site);
    /// A test that joined a conversation under way received only the later steps, one that could not begin none at all:
    /// the rest is as it was before.
    void endTest(const QString& site);

Q_SIGNALS:
    void changed(const QString& site);
    void forgotten(const QString& site);
    /// A site of this name is another one than that of which something is known.
    void knownForgotten(const QString& site);
    /// Empty `lines`: another build begins.
    void buildLogGrew(const QString& site, const QStringList& lines);

private:
    struct State
    {
        SiteStatus status;
        bool isLost = false; ///< and not found again: each try says “connecting”
        bool wasReached = false;
        bool wasTested = false;
        Known known;
        std::map<SiteStep::Kind, SeenStep> before; ///< what a test that is under way has put aside
        bool hasBegun = false;                     ///< that test has shown a step
        std::set<SiteStep::Kind> shownSince;       ///< the latest try to connect began
        LogLines unfinished;                       ///< line of the build's log
        QStringList buildLog;
    };
    void takeLog(State& state, const SiteStep& step);
    State& stateOf(const std::string& site);
    const State* find(const QString& site) const;
    std::int64_t ifEarlier(std::int64_t at) const { return at < m_startedAt ? at : 0; }

    const std::int64_t m_startedAt; ///< wall clock, ns
    std::map<std::string, State> m_states;
    std::set<std::string> m_removed; ///< sites whose lines have not ended
};

} // namespace ringside
