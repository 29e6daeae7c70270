// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/storequeries.h"

#include "core/base/words.h"

namespace ringside {

Error StoreQueries::nothingOpen()
{
    return {ErrorCode::unavailable, Words::tr("No database is open."),
            Words::tr("Choose a database folder in Settings.")};
}

StoreQueries::StoreQueries()
    : m_whyClosed(nothingOpen())
    , m_thread("store-queries")
{
}

void StoreQueries::open(const fs::path& store)
{
    m_thread.post([this, store] {
        auto database = store::Database::openForReading(store);
        m_database.reset();
        if (database) {
            m_database.emplace(std::move(*database));
            QMetaObject::invokeMethod(this, &StoreQueries::opened, Qt::QueuedConnection);
            return;
        }
        m_whyClosed = database.error();
        QMetaObject::invokeMethod(
            this, [this, why = m_whyClosed] { Q_EMIT failed(why); }, Qt::QueuedConnection);
    });
}

void StoreQueries::close()
{
    ++m_era;
    m_thread.post([this] {
        m_database.reset();
        m_whyClosed = nothingOpen();
    });
}

Result<const store::Database*> StoreQueries::current()
{
    if (!m_database)
        return tl::unexpected(m_whyClosed);
    if (m_database->isOutdated()) {
        TRY_ASSIGN(store::Database again, store::Database::openForReading(m_database->path()));
        m_database.emplace(std::move(again));
    }
    return &*m_database;
}

} // namespace ringside
