// SPDX-License-Identifier: MIT
#include "core/store/flagreasons.h"

#include "core/base/sequences.h"
#include "core/store/statements.h"

namespace ringside::store {

Result<std::vector<FlagReason>> flagReasons(const Database& db, const RunId& run, int attempt)
{
    const auto read = [](SQLite::Statement& row, FlagReason& reason) {
        readRow(row, reason.flag, reason.code, reason.rank, reason.host, reason.after, reason.value, reason.usual,
                reason.limit, reason.ranksPerProcess);
    };
    static const std::string kReasons =
        std::string("SELECT f.flag, f.code, f.rank, f.host, f.is_after, f.value, f.usual, f.value_limit,") +
        kRanksPerProcess + R"sql(
        FROM flag_reasons f JOIN attempts a ON a.id = f.attempt JOIN runs r ON r.number = a.run
        JOIN configurations s ON s.key = r.configuration
        WHERE r.id = ? AND a.attempt = ? ORDER BY f.number)sql";
    return rowsOf<FlagReason>(db, read, kReasons, run, attempt);
}

void writeReasons(SQLite::Database& db, std::int64_t attempt, const std::vector<FlagReason>& reasons)
{
    execute(db, "DELETE FROM flag_reasons WHERE attempt = ?", attempt);
    Insert insert(db, "INSERT INTO flag_reasons VALUES (?, ?, ?, ?, ?, nullif(?, ''), ?, ?, ?, ?)");
    int number = 0;
    for (const FlagReason& reason : reasons)
        insert(attempt, number++, reason.flag, reason.code, reason.rank, reason.host, reason.after, reason.value,
               reason.usual, reason.limit);
}

std::string flagsJson(const std::vector<FlagReason>& reasons)
{
    std::vector<std::string> flags;
    for (const FlagReason& reason : reasons)
        if (!contains(flags, reason.flag))
            flags.push_back(reason.flag);
    return nlohmann::json(flags).dump();
}

} // namespace ringside::store
