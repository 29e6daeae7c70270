// SPDX-License-Identifier: MIT
#include "core/store/migrate.h"

#include "core/store/guard.h"

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

namespace ringside::store {

namespace {

int schemaOf(SQLite::Database& db)
{
    return db.execAndGet("PRAGMA user_version").getInt();
}

Result<void> copyAside(SQLite::Database& db, const fs::path& copy)
{
    if (::unlink(copy.c_str()) != 0 && errno != ENOENT) // of a migration that failed: VACUUM INTO wants a new file
        return tl::unexpected(systemError(Words::noop("cannot remove"), copy, errno));
    SQLite::Statement vacuum(db, "VACUUM INTO ?");
    vacuum.bind(1, copy.string());
    vacuum.exec();
    ::chmod(copy.c_str(), 0600);
    return {};
}

} // namespace

fs::path migrationCopy(const fs::path& store, int from)
{
    return store.string() + ".schema-" + std::to_string(from);
}

Result<void> migrate(SQLite::Database& db, const fs::path& store, std::span<const char* const> steps)
{
    return guarded(store, [&]() -> Result<void> {
        const int from = schemaOf(db);
        if (from >= static_cast<int>(steps.size()))
            return {};
        if (from > 0)
            TRY(copyAside(db, migrationCopy(store, from)));
        SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
        for (const char* step : steps.subspan(static_cast<std::size_t>(from)))
            db.exec(step);
        db.exec(fmt::format("PRAGMA user_version = {}", steps.size()));
        transaction.commit();
        return {};
    });
}

} // namespace ringside::store
