// SPDX-License-Identifier: MIT
// Inside core/store: statements that are asked again and again. SQLite takes longer to read a long one than to answer
// it for a few rows.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <memory>
#include <string>
#include <unordered_map>

namespace ringside::store {

/// One connection's, used on its thread, and ended before it. Stores one statement of each text, for ever: only for
/// texts of which there are a few.
class KeptStatements
{
    using Place = std::unique_ptr<SQLite::Statement>;

public:
    struct GiveBack
    {
        Place* place = nullptr;
        void operator()(SQLite::Statement* statement) const;
    };
    /// Its taker's alone, without bindings, until this ends; then it has read to its end, for SQLite, too.
    using Taken = std::unique_ptr<SQLite::Statement, GiveBack>;

    explicit KeptStatements(SQLite::Database& db)
        : m_db(db)
    {
    }

    /// While one of the same text is in use, it is another one. Throws what SQLiteCpp throws.
    Taken take(const std::string& sql);

private:
    SQLite::Database& m_db;
    std::unordered_map<std::string, Place> m_places; ///< empty while it is in use
};

} // namespace ringside::store
