// SPDX-License-Identifier: MIT
#include "core/store/readings.h"

#include "core/protocol/calibration.h"
#include "core/store/phasecolumns.h"

namespace ringside::store {

namespace {

/// In parts there is time between samples that is in no length: the span begins with the first of them. {0}: the end of
/// l; {1}: the first iteration of f.
constexpr const char* kSpans = R"sql(
WITH ends AS (SELECT s.attempt, s.rank, s.warmup, (
    SELECT {0} FROM samples l WHERE l.attempt = s.attempt AND l.rank = s.rank ORDER BY l.seq DESC LIMIT 1) AS end_ns, s.length_ns,
    s.records IS NOT NULL AS in_parts FROM summary s WHERE s.attempt = ?)
SELECT rank, CASE WHEN in_parts THEN (
    SELECT min(f.start_ns) FROM samples f WHERE f.attempt = ends.attempt AND f.rank = ends.rank AND f.seq >= warmup AND {1} >= warmup)
    ELSE end_ns - length_ns END, end_ns FROM ends WHERE end_ns IS NOT NULL)sql";

} // namespace

bool trainsNothing(SQLite::Database& db, std::int64_t attempt)
{
    return valueOf(db, false,
                   "SELECT json_extract(c.settings, '$.engine') IS ?2 FROM attempts a JOIN runs r ON r.number = a.run "
                   "JOIN configurations c ON c.key = r.configuration WHERE a.id = ?1",
                   attempt, kCalibrationEngine);
}

std::map<int, Span> spansOf(SQLite::Database& db, std::int64_t attempt)
{
    std::map<int, Span> spans;
    if (trainsNothing(db, attempt)) {
        auto ranks = prepare(db, "SELECT rank FROM ranks WHERE attempt = ?", attempt);
        while (ranks.executeStep())
            spans[ranks.getColumn(0)] = Span{};
        return spans;
    }
    auto query = prepare(db, fmt::format(kSpans, endOf("l"), firstOf("f")), attempt);
    while (query.executeStep())
        spans[query.getColumn(0)] = {query.getColumn(1).getInt64(), query.getColumn(2).getInt64()};
    return spans;
}

} // namespace ringside::store
