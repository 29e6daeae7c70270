// SPDX-License-Identifier: GPL-3.0-or-later
// What the conductor has told of sites since the window was opened: contact, the latest connection test, what was found
// there. Pages that are made later find it here. GUI thread.
#pragma once

#include "app/widgets/logview.h"

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

    explicit SiteStates(QtSink& live, QObject* parent = nullptr);

    /// Contact::never for a site of which nothing was heard.
    SiteStatus statusOf(const QString& site) const;
    /// Of all of which something was heard, by name.
    std::map<std::string, SiteStatus> statuses() const;
    /// Of the latest test, and what other conversations have told since; what is not there was not tried. While contact
    /// is lost, what the line that is gone had shown counts as not tried, until the present try shows it, or contact is
    /// there again.
    Steps stepsOf(const QString& site) const;
    /// Whether the user has had it tested.
    bool wasTested(const QString& site) const;
    /// In the order in which they are to be read; empty without a probe.
    std::vector<SiteFact> factsOf(const QString& site) const;
    /// What the latest build of a worker there has printed, as far as this window heard it: its newest lines.
    QStringList buildLogOf(const QString& site) const;
    /// One of these that had contact and has none; nullopt if there is no such.
    std::optional<SiteStatus> firstLost(const std::set<std::string>& sites) const;
    /// Another database: nothing is known.
    void forgetAll();
    /// The user's new test begins: of the last one stays what a line that stands has shown.
    void beginTest(const QString& site);
    /// One that joined a conversation under way was told only what came after: the rest is as it was before.
    void endTest(const QString& site);

Q_SIGNALS:
    void changed(const QString& site);
    /// Empty `lines`: another build begins.
    void buildLogGrew(const QString& site, const QStringList& lines);

private:
    struct State
    {
        SiteStatus status;
        bool isLost = false; ///< and not found again: each try says “connecting”
        bool wasTested = false;
        Steps steps;
        Steps before;                        ///< what a test that is under way has put aside
        std::set<SiteStep::Kind> shownSince; ///< the latest try to connect began
        std::vector<SiteFact> facts;
        LogLines unfinished; ///< line of the build's log
        QStringList buildLog;
    };
    void takeLog(State& state, const SiteStep& step);
    State& stateOf(const std::string& site);
    const State* find(const QString& site) const;

    std::map<std::string, State> m_states;
};

} // namespace ringside
