// SPDX-License-Identifier: MIT
#include "core/store/migrate.h"

#include "core/store/guard.h"

#include <sys/stat.h>

namespace ringside::store {

namespace {

int schemaOf(SQLite::Database& db)
{
    return db.execAndGet("PRAGMA user_version").getInt();
}

void copyAside(SQLite::Database& db, const fs::path& copy)
{
    fs::remove(copy); // of a migration that failed: VACUUM INTO wants a new file
    SQLite::Statement vacuum(db, "VACUUM INTO ?");
    vacuum.bind(1, copy.string());
    vacuum.exec();
    ::chmod(copy.c_str(), 0600);
}

} // namespace

fs::path migrationCopy(const fs::path& store, int from)
{
    return store.string() + ".schema-" + std::to_string(from);
}

Result<void> migrate(SQLite::Database& db, const fs::path& store, std::span<const char* const> steps)
{
    return guarded(store, [&] {
        const int from = schemaOf(db);
        if (from >= static_cast<int>(steps.size()))
            return;
        if (from > 0)
            copyAside(db, migrationCopy(store, from));
        SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
        for (const char* step : steps.subspan(static_cast<std::size_t>(from)))
            db.exec(step);
        db.exec(fmt::format("PRAGMA user_version = {}", steps.size()));
        transaction.commit();
    });
}

} // namespace ringside::store
