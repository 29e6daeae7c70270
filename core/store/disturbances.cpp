// SPDX-License-Identifier: MIT
#include "core/store/disturbances.h"

#include "core/base/sequences.h"
#include "core/protocol/calibration.h"
#include "core/stats/disturbed.h"
#include "core/store/phasecolumns.h"
#include "core/store/statements.h"

#include <algorithm>
#include <limits>
#include <map>

namespace ringside::store {

namespace {

/// On a rank's clock.
struct Span
{
    std::int64_t beginNs = std::numeric_limits<std::int64_t>::min();
    std::int64_t endNs = std::numeric_limits<std::int64_t>::max();
    bool contains(std::int64_t ns) const { return ns >= beginNs && ns <= endNs; }
};

template <class Value> using ReadingsByRank = std::map<int, stats::Readings<Value>>;

/// In parts there is time between samples that is in no length: the span begins with the first of them. {0}: the end of
/// l; {1}: the first iteration of f.
constexpr const char* kSpans = R"sql(
WITH ends AS (SELECT s.attempt, s.rank, s.warmup, (
    SELECT {0} FROM samples l WHERE l.attempt = s.attempt AND l.rank = s.rank ORDER BY l.seq DESC LIMIT 1) AS end_ns, s.length_ns,
    s.records IS NOT NULL AS in_parts FROM summary s WHERE s.attempt = ?)
SELECT rank, CASE WHEN in_parts THEN (
    SELECT min(f.start_ns) FROM samples f WHERE f.attempt = ends.attempt AND f.rank = ends.rank AND f.seq >= warmup AND {1} >= warmup)
    ELSE end_ns - length_ns END, end_ns FROM ends WHERE end_ns IS NOT NULL)sql";

bool trainsNothing(SQLite::Database& db, std::int64_t attempt)
{
    return valueOf(db, false,
                   "SELECT json_extract(c.settings, '$.engine') IS ?2 FROM attempts a JOIN runs r ON r.number = a.run "
                   "JOIN configurations c ON c.key = r.configuration WHERE a.id = ?1",
                   attempt, kCalibrationEngine);
}

/// From the end of its last warm-up iteration to the end of its last one, of each rank that has measured any.
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

constexpr std::int64_t kUsualPeriodNs = 1'000'000'000; ///< before the first reading

/// A reading is of what it saw since the one before, or of one moment.
enum class Sees
{
    since,
    now
};

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
        const SQLite::Column value = query.getColumn(2);
        if constexpr (std::is_floating_point_v<Value>)
            readings[rank].push_back({from, at, value.isNull() ? -1 : value.getDouble()});
        else
            readings[rank].push_back({from, at, value.getInt64()});
    }
    return readings;
}

ReadingsByRank<double> foreignIn(const std::map<int, Span>& spans, SQLite::Database& db, const char* sql,
                                 std::int64_t attempt)
{
    return readingsIn<double>(spans, db, sql, Sees::since, attempt);
}

constexpr const char* kHostLoad =
    "SELECT rank, at_ns, foreign_cpu_share FROM telemetry WHERE attempt = ? ORDER BY rank, at_ns";
constexpr const char* kCoresLoad =
    "SELECT rank, at_ns, foreign_cores_share FROM telemetry WHERE attempt = ? ORDER BY rank, at_ns";
constexpr const char* kGpuProcesses =
    "SELECT rank, at_ns, foreign_processes FROM gpu_telemetry WHERE attempt = ? ORDER BY rank, at_ns";
constexpr const char* kGpuClocks =
    "SELECT rank, at_ns, clock_reasons FROM gpu_telemetry WHERE attempt = ? ORDER BY rank, at_ns";

std::map<int, std::string> hostsOf(SQLite::Database& db, std::int64_t attempt)
{
    auto query = prepare(db, "SELECT rank, host FROM ranks WHERE attempt = ?", attempt);
    std::map<int, std::string> hosts;
    while (query.executeStep())
        hosts[query.getColumn(0)] = query.getColumn(1).getString();
    return hosts;
}

FlagReason foreign(std::string_view code, double share, std::string host, std::optional<int> rank = {})
{
    FlagReason reason{"disturbed", sqlText(code), rank, std::move(host)};
    reason.value = share;
    reason.limit = stats::kForeignShareLimit;
    return reason;
}

void addForeignLoad(std::vector<FlagReason>& reasons, SQLite::Database& db, std::int64_t attempt,
                    const std::map<int, Span>& spans)
{
    std::map<int, std::string> hosts = hostsOf(db, attempt);
    for (const auto& [rank, readings] : foreignIn(spans, db, kCoresLoad, attempt))
        if (const auto share = stats::foreignShare(readings); share > stats::kForeignShareLimit)
            reasons.push_back(foreign(flagcode::kForeignCores, *share, hosts[rank], rank));
    std::map<std::string, double> most; // ranks of one host see the same load
    for (const auto& [rank, readings] : foreignIn(spans, db, kHostLoad, attempt))
        most[hosts[rank]] = std::max(most[hosts[rank]], stats::foreignShare(readings).value_or(0));
    for (const auto& [host, share] : most)
        if (share > stats::kForeignShareLimit)
            reasons.push_back(foreign(flagcode::kForeignHost, share, host));
}

FlagReason ofRank(const char* flag, std::string_view code, int rank, std::optional<double> value = {})
{
    FlagReason reason{flag, sqlText(code), rank};
    reason.value = value;
    return reason;
}

void addGpus(std::vector<FlagReason>& reasons, SQLite::Database& db, std::int64_t attempt,
             const std::map<int, Span>& spans)
{
    const auto value = [](const auto& reading) { return reading.value; };
    for (const auto& [rank, others] : readingsIn<std::int64_t>(spans, db, kGpuProcesses, Sees::now, attempt))
        if (stats::isGpuShared(others))
            reasons.push_back(ofRank("disturbed", flagcode::kSharedGpu, rank,
                                     static_cast<double>(std::ranges::max(others, {}, value).value)));
    for (const auto& [rank, clocks] : readingsIn<std::int64_t>(spans, db, kGpuClocks, Sees::now, attempt))
        if (const std::int64_t bits = stats::throttleReasons(clocks))
            reasons.push_back(ofRank("throttled", flagcode::kSlowedGpu, rank, static_cast<double>(bits)));
}

} // namespace

void addDisturbances(std::vector<FlagReason>& reasons, SQLite::Database& db, std::int64_t attempt)
{
    const std::map<int, Span> spans = spansOf(db, attempt);
    addForeignLoad(reasons, db, attempt, spans);
    addGpus(reasons, db, attempt, spans);
}

void addUnobserved(std::vector<FlagReason>& reasons, SQLite::Database& db, std::int64_t attempt)
{
    if (trainsNothing(db, attempt))
        return;
    const std::map<int, Span> spans = spansOf(db, attempt);
    const auto host = foreignIn(spans, db, kHostLoad, attempt);
    const auto gpu = readingsIn<std::int64_t>(spans, db, kGpuProcesses, Sees::now, attempt);
    std::map<int, Span> always;
    for (const auto& [rank, span] : spans)
        always[rank] = Span{};
    const auto anyGpu = readingsIn<std::int64_t>(always, db, kGpuProcesses, Sees::now, attempt);
    const auto isUnknown = [](const auto& reading) { return reading.value == stats::kUnknownProcesses; };
    for (const auto& [rank, span] : spans) {
        if (!host.contains(rank))
            reasons.push_back(ofRank("unobserved", flagcode::kNoReading, rank));
        const auto readings = gpu.find(rank);
        if (readings == gpu.end() && anyGpu.contains(rank))
            reasons.push_back(ofRank("unobserved", flagcode::kNoGpuReading, rank));
        if (readings != gpu.end() && std::ranges::any_of(readings->second, isUnknown))
            reasons.push_back(ofRank("unobserved", flagcode::kUnknownGpuProcesses, rank));
    }
}

} // namespace ringside::store
