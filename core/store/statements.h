// SPDX-License-Identifier: MIT
// Inside core/store: small steps between rows and values.
#pragma once

#include "core/protocol/settings.h"
#include "core/protocol/states.h"
#include "core/store/rows.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace ringside::store {

/// A statement with its parameters bound in order.
template <class... Values>
SQLite::Statement prepare(SQLite::Database& db, const std::string& sql, const Values&... values)
{
    SQLite::Statement statement(db, sql);
    int index = 0;
    (statement.bind(++index, values), ...);
    return statement;
}

/// Runs a statement that gives no rows; the number of rows it changed.
template <class... Values> int execute(SQLite::Database& db, const std::string& sql, const Values&... values)
{
    return prepare(db, sql, values...).exec();
}

/// Ids and names as SQLite stores them.
inline std::string sqlText(std::string_view text)
{
    return std::string(text);
}

/// What the store itself wrote: an unreadable value is empty rather than an error, so that one row cannot hide others.
template <class IdType> IdType storedId(const std::string& text)
{
    return IdType::parse(text).value_or(IdType());
}

inline Settings storedSettings(const std::string& text)
{
    return settingsFromJson(nlohmann::json::parse(text, nullptr, false)).value_or(Settings());
}

inline std::vector<std::string> storedFlags(const std::string& text)
{
    const auto json = nlohmann::json::parse(text, nullptr, false);
    std::vector<std::string> flags;
    for (const auto& flag : json)
        if (flag.is_string())
            flags.push_back(flag);
    return flags;
}

/// The attempt's id; nullopt: the store does not have it.
inline std::optional<std::int64_t> attemptId(SQLite::Database& db, const RunId& run, int attempt)
{
    auto query =
        prepare(db, "SELECT a.id FROM attempts a JOIN runs r ON r.number = a.run WHERE r.id = ? AND a.attempt = ?",
                run.str(), attempt);
    return query.executeStep() ? std::optional<std::int64_t>(query.getColumn(0).getInt64()) : std::nullopt;
}

/// Of a campaign `c`: it is to be submitted by hand, and nothing of it has begun as far as is known.
inline constexpr const char* kWaitsForHand =
    "(c.scheduler GLOB '*_by_hand' AND NOT EXISTS (SELECT 1 FROM runs h WHERE h.campaign = c.id AND h.state IN "
    "('starting', 'running', 'done', 'failed')))";

} // namespace ringside::store
