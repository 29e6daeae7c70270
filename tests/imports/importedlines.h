// SPDX-License-Identifier: MIT
#pragma once

#include "core/store/database.h"
#include "core/store/imports.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <vector>

namespace ringside::test {

/// By rank and seq.
inline std::vector<store::ImportedLine> importedLines(const store::Database& db, const RunId& run)
{
    SQLite::Statement row(db.handle(), "SELECT l.rank, l.seq, l.line FROM import_lines l "
                                       "JOIN attempts a ON a.id = l.attempt JOIN runs r ON r.number = a.run "
                                       "WHERE r.id = ? ORDER BY l.rank, l.seq");
    row.bind(1, run.str());
    std::vector<store::ImportedLine> lines;
    while (row.executeStep())
        lines.push_back({row.getColumn(0).getInt(), row.getColumn(1).getUInt(),
                         static_cast<std::uint64_t>(row.getColumn(2).getInt64())});
    return lines;
}

} // namespace ringside::test
