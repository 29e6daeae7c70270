// SPDX-License-Identifier: MIT
#include "core/store/guard.h"
#include "core/store/queries.h"
#include "core/store/statements.h"
#include "core/store/summaries.h"

#include <algorithm>
#include <limits>

namespace ringside::store {

namespace {

/// Where an attempt lacks samples, why, and how many were never written, stands in the reasons of its flags. What was
/// refused is told apart from what is gone; of refused records those of buckets and layers lack no sample.
constexpr const char* kLostSamples = R"sql(
WITH latest AS (
    SELECT r.number, r.state, r.reason, r.iterations, a.id AS attempt, coalesce(a.samples, 0) AS samples,
           r.iterations * coalesce(json_extract(c.settings, '$.ranks'), 1) AS planned
    FROM runs r JOIN configurations c ON c.key = r.configuration
    LEFT JOIN attempts a ON a.run = r.number AND a.attempt = r.attempt
    WHERE r.campaign = ?1)
SELECT l.number, CAST(m.usual - m.value -
                      (SELECT total(f.value) FROM flag_reasons f WHERE f.attempt = l.attempt AND f.code = 'dropped_samples') -
                      (SELECT count(*) FROM refused f WHERE f.attempt = l.attempt AND f.seq < l.iterations AND NOT EXISTS (
                       SELECT 1 FROM samples s WHERE s.attempt = f.attempt AND s.rank = f.rank AND s.seq = f.seq))
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

std::uint64_t unsignedOf(const SQLite::Column& column)
{
    return static_cast<std::uint64_t>(column.getInt64());
}

AttemptRow readAttempt(SQLite::Statement& row, const RunId& run)
{
    AttemptRow attempt;
    attempt.id = row.getColumn(0);
    attempt.run = run;
    attempt.attempt = row.getColumn(1);
    attempt.state = valueNamed<RunState>(row.getColumn(2).getString()).value_or(RunState::unknown);
    attempt.cause = valueNamed<Cause>(row.getColumn(3).getString()).value_or(Cause::none);
    attempt.reason = reasonFromText(row.getColumn(4).getString());
    if (!row.isColumnNull(5))
        attempt.lostRank = row.getColumn(5).getInt();
    attempt.startedAt = row.getColumn(6);
    attempt.endedAt = row.getColumn(7);
    return attempt;
}

Sample readSample(SQLite::Statement& row)
{
    int column = 0; // of the rank
    const auto next = [&] { return row.getColumn(++column); };
    Sample sample;
    sample.seq = next().getUInt();
    sample.startNs = next();
    for (std::int64_t& ns : sample.phases)
        ns = next();
    sample.readNs = next();
    sample.decodeNs = next();
    sample.h2dTotalNs = next();
    sample.commTotalNs = next();
    sample.bytesSent = unsignedOf(next());
    sample.items = next().getUInt();
    sample.badItems = next().getUInt();
    sample.loss = lossOf(next());
    sample.told = toldOf(next());
    return sample;
}

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

Telemetry readTelemetry(SQLite::Statement& row)
{
    Telemetry telemetry;
    const auto real = [&](int column) { return static_cast<float>(row.getColumn(column).getDouble()); };
    telemetry.atNs = row.getColumn(1);
    telemetry.cpuShare = real(2);
    telemetry.ownCpuShare = real(3);
    telemetry.foreignCpuShare = real(4);
    telemetry.memoryBytes = unsignedOf(row.getColumn(5));
    telemetry.hostMemoryUsedBytes = unsignedOf(row.getColumn(6));
    telemetry.diskReadBytes = unsignedOf(row.getColumn(7));
    telemetry.networkSentBytes = unsignedOf(row.getColumn(8));
    if (!row.isColumnNull(9))
        telemetry.foreignCoresShare = real(9);
    return telemetry;
}

GpuTelemetry readGpuTelemetry(SQLite::Statement& row)
{
    GpuTelemetry telemetry;
    telemetry.atNs = row.getColumn(1);
    telemetry.busyShare = static_cast<float>(row.getColumn(2).getDouble());
    telemetry.memoryUsedBytes = unsignedOf(row.getColumn(3));
    telemetry.memoryBytes = unsignedOf(row.getColumn(4));
    telemetry.powerMilliwatts = row.getColumn(5).getUInt();
    telemetry.smMegahertz = row.getColumn(6).getUInt();
    telemetry.memoryMegahertz = row.getColumn(7).getUInt();
    telemetry.clockReasons = unsignedOf(row.getColumn(8));
    telemetry.pcieSentPerSecond = unsignedOf(row.getColumn(9));
    telemetry.pcieReceivedPerSecond = unsignedOf(row.getColumn(10));
    telemetry.nvlinkSentBytes = unsignedOf(row.getColumn(11));
    telemetry.nvlinkReceivedBytes = unsignedOf(row.getColumn(12));
    telemetry.foreignProcesses = static_cast<std::uint32_t>(row.getColumn(13).getInt64()); // -1: unknown
    telemetry.foreignMemoryBytes = unsignedOf(row.getColumn(14));
    return telemetry;
}

std::vector<std::uint32_t> recordedIn(SQLite::Database& db, std::int64_t attempt)
{
    auto query = prepare(db,
                         "SELECT seq FROM layers WHERE attempt = ?1 UNION SELECT seq FROM buckets WHERE attempt = ?1 "
                         "ORDER BY seq",
                         attempt);
    std::vector<std::uint32_t> recorded;
    while (query.executeStep())
        recorded.push_back(query.getColumn(0).getUInt());
    return recorded;
}

std::vector<RankIteration> ranksOf(SQLite::Database& db, std::int64_t attempt, std::uint32_t seq)
{
    auto query = prepare(db,
                         sqlText("SELECT rank, ") + sampleColumns() +
                             ", coalesce((SELECT host FROM ranks r WHERE r.attempt = samples.attempt AND r.rank = "
                             "samples.rank), '') FROM samples WHERE attempt = ? AND seq = ? ORDER BY rank",
                         attempt, seq);
    std::vector<RankIteration> ranks;
    while (query.executeStep()) {
        const int host = query.getColumnCount() - 1;
        ranks.push_back({query.getColumn(0), query.getColumn(host).getString(), readSample(query), {}, {}});
    }
    return ranks;
}

void addBuckets(SQLite::Database& db, std::int64_t attempt, std::uint32_t seq, RankIteration& rank)
{
    auto query = prepare(db,
                         "SELECT bucket, start_ns, length_ns, bytes FROM buckets WHERE attempt = ? AND rank = ? AND "
                         "seq = ? ORDER BY bucket",
                         attempt, rank.rank, seq);
    while (query.executeStep())
        rank.buckets.push_back(
            {query.getColumn(0).getUInt(), query.getColumn(1), query.getColumn(2), unsignedOf(query.getColumn(3))});
}

void addLayers(SQLite::Database& db, std::int64_t attempt, std::uint32_t seq, RankIteration& rank)
{
    auto query = prepare(db,
                         "SELECT forward_start_ns, forward_ns, backward_start_ns, backward_ns, ready_ns FROM layers "
                         "WHERE attempt = ? AND rank = ? AND seq = ? ORDER BY layer",
                         attempt, rank.rank, seq);
    while (query.executeStep())
        rank.layers.push_back(
            {query.getColumn(0), query.getColumn(1), query.getColumn(2), query.getColumn(3), query.getColumn(4)});
}

} // namespace

Result<std::vector<AttemptRow>> attempts(const Database& db, const RunId& run)
{
    return guarded(db.path(), [&] {
        auto query =
            prepare(db.handle(),
                    "SELECT a.id, a.attempt, a.state, a.cause, a.reason, a.lost_rank, a.started_ns, a.ended_ns "
                    "FROM attempts a JOIN runs r ON r.number = a.run WHERE r.id = ? ORDER BY a.attempt",
                    run.str());
        std::vector<AttemptRow> rows;
        while (query.executeStep()) {
            rows.push_back(readAttempt(query, run));
            rows.back().ranks = summariesOf(db.handle(), rows.back().id);
        }
        return rows;
    });
}

Result<std::optional<Facts>> facts(const Database& db, const RunId& run, int attempt)
{
    return guarded(db.path(), [&]() -> Result<std::optional<Facts>> {
        auto query =
            prepare(db.handle(), sqlText("SELECT json FROM facts WHERE attempt = ") + kAttemptId, run.str(), attempt);
        if (!query.executeStep())
            return std::optional<Facts>();
        TRY_ASSIGN(Facts facts, factsFromJson(query.getColumn(0).getString()));
        return std::optional(std::move(facts));
    });
}

Result<std::vector<SeriesPoint>> series(const Database& db, const RunId& run, int attempt)
{
    return guarded(db.path(), [&] {
        auto query = prepare(db.handle(),
                             sqlText("SELECT iteration, low, median, high FROM series WHERE attempt = ") + kAttemptId +
                                 " ORDER BY point",
                             run.str(), attempt);
        std::vector<SeriesPoint> points;
        while (query.executeStep())
            points.push_back({query.getColumn(0), query.getColumn(1), query.getColumn(2), query.getColumn(3)});
        return points;
    });
}

Result<std::vector<RankSample>> samples(const Database& db, const RunId& run, int attempt, int lastIterations)
{
    return guarded(db.path(), [&] {
        const std::int64_t last = lastIterations > 0 ? lastIterations : std::numeric_limits<std::int32_t>::max();
        auto query =
            prepare(db.handle(),
                    sqlText("SELECT rank, ") + sampleColumns() + " FROM samples WHERE attempt = " + kAttemptId +
                        " AND seq > (SELECT last_seq FROM attempts WHERE id = samples.attempt) - ? ORDER BY rank, seq",
                    run.str(), attempt, last);
        std::vector<RankSample> rows;
        while (query.executeStep())
            rows.push_back({query.getColumn(0), readSample(query)});
        return rows;
    });
}

Result<std::vector<SteadyWork>> steadyWork(const Database& db, const RunId& run, int attempt, std::uint32_t seq)
{
    return guarded(db.path(), [&] {
        auto query = prepare(db.handle(),
                             "SELECT s.rank, sum(s.items), min(s.start_ns) FROM attempts a JOIN runs r ON r.number = "
                             "a.run JOIN samples s ON s.attempt = a.id AND s.seq >= r.warmup AND s.seq < ?3 "
                             "WHERE r.id = ?1 AND a.attempt = ?2 AND a.items_per_second IS NULL GROUP BY s.rank",
                             run.str(), attempt, seq);
        std::vector<SteadyWork> work;
        while (query.executeStep())
            work.push_back({query.getColumn(0), unsignedOf(query.getColumn(1)), query.getColumn(2).getInt64()});
        return work;
    });
}

Result<std::vector<RankClockOffset>> clockOffsets(const Database& db, const RunId& run, int attempt)
{
    return guarded(db.path(), [&] {
        auto query =
            prepare(db.handle(),
                    sqlText("SELECT rank, at_ns, offset_ns, uncertainty_ns FROM clock_offsets WHERE attempt = ") +
                        kAttemptId + " ORDER BY rank, at_ns LIMIT ?",
                    run.str(), attempt, kMostOffsets);
        std::vector<RankClockOffset> rows;
        while (query.executeStep())
            rows.push_back({query.getColumn(0), {query.getColumn(1), query.getColumn(2), query.getColumn(3)}});
        return rows;
    });
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
        auto find = prepare(db.handle(), sqlText("SELECT ") + kAttemptId, run.str(), attempt);
        if (!find.executeStep() || find.isColumnNull(0))
            return;
        const std::int64_t id = find.getColumn(0);
        iteration.recorded = recordedIn(db.handle(), id);
        iteration.seq = seq.value_or(iteration.recorded.empty() ? 0 : iteration.recorded.back());
        if (std::binary_search(iteration.recorded.begin(), iteration.recorded.end(), iteration.seq))
            iteration.ranks = ranksOf(db.handle(), id, iteration.seq);
        for (RankIteration& rank : iteration.ranks) {
            addBuckets(db.handle(), id, iteration.seq, rank);
            addLayers(db.handle(), id, iteration.seq, rank);
        }
    }));
    return iteration;
}

Result<std::vector<RankTelemetry>> telemetry(const Database& db, const RunId& run, int attempt, int lastReadings)
{
    return guarded(db.path(), [&] {
        auto query =
            prepare(db.handle(),
                    newestOfRanks("telemetry",
                                  "rank, at_ns, cpu_share, own_cpu_share, foreign_cpu_share, memory_bytes, "
                                  "host_memory_used_bytes, disk_read_bytes, network_sent_bytes, foreign_cores_share"),
                    run.str(), attempt, newest(lastReadings));
        std::vector<RankTelemetry> rows;
        while (query.executeStep())
            rows.push_back({query.getColumn(0), readTelemetry(query)});
        return rows;
    });
}

Result<std::vector<RankGpuTelemetry>> gpuTelemetry(const Database& db, const RunId& run, int attempt, int lastReadings)
{
    return guarded(db.path(), [&] {
        auto query = prepare(
            db.handle(),
            newestOfRanks("gpu_telemetry",
                          "rank, at_ns, busy_share, memory_used_bytes, memory_bytes, power_mw, sm_mhz, memory_mhz, "
                          "clock_reasons, pcie_sent_per_second, pcie_received_per_second, nvlink_sent_bytes, "
                          "nvlink_received_bytes, foreign_processes, foreign_memory_bytes"),
            run.str(), attempt, newest(lastReadings));
        std::vector<RankGpuTelemetry> rows;
        while (query.executeStep())
            rows.push_back({query.getColumn(0), readGpuTelemetry(query)});
        return rows;
    });
}

Result<std::vector<LostSamples>> lostSamples(const Database& db, const CampaignId& campaign)
{
    return guarded(db.path(), [&] {
        auto query = prepare(db.handle(), kLostSamples, campaign.str(), sqlText(why::kFilesGone));
        std::vector<LostSamples> lost;
        while (query.executeStep())
            lost.push_back(
                {query.getColumn(0).getInt(), query.getColumn(1).getInt64(), query.getColumn(2).getInt() != 0});
        return lost;
    });
}

} // namespace ringside::store
