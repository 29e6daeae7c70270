// SPDX-License-Identifier: MIT
#include "core/store/flagreasons.h"

#include "core/store/guard.h"
#include "core/store/statements.h"

#include <algorithm>

namespace ringside::store {

namespace {

template <class Value> void bindIf(SQLite::Statement& statement, int index, const std::optional<Value>& value)
{
    if (value)
        statement.bind(index, *value);
    else
        statement.bind(index);
}

std::optional<double> realOrNull(const SQLite::Column& column)
{
    return column.isNull() ? std::nullopt : std::optional(column.getDouble());
}

FlagReason readReason(SQLite::Statement& row)
{
    FlagReason reason{row.getColumn(0).getString(), row.getColumn(1).getString()};
    if (!row.isColumnNull(2))
        reason.rank = row.getColumn(2).getInt();
    reason.host = row.getColumn(3).getString();
    if (!row.isColumnNull(4))
        reason.after = row.getColumn(4).getInt() != 0;
    reason.value = realOrNull(row.getColumn(5));
    reason.usual = realOrNull(row.getColumn(6));
    reason.limit = realOrNull(row.getColumn(7));
    return reason;
}

} // namespace

Result<std::vector<FlagReason>> flagReasons(const Database& db, const RunId& run, int attempt)
{
    return guarded(db.path(), [&] {
        std::vector<FlagReason> reasons;
        const auto id = attemptId(db.handle(), run, attempt);
        if (!id)
            return reasons;
        auto query = prepare(db.handle(),
                             "SELECT flag, code, rank, coalesce(host, ''), is_after, value, usual, value_limit "
                             "FROM flag_reasons WHERE attempt = ? ORDER BY number",
                             *id);
        while (query.executeStep())
            reasons.push_back(readReason(query));
        return reasons;
    });
}

void writeReasons(SQLite::Database& db, std::int64_t attempt, const std::vector<FlagReason>& reasons)
{
    execute(db, "DELETE FROM flag_reasons WHERE attempt = ?", attempt);
    SQLite::Statement insert(db, "INSERT INTO flag_reasons VALUES (?, ?, ?, ?, ?, nullif(?, ''), ?, ?, ?, ?)");
    int number = 0;
    for (const FlagReason& reason : reasons) {
        insert.bind(1, attempt);
        insert.bind(2, number++);
        insert.bind(3, reason.flag);
        insert.bind(4, reason.code);
        bindIf(insert, 5, reason.rank);
        insert.bind(6, reason.host);
        bindIf(insert, 7, reason.after ? std::optional<int>(*reason.after) : std::nullopt);
        bindIf(insert, 8, reason.value);
        bindIf(insert, 9, reason.usual);
        bindIf(insert, 10, reason.limit);
        insert.exec();
        insert.reset();
    }
}

std::string flagsJson(const std::vector<FlagReason>& reasons)
{
    std::vector<std::string> flags;
    for (const FlagReason& reason : reasons)
        if (std::ranges::find(flags, reason.flag) == flags.end())
            flags.push_back(reason.flag);
    return nlohmann::json(flags).dump();
}

} // namespace ringside::store
