// SPDX-License-Identifier: MIT
#include "core/store/migrate.h"

#include "core/base/descriptor.h"
#include "core/store/guard.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ringside::store {

namespace {

int schemaOf(SQLite::Database& db)
{
    return db.execAndGet("PRAGMA user_version").getInt();
}

/// An empty file, which VACUUM INTO fills, that those may read who may read the store, from the first moment.
Result<void> createLike(const fs::path& store, const fs::path& copy)
{
    struct stat info;
    if (::stat(store.c_str(), &info) != 0)
        return tl::unexpected(systemError(Words::noop("cannot open"), store, errno));
    const Descriptor file(::open(copy.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (file.get() < 0 || ::fchmod(file.get(), info.st_mode & 0777) != 0)
        return tl::unexpected(systemError(Words::noop("cannot create"), copy, errno));
    return {};
}

Result<void> copyAside(SQLite::Database& db, const fs::path& store, const fs::path& copy)
{
    if (::unlink(copy.c_str()) != 0 && errno != ENOENT) // of a migration that failed: VACUUM INTO wants a new file
        return tl::unexpected(systemError(Words::noop("cannot remove"), copy, errno));
    TRY(createLike(store, copy));
    const auto copied = guarded(copy, [&] {
        SQLite::Statement vacuum(db, "VACUUM INTO ?");
        vacuum.bind(1, copy.string());
        vacuum.exec();
    });
    if (!copied)
        ::unlink(copy.c_str()); // a part of it would pass for a copy
    return copied;
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
            TRY(copyAside(db, store, migrationCopy(store, from)));
        SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
        for (const char* step : steps.subspan(static_cast<std::size_t>(from)))
            db.exec(step);
        db.exec(fmt::format("PRAGMA user_version = {}", steps.size()));
        transaction.commit();
        return {};
    });
}

} // namespace ringside::store
