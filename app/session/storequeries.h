// SPDX-License-Identifier: GPL-3.0-or-later
// Asks the store off the GUI thread: one thread with its own read-only connection, answers delivered in the GUI thread.
//
//     m_queries.ask(m_tracker, [name](const store::Database& db, std::stop_token) { return store::measuredRuns(db,
//     name); },
//                   [this](Result<std::vector<store::MeasuredRun>> runs) { … });
#pragma once

#include "app/session/background.h"

#include "core/store/queries.h"

#include <QObject>
#include <optional>

namespace ringside {

class StoreQueries : public QObject
{
    Q_OBJECT
public:
    StoreQueries();

    /// Later questions go to this database. Questions asked before any database is there, and those that were not
    /// answered when it was closed, fail with ErrorCode::unavailable.
    void open(const fs::path& store);
    void close();

    /// `query(const store::Database&, std::stop_token)` returns Result<T> and runs on the query thread;
    /// `deliver(Result<T>)` runs in the GUI thread unless `tracker` began something newer or is gone. Both must be
    /// copyable.
    template <class Query, class Deliver> void ask(JobTracker& tracker, Query query, Deliver deliver)
    {
        runLatest(m_thread, tracker, this, answering(query), unlessClosed(deliver));
    }

    /// The same for a question that news repeat: see runRepeatedly().
    template <class Query, class Deliver> void askRepeatedly(JobTracker& tracker, Query query, Deliver deliver)
    {
        runRepeatedly(m_thread, tracker, this, answering(query), unlessClosed(deliver));
    }

Q_SIGNALS:
    /// The database of the last open() can be asked.
    void opened();
    /// It cannot, and why.
    void failed(const ringside::Error& error);

private:
    template <class Query> auto answering(Query query)
    {
        using Reply = std::invoke_result_t<Query, const store::Database&, std::stop_token>;
        return [this, query](const std::stop_token& token) {
            const auto database = current();
            return database ? query(**database, token) : Reply(tl::unexpected(database.error()));
        };
    }

    /// A database that was closed meanwhile does not answer for the next one.
    template <class Deliver> auto unlessClosed(Deliver deliver)
    {
        return [this, deliver, era = m_era](auto reply) {
            if (era != m_era)
                reply = tl::unexpected(nothingOpen());
            deliver(std::move(reply));
        };
    }

    static Error nothingOpen();
    /// On the query thread: opened again where it could not see what was written since.
    Result<const store::Database*> current();

    int m_era = 0;                             ///< GUI thread only
    std::optional<store::Database> m_database; // query thread only
    Error m_whyClosed;                         // query thread only
    TaskThread m_thread;                       // last: it uses the rest
};

} // namespace ringside
