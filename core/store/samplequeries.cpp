// SPDX-License-Identifier: MIT
#include "core/store/phasecolumns.h"
#include "core/store/queries.h"
#include "core/store/statements.h"
#include "core/store/summaries.h"

#include <algorithm>
#include <limits>

namespace ringside::store {

namespace {

/// The reasons of an attempt's flags say where it lacks samples, why, and how many were never written. Refused samples
/// are distinguished from those that are gone; of refused records those of buckets and layers lack no sample. Samples
/// that complete spools never held are not gone: a system's own lines report no more.
constexpr const char* kLostSamples = R"sql(
WITH latest AS (
    SELECT r.number, r.state, r.reason, r.iterations, a.id AS attempt, coalesce(a.samples, 0) AS samples,
           r.iterations * coalesce(r.rank_processes, json_extract(c.settings, '$.ranks'), 1) AS planned
    FROM runs r JOIN configurations c ON c.key = r.configuration
    LEFT JOIN attempts a ON a.run = r.number AND a.attempt = r.attempt
    WHERE r.campaign = ?1)
SELECT l.number, CAST(min((SELECT CASE WHEN count(k.samples_written) * l.iterations >= l.planned THEN sum(k.samples_written) - l.samples
                               ELSE m.usual END FROM ranks k WHERE k.attempt = l.attempt AND k.rank * l.iterations < l.planned), m.usual - m.value -
                      (SELECT total(f.value) FROM flag_reasons f WHERE f.attempt = l.attempt AND f.code = 'dropped_samples') -
                      (SELECT count(*) FROM refused f WHERE f.attempt = l.attempt AND f.seq < l.iterations AND NOT EXISTS (
                       SELECT 1 FROM samples s WHERE s.attempt = f.attempt AND s.rank = f.rank AND s.seq = f.seq)))
                      AS INTEGER) AS lost, 0
FROM latest l JOIN flag_reasons m ON m.attempt = l.attempt AND m.code = 'missing_samples'
WHERE lost > 0
UNION ALL
SELECT number, planned - samples AS lost, 1 FROM latest WHERE state = 'failed' AND json_extract(reason, '$.code') = ?2 AND lost > 0
ORDER BY 1)sql";

constexpr const char* kAttemptId =
    "(SELECT a.id FROM attempts a JOIN runs r ON r.number = a.run WHERE r.id = ? AND a.attempt = ?)";

/// Two for each of the most ranks that a run can have; a spool that holds more is not ours.
constexpr std::int64_t kMostOffsets = 2 * 65'536;

/// The readings of a table of telemetry, of each rank the newest. Ranks are found by leaps in the primary key, and the
/// first reading of a rank is a constant beside its row, so that what is left out is not read. Marks: run, attempt,
/// readings of each rank.
std::string newestOfRanks(const std::string& table, const std::string& columns)
{
    const std::string ofAttempt = " FROM " + table + " AS t WHERE t.attempt = (SELECT id FROM chosen)";
    return sqlText("WITH RECURSIVE chosen(id, most) AS (SELECT ") + kAttemptId +
           ", ?), ranks(one) AS (SELECT min(t.rank)" + ofAttempt + " UNION ALL SELECT (SELECT min(t.rank)" + ofAttempt +
           " AND t.rank > ranks.one) FROM ranks WHERE ranks.one IS NOT NULL) SELECT " + columns +
           " FROM ranks CROSS JOIN " + table +
           " AS r WHERE r.attempt = (SELECT id FROM chosen) AND r.rank = ranks.one" +
           " AND r.at_ns >= coalesce((SELECT t.at_ns" + ofAttempt +
           " AND t.rank = ranks.one ORDER BY t.at_ns DESC LIMIT 1 OFFSET (SELECT most - 1 FROM chosen)), "
           "-9223372036854775808)" +
           " ORDER BY ranks.one, r.at_ns";
}

std::int64_t newest(int count)
{
    return count > 0 ? count : std::numeric_limits<std::int32_t>::max();
}

std::vector<std::uint32_t> recordedIn(SQLite::Database& db, std::int64_t attempt)
{
    return rowsOf<std::uint32_t>(db, readRow<std::uint32_t>,
                                 "SELECT seq FROM layers WHERE attempt = ?1 UNION SELECT seq FROM buckets WHERE "
                                 "attempt = ?1 ORDER BY seq",
                                 attempt);
}

std::vector<RankIteration> ranksOf(SQLite::Database& db, std::int64_t attempt, std::uint32_t seq)
{
    const auto read = [](SQLite::Statement& row, RankIteration& of) { readRow(row, of.rank, of.host, of.sample); };
    return rowsOf<RankIteration>(
        db, read,
        "SELECT rank, (SELECT host FROM ranks r WHERE r.attempt = samples.attempt AND r.rank = samples.rank), " +
            sampleColumns() +
            " FROM samples WHERE attempt = ? AND seq = ? AND coalesce(iterations, of_ranks) IS NULL ORDER BY rank",
        attempt, seq);
}

void addDetails(SQLite::Database& db, std::int64_t attempt, std::uint32_t seq, RankIteration& rank)
{
    const auto readBucket = [](SQLite::Statement& row, BucketTiming& b) {
        readRow(row, b.bucket, b.startNs, b.lengthNs, b.bytes);
    };
    const auto readLayer = [](SQLite::Statement& row, LayerTiming& l) {
        readRow(row, l.forwardStartNs, l.forwardNs, l.backwardStartNs, l.backwardNs, l.readyNs);
    };
    rank.buckets = rowsOf<BucketTiming>(db, readBucket,
                                        "SELECT bucket, start_ns, length_ns, bytes FROM buckets WHERE attempt = ? AND "
                                        "rank = ? AND seq = ? ORDER BY bucket",
                                        attempt, rank.rank, seq);
    rank.layers = rowsOf<LayerTiming>(db, readLayer,
                                      "SELECT forward_start_ns, forward_ns, backward_start_ns, backward_ns, ready_ns "
                                      "FROM layers WHERE attempt = ? AND rank = ? AND seq = ? ORDER BY layer",
                                      attempt, rank.rank, seq);
}

} // namespace

Result<std::vector<AttemptRow>> attempts(const Database& db, const RunId& run)
{
    const auto read = [&](SQLite::Statement& row, AttemptRow& a) {
        a.run = run;
        readRow(row, a.id, a.attempt, a.state, a.cause, a.reason, a.lostRank, a.startedAt, a.endedAt);
        a.ranks = summariesOf(db.handle(), a.id);
    };
    return rowsOf<AttemptRow>(db, read,
                              "SELECT a.id, a.attempt, a.state, a.cause, a.reason, a.lost_rank, a.started_ns, "
                              "a.ended_ns FROM attempts a JOIN runs r ON r.number = a.run WHERE r.id = ? "
                              "ORDER BY a.attempt",
                              run);
}

Result<std::optional<Facts>> facts(const Database& db, const RunId& run, int attempt)
{
    return guarded(db.path(), [&]() -> Result<std::optional<Facts>> {
        const auto json = valueOf(db.handle(), std::optional<std::string>(),
                                  sqlText("SELECT json FROM facts WHERE attempt = ") + kAttemptId, run, attempt);
        if (!json)
            return std::optional<Facts>();
        TRY_ASSIGN(Facts facts, factsFromJson(*json));
        return std::optional(std::move(facts));
    });
}

Result<std::vector<SeriesPoint>> series(const Database& db, const RunId& run, int attempt)
{
    const auto read = [](SQLite::Statement& row, SeriesPoint& p) {
        readRow(row, p.iteration, p.low, p.median, p.high);
    };
    return rowsOf<SeriesPoint>(db, read,
                               sqlText("SELECT iteration, low, median, high FROM series WHERE attempt = ") +
                                   kAttemptId + " ORDER BY point",
                               run, attempt);
}

Result<std::vector<RankSample>> samples(const Database& db, const RunId& run, int attempt, int lastIterations)
{
    const auto read = [](SQLite::Statement& row, RankSample& of) { readRow(row, of.rank, of.sample); };
    return rowsOf<RankSample>(
        db, read,
        sqlText("SELECT rank, ") + sampleColumns() + " FROM samples WHERE attempt = " + kAttemptId +
            " AND seq > (SELECT last_seq FROM attempts WHERE id = samples.attempt) - ? ORDER BY rank, seq",
        run, attempt, newest(lastIterations));
}

Result<std::vector<SteadyWork>> steadyWork(const Database& db, const RunId& run, int attempt, std::uint32_t seq)
{
    const auto read = [](SQLite::Statement& row, SteadyWork& work) {
        readRow(row, work.rank, work.items, work.beginNs, work.lengthNs);
    };
    return rowsOf<SteadyWork>(db, read,
                              "SELECT s.rank, sum(s.items), min(s.start_ns), CAST(total(" + lengthOf("s") +
                                  ") AS INTEGER) FROM attempts a JOIN runs r ON r.number = a.run "
                                  "JOIN samples s ON s.attempt = a.id AND s.seq >= r.warmup AND s.seq < ?3 AND " +
                                  firstOf("s") +
                                  " >= r.warmup "
                                  "WHERE r.id = ?1 AND a.attempt = ?2 AND a.items_per_second IS NULL GROUP BY s.rank",
                              run, attempt, seq);
}

Result<std::vector<RankClockOffset>> clockOffsets(const Database& db, const RunId& run, int attempt)
{
    const auto read = [](SQLite::Statement& row, RankClockOffset& of) {
        readRow(row, of.rank, of.clock.atNs, of.clock.offsetNs, of.clock.uncertaintyNs);
    };
    return rowsOf<RankClockOffset>(
        db, read,
        sqlText("SELECT rank, at_ns, offset_ns, uncertainty_ns FROM clock_offsets WHERE attempt = ") + kAttemptId +
            " ORDER BY rank, at_ns LIMIT ?",
        run, attempt, kMostOffsets);
}

Result<DetailedIteration> detailedIteration(const Database& db, const RunId& run, int attempt,
                                            std::optional<std::uint32_t> seq)
{
    DetailedIteration iteration;
    TRY_ASSIGN(iteration.clocks, clockOffsets(db, run, attempt));
    TRY_ASSIGN(const std::optional<Facts> known, facts(db, run, attempt));
    if (known)
        iteration.layers = known->layers;
    TRY_ASSIGN(iteration.facts, runFacts(db, run, attempt));
    TRY(guarded(db.path(), [&] {
        const auto id = attemptId(db.handle(), run, attempt);
        if (!id)
            return;
        iteration.recorded = recordedIn(db.handle(), *id);
        iteration.seq = seq.value_or(iteration.recorded.empty() ? 0 : iteration.recorded.back());
        if (std::binary_search(iteration.recorded.begin(), iteration.recorded.end(), iteration.seq))
            iteration.ranks = ranksOf(db.handle(), *id, iteration.seq);
        for (RankIteration& rank : iteration.ranks)
            addDetails(db.handle(), *id, iteration.seq, rank);
    }));
    return iteration;
}

Result<std::vector<RankTelemetry>> telemetry(const Database& db, const RunId& run, int attempt, int lastReadings)
{
    const auto read = [](SQLite::Statement& row, RankTelemetry& of) {
        Telemetry& t = of.telemetry;
        readRow(row, of.rank, t.atNs, t.cpuShare, t.ownCpuShare, t.foreignCpuShare, t.memoryBytes,
                t.hostMemoryUsedBytes, t.diskReadBytes, t.networkSentBytes, t.foreignCoresShare, t.ownCoresShare);
    };
    return rowsOf<RankTelemetry>(
        db, read,
        newestOfRanks("telemetry", "rank, at_ns, cpu_share, own_cpu_share, foreign_cpu_share, memory_bytes, "
                                   "host_memory_used_bytes, disk_read_bytes, network_sent_bytes, foreign_cores_share, "
                                   "own_cores_share"),
        run, attempt, newest(lastReadings));
}

Result<std::vector<RankGpuTelemetry>> gpuTelemetry(const Database& db, const RunId& run, int attempt, int lastReadings)
{
    const auto read = [](SQLite::Statement& row, RankGpuTelemetry& of) {
        GpuTelemetry& t = of.telemetry; // -1 processes: unknown
        readRow(row, of.rank, t.atNs, t.busyShare, t.memoryUsedBytes, t.memoryBytes, t.powerMilliwatts, t.smMegahertz,
                t.memoryMegahertz, t.clockReasons, t.pcieSentPerSecond, t.pcieReceivedPerSecond, t.nvlinkSentBytes,
                t.nvlinkReceivedBytes, t.foreignProcesses, t.foreignMemoryBytes);
    };
    return rowsOf<RankGpuTelemetry>(
        db, read,
        newestOfRanks("gpu_telemetry",
                      "rank, at_ns, busy_share, memory_used_bytes, memory_bytes, power_mw, sm_mhz, memory_mhz, "
                      "clock_reasons, pcie_sent_per_second, pcie_received_per_second, nvlink_sent_bytes, "
                      "nvlink_received_bytes, foreign_processes, foreign_memory_bytes"),
        run, attempt, newest(lastReadings));
}

Result<std::vector<LostSamples>> lostSamples(const Database& db, const CampaignId& campaign)
{
    const auto read = [](SQLite::Statement& row, LostSamples& lost) {
        readRow(row, lost.run, lost.samples, lost.isMost);
    };
    return rowsOf<LostSamples>(db, read, kLostSamples, campaign, why::kFilesGone);
}

} // namespace ringside::store
