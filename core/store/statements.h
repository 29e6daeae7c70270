// SPDX-License-Identifier: MIT
// Inside core/store: small steps between rows and values.
#pragma once

#include "core/protocol/names.h"
#include "core/protocol/reason.h"
#include "core/protocol/settings.h"
#include "core/store/guard.h"
#include "core/store/rows.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

namespace ringside::store {

template <class T>
concept IsId = requires(const T& id)
{
    T::parse(id.str());
};

/// As SQLite stores it: ids, enumerators and reasons as text. NULL stands for what is absent and, as SQLite has it, for
/// NaN; a whole number that is too large counts as the greatest.
template <class Value> void bindTo(SQLite::Statement& statement, int index, const Value& value)
{
    if constexpr (std::is_floating_point_v<Value>)
        statement.bind(index, static_cast<double>(value));
    else if constexpr (std::is_same_v<Value, std::uint64_t>)
        statement.bind(index, static_cast<std::int64_t>(std::min<std::uint64_t>(value, INT64_MAX)));
    else if constexpr (std::is_integral_v<Value>)
        statement.bind(index, static_cast<std::int64_t>(value));
    else if constexpr (IsId<Value>)
        statement.bind(index, value.str());
    else if constexpr (std::is_same_v<Value, Reason>)
        statement.bind(index, toText(value));
    else if constexpr (NamedEnum<Value>)
        statement.bind(index, std::string(nameOf(value)));
    else if constexpr (std::is_same_v<Value, std::string_view>)
        statement.bind(index, std::string(value));
    else
        statement.bind(index, value);
}
template <class Value> void bindTo(SQLite::Statement& statement, int index, const std::optional<Value>& value)
{
    value ? bindTo(statement, index, *value) : statement.bind(index);
}

/// From the first parameter on.
template <class... Values> void bindAll(SQLite::Statement& statement, const Values&... values)
{
    int index = 0;
    (bindTo(statement, ++index, values), ...);
}

template <class... Values>
SQLite::Statement prepare(SQLite::Database& db, const std::string& sql, const Values&... values)
{
    SQLite::Statement statement(db, sql);
    bindAll(statement, values...);
    return statement;
}

/// Runs a statement that returns no rows, and returns the number of rows it changed.
template <class... Values> int execute(SQLite::Database& db, const std::string& sql, const Values&... values)
{
    return prepare(db, sql, values...).exec();
}

/// A statement that returns no rows, to be run with one row of values after the other: SQLite takes longer to read one
/// than to carry it out.
class Insert
{
public:
    Insert(SQLite::Database& db, const std::string& sql)
        : m_statement(db, sql)
    {
    }
    template <class... Values> void operator()(const Values&... values)
    {
        m_statement.tryReset(); // reset() would throw the last failure again
        bindAll(m_statement, values...);
        m_statement.exec();
    }

private:
    SQLite::Statement m_statement;
};

/// Reads one column in the form of the field. NULL, and what cannot be read, leaves the field as it is rather than
/// being an error, so that one row cannot hide others.
template <class Field> void readColumn(SQLite::Statement& row, int& column, Field& field)
{
    const SQLite::Column value = row.getColumn(column++);
    if (value.isNull())
        return;
    if constexpr (std::is_same_v<Field, bool>)
        field = value.getInt() != 0;
    else if constexpr (std::is_floating_point_v<Field>)
        field = static_cast<Field>(value.getDouble());
    else if constexpr (std::is_integral_v<Field>)
        field = static_cast<Field>(value.getInt64());
    else if constexpr (IsId<Field>)
        field = Field::parse(value.getString()).value_or(Field());
    else if constexpr (NamedEnum<Field>)
        field = valueNamed<Field>(value.getText()).value_or(field);
    else if constexpr (std::is_same_v<Field, Reason>)
        field = reasonFromText(value.getText());
    else if constexpr (std::is_same_v<Field, PhaseSet>)
        field = PhaseSet::ofBits(value.getUInt());
    else if constexpr (std::is_same_v<Field, std::string_view>)
        field = value.getText(); // valid until the next row
    else
        field = value.getString();
}
template <class Field> void readColumn(SQLite::Statement& row, int& column, std::optional<Field>& field)
{
    if (row.isColumnNull(column))
        ++column;
    else
        readColumn(row, column, field.emplace());
}
inline void readColumn(SQLite::Statement& row, int& column, PhaseTimes& times)
{
    for (std::int64_t& ns : times)
        readColumn(row, column, ns);
}
/// A list of texts in JSON.
inline void readColumn(SQLite::Statement& row, int& column, std::vector<std::string>& texts)
{
    for (const auto& text : nlohmann::json::parse(row.getColumn(column++).getText(), nullptr, false))
        if (text.is_string())
            texts.push_back(text);
}
/// The columns of sampleColumns(). A loss that is NULL is not a number.
inline void readColumn(SQLite::Statement& row, int& column, Sample& s)
{
    const auto read = [&](auto&... fields) { (readColumn(row, column, fields), ...); };
    s.loss = std::numeric_limits<float>::quiet_NaN();
    read(s.seq, s.startNs, s.phases, s.readNs, s.decodeNs, s.h2dTotalNs, s.commTotalNs, s.bytesSent, s.items,
         s.badItems, s.loss, s.told, s.iterations, s.ofRanks);
}

/// From the first column on.
template <class... Fields> void readRow(SQLite::Statement& row, Fields&... fields)
{
    int column = 0;
    (readColumn(row, column, fields), ...);
}

/// All rows; `read(statement, row)` fills one.
template <class Row, class Read, class... Values>
std::vector<Row> rowsOf(SQLite::Database& db, const Read& read, const std::string& sql, const Values&... values)
{
    auto query = prepare(db, sql, values...);
    std::vector<Row> rows;
    while (query.executeStep())
        read(query, rows.emplace_back());
    return rows;
}
template <class Row, class Read, class... Values>
Result<std::vector<Row>> rowsOf(const Database& db, const Read& read, const std::string& sql, const Values&... values)
{
    return guarded(db.path(), [&] { return rowsOf<Row>(db.handle(), read, sql, values...); });
}

/// The first column of the only row, in the form of `otherwise`, which stands for NULL and for no row.
template <class Value, class... Values>
Value valueOf(SQLite::Database& db, Value otherwise, const std::string& sql, const Values&... values)
{
    if (auto query = prepare(db, sql, values...); query.executeStep())
        readRow(query, otherwise);
    return otherwise;
}

/// For a run `r` and its configuration `s`: how many ranks one of its processes is.
inline constexpr const char* kRanksPerProcess = R"sql(
       CASE WHEN r.rank_processes IS NULL THEN 1
            ELSE max(1, coalesce(json_extract(s.settings, '$.ranks') / r.rank_processes, 1)) END)sql";

/// Names as SQLite stores them.
inline std::string sqlText(std::string_view text)
{
    return std::string(text);
}

inline Settings storedSettings(std::string_view text)
{
    return settingsFromJson(nlohmann::json::parse(text, nullptr, false)).value_or(Settings());
}

/// The attempt's id; nullopt: the store does not have it.
inline std::optional<std::int64_t> attemptId(SQLite::Database& db, const RunId& run, int attempt)
{
    return valueOf(db, std::optional<std::int64_t>(),
                   "SELECT a.id FROM attempts a JOIN runs r ON r.number = a.run WHERE r.id = ? AND a.attempt = ?", run,
                   attempt);
}

/// For a campaign `c`: it is to be submitted by hand, and nothing of it has begun as far as is known.
inline constexpr const char* kWaitsForHand =
    "(c.scheduler GLOB '*_by_hand' AND NOT EXISTS (SELECT 1 FROM runs h WHERE h.campaign = c.id AND h.state IN "
    "('starting', 'running', 'done', 'failed')))";

} // namespace ringside::store
