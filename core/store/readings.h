// SPDX-License-Identifier: MIT
// Inside core/store: the telemetry of an attempt while it was measured. All throw what SQLiteCpp throws.
#pragma once

#include "core/stats/readings.h"
#include "core/store/database.h"
#include "core/store/statements.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>

namespace ringside::store {

/// On a rank's clock.
struct Span
{
    std::int64_t beginNs = std::numeric_limits<std::int64_t>::min();
    std::int64_t endNs = std::numeric_limits<std::int64_t>::max();
    bool contains(std::int64_t ns) const { return ns >= beginNs && ns <= endNs; }
};

/// True of a calibration.
bool trainsNothing(SQLite::Database& db, std::int64_t attempt);

/// From the end of its last warm-up iteration to the end of its last one, of each rank that has measured any, by its
/// `summary`; always, of an attempt that trains nothing.
std::map<int, Span> spansOf(SQLite::Database& db, std::int64_t attempt);

template <class Value> using ReadingsByRank = std::map<int, stats::Readings<Value>>;

/// A reading is of what it saw since the one before, or of one moment.
enum class Sees
{
    since,
    now
};

inline constexpr std::int64_t kUsualPeriodNs = 1'000'000'000; ///< before the first reading

/// Returns what `sql` (rank, at_ns, value) finds inside the ranks' spans. A reading that began before its span shows
/// what the warm-up did, too, and does not count.
template <class Value>
ReadingsByRank<Value> readingsIn(const std::map<int, Span>& spans, SQLite::Database& db, const char* sql, Sees sees,
                                 std::int64_t attempt)
{
    auto query = prepare(db, sql, attempt);
    ReadingsByRank<Value> readings;
    std::map<int, std::int64_t> before;
    while (query.executeStep()) {
        const int rank = query.getColumn(0);
        const std::int64_t at = query.getColumn(1);
        const auto span = spans.find(rank);
        const auto last = before.find(rank);
        const std::int64_t from = last == before.end() ? at - kUsualPeriodNs : last->second;
        before[rank] = at;
        if (span == spans.end() || !span->second.contains(at) || (sees == Sees::since && !span->second.contains(from)))
            continue;
        const std::int64_t begin = std::max(from, span->second.beginNs); // a moment stands for no time before the span
        const SQLite::Column value = query.getColumn(2);
        if constexpr (std::is_floating_point_v<Value>)
            readings[rank].push_back({begin, at, value.isNull() ? -1 : value.getDouble()});
        else
            readings[rank].push_back({begin, at, value.getInt64()});
    }
    return readings;
}

} // namespace ringside::store
