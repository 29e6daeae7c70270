// SPDX-License-Identifier: MIT
// The database file of a store: open it, know whose it is. Tables: STORE.md.
#pragma once

#include "core/base/files.h"
#include "core/base/ids.h"
#include "core/store/writerlock.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace SQLite {
class Database;
}

namespace ringside::store {

class KeptStatements;

/// One connection. Used from one thread at a time; every thread opens its own. All functions block for a disk.
/// Every change fails with io once the file is no longer at its place.
class Database
{
public:
    /// Makes the file (mode 0600) if it is missing, takes the writer lock, migrates. Refuses, without touching it, a
    /// file that is damaged, foreign or of a newer version, and a network file system. ErrorCode::busy names another
    /// writer.
    static Result<Database> openForWriting(const fs::path& named);
    /// Beside any writer. Never changes the file; a store of an older schema (damaged) has to be opened for writing
    /// first.
    static Result<Database> openForReading(const fs::path& named);

    Database(Database&&) noexcept;
    Database& operator=(Database&&) noexcept;
    ~Database();

    /// The file itself, where it was opened by a link.
    const fs::path& path() const;
    /// Made with the file; every campaign carries it.
    const StoreId& id() const;
    bool isWritable() const;
    /// From now on every change by this connection is refused.
    void stopWriting();

    /// True if what was written since it was opened cannot be seen: it reads the file as it stood, because nothing may
    /// be made beside it. Open it again.
    bool isOutdated() const;

    /// For a connection that only reads: the time (wall clock, ns) of the last write if no writer lives now, so that
    /// what is not final cannot be known since then. nullopt while a writer lives.
    std::optional<std::int64_t> withoutWriterSince() const;

    /// For this folder and for tests only.
    SQLite::Database& handle() const;
    KeptStatements& statements() const;

private:
    struct Parts;
    explicit Database(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> m_parts;
};

/// True if `file` is the database's own file, its log or the log's index, under whatever name. A program that has the
/// database open must never open these by plain calls: closing one drops the locks that it has on it.
bool isFileOf(const fs::path& store, const fs::path& file);

} // namespace ringside::store
