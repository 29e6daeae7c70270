// SPDX-License-Identifier: MIT
// Parts of the store's changes. For this folder.
#pragma once

#include "core/store/edits.h"
#include "core/store/guard.h"

#include <cstdint>

namespace ringside::store {

/// The commits in its life are on disk when they return.
class Durably
{
public:
    explicit Durably(SQLite::Database& db)
        : m_db(db)
    {
        m_db.exec("PRAGMA synchronous = FULL");
    }
    ~Durably() { m_db.tryExec("PRAGMA synchronous = NORMAL"); }
    Durably(const Durably&) = delete;
    Durably& operator=(const Durably&) = delete;

private:
    SQLite::Database& m_db;
};

template <class Work> Result<void> inTransaction(Database& db, const Work& work)
{
    return inTransaction(db.handle(), db.path(), [&] { return work(db.handle()); });
}

/// On disk when it returns.
template <class Work> Result<void> inDurableTransaction(Database& db, const Work& work)
{
    return guarded(db.path(), [&] {
        const Durably durably(db.handle());
        return inTransaction(db, work);
    });
}

/// notFound if there is no such experiment.
Result<std::int64_t> experimentId(SQLite::Database& db, const std::string& name);
/// Within a transaction.
Result<void> saveIn(SQLite::Database& db, const ExperimentEdit& edit);
void addConfiguration(SQLite::Database& db, const std::string& key, const Settings& settings,
                      const AggregationPlan& plan);

} // namespace ringside::store
