// SPDX-License-Identifier: MIT
#include "core/store/ingest.h"

#include "core/stats/disturbed.h"
#include "core/store/guard.h"
#include "core/store/statements.h"
#include "core/store/summaries.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sqlite3.h>
#include <tuple>

namespace ringside::store {

using campaign::RunChange;

namespace {

/// The first column of the row that a look-up finds. It is reset at once: an open one would hold back checkpoints.
template <class... Values> std::optional<std::int64_t> found(SQLite::Statement& query, const Values&... values)
{
    query.tryReset();
    bindAll(query, values...);
    std::optional<std::int64_t> value;
    if (query.executeStep())
        readRow(query, value);
    query.reset();
    return value;
}

/// ", ?, ?"
std::string marks(int count)
{
    std::string text;
    for (int i = 0; i < count; ++i)
        text += ", ?";
    return text;
}

/// Into a table of so many columns, unless its key is there already.
std::string insertInto(const char* table, int columns)
{
    return fmt::format("INSERT OR IGNORE INTO {} VALUES (?{})", table, marks(columns - 1));
}

} // namespace

struct Ingest::Statements
{
    explicit Statements(Database& database)
        : path(database.path())
        , db(database.handle())
    {
    }

    fs::path path;
    SQLite::Database& db;

    SQLite::Statement findRun{db, "SELECT number FROM runs WHERE id = ?"};
    SQLite::Statement findAttempt{db, "SELECT id FROM attempts WHERE run = ? AND attempt = ?"};
    Insert addAttempt{db, "INSERT INTO attempts (run, attempt, state) VALUES (?, ?, 'starting')"};
    Insert addRank{db, "INSERT OR IGNORE INTO ranks (attempt, rank, world_size, host) VALUES (?, ?, ?, ?)"};
    Insert addSample{
        db, fmt::format("INSERT OR IGNORE INTO samples (attempt, rank, {}) VALUES (?{}, nullif(?, {}), nullif(?, 1), "
                        "nullif(?, 1))",
                        sampleColumns(), marks(kSampleColumnCount - 2), PhaseSet::all().bits())};
    Insert addTelemetry{db, insertInto("telemetry", 12)};
    Insert addGpuTelemetry{db, insertInto("gpu_telemetry", 16)};
    Insert addBucket{db, insertInto("buckets", 7)};
    Insert addLayer{db, insertInto("layers", 9)};
    Insert setClock{
        db, "UPDATE ranks SET monotonic_ns = ?3, wall_ns = ?4 WHERE attempt = ?1 AND rank = ?2 AND wall_ns IS NULL"};
    Insert addOffset{db, "INSERT OR IGNORE INTO clock_offsets VALUES (?, ?, ?, ?, abs(?))"};
    Insert addCanary{db, "INSERT OR IGNORE INTO canaries VALUES (?, ?, ?, ?, nullif(?, 0), nullif(?, 0))"};
    Insert setEnd{
        db,
        "UPDATE ranks SET samples_written = ?3, exit_code = ?4, samples_dropped = ?5 WHERE attempt = ?1 AND rank = ?2"};
    Insert count{db, "UPDATE attempts SET samples = samples + ?2, records = records + ?3, last_seq = max(last_seq, ?4) "
                     "WHERE id = ?1"};
    Insert addRefused{db, insertInto("refused", 4)};
    Insert setCursor{
        db, "INSERT INTO cursors VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET file = excluded.file, "
            "offset = CASE WHEN file = excluded.file THEN max(offset, excluded.offset) ELSE excluded.offset END"};
    Insert addFacts{db, "INSERT OR REPLACE INTO facts VALUES (?, ?)"};
    // An attempt that has ended stays as it ended, and a running one does not go back to starting.
    Insert setAttempt{db, "UPDATE attempts SET state = ?2, cause = ?3, reason = ?4, lost_rank = ?5, "
                          "started_ns = CASE WHEN ?2 = 'starting' AND started_ns = 0 THEN ?6 ELSE started_ns END, "
                          "ended_ns = CASE WHEN ?2 IN ('starting', 'running') THEN 0 ELSE ?6 END "
                          "WHERE id = ?1 AND (state = 'starting' OR (state = 'running' AND ?2 <> 'starting'))"};
    Insert noteStart{db, "UPDATE attempts SET started_ns = ?2 WHERE id = ?1 AND started_ns = 0"};
    Insert setRun{db, "UPDATE runs SET attempt = ?2, state = ?3, since_ns = ?4, cause = ?5, reason = nullif(?6, '') "
                      "WHERE number = ?1 AND attempt <= ?2"};
    Insert setWaitingRun{db, "UPDATE runs SET state = ?2, since_ns = ?3, cause = ?4, reason = nullif(?5, '') "
                             "WHERE number = ?1 AND state IN ('queued', 'requeued')"};

    std::map<std::pair<RunId, int>, std::int64_t> attempts; ///< of this drain: what is deleted later is not remembered
    std::int64_t newSamples = 0;

    std::optional<std::int64_t> attemptId(const RunId& run, int attempt);

    void apply(const SpoolArrival& arrival);
    void apply(const RunChange& change);
    void apply(const JournalCursor& cursor) { moveCursor(cursor.campaign, cursor.cursor); }
    void apply(const FactsArrival& facts);
    void moveCursor(const CampaignId& campaign, const StoredCursor& cursor);

    void add(std::int64_t attempt, int rank, const Sample& s);
    void add(std::int64_t attempt, int rank, const Telemetry& t);
    void add(std::int64_t attempt, int rank, const GpuTelemetry& t);
    void add(std::int64_t attempt, int rank, const BucketTimings& timings);
    void add(std::int64_t attempt, int rank, const LayerTimings& timings);
    void add(std::int64_t attempt, int rank, const ClockPair& pair)
    {
        setClock(attempt, rank, pair.monotonicNs, pair.wallNs);
    }
    void add(std::int64_t attempt, int rank, const ClockOffset& clock)
    {
        addOffset(attempt, rank, clock.atNs, clock.offsetNs, clock.uncertaintyNs);
    }
    void add(std::int64_t attempt, int rank, const Canary& canary)
    {
        addCanary(attempt, rank, canary.after, canary.atNs, canary.readBytesPerSecond, canary.allReduceNs);
    }
    void add(std::int64_t attempt, int rank, const End& end)
    {
        setEnd(attempt, rank, end.samples, end.exitCode, end.droppedSamples);
    }
    void add(std::int64_t, int, const Heartbeat&) {} // proof of life for the runner; nothing to store
};

std::optional<std::int64_t> Ingest::Statements::attemptId(const RunId& run, int attempt)
{
    if (const auto known = attempts.find({run, attempt}); known != attempts.end())
        return known->second;
    const auto number = found(findRun, run);
    if (!number)
        return std::nullopt;
    auto id = found(findAttempt, *number, attempt);
    if (!id) { // its samples may come before the journal says that it started
        addAttempt(*number, attempt);
        id = db.getLastInsertRowid();
    }
    attempts.emplace(std::pair(run, attempt), *id);
    return id;
}

void Ingest::Statements::add(std::int64_t attempt, int rank, const Sample& s)
{
    std::apply(
        [&](const auto&... phaseNs) {
            addSample(attempt, rank, s.seq, s.startNs, phaseNs..., s.readNs, s.decodeNs, s.h2dTotalNs, s.commTotalNs,
                      s.bytesSent, s.items, s.badItems, s.loss, s.told.bits(), s.iterations, s.ofRanks);
        },
        s.phases);
}

namespace {

/// Whatever a spool has, a share is one.
float share(float value)
{
    return std::isfinite(value) ? std::clamp(value, 0.0f, 1.0f) : 0.0f;
}

/// NaN becomes NULL.
float told(float value)
{
    return std::isfinite(value) && value >= 0 ? share(value) : std::numeric_limits<float>::quiet_NaN();
}

std::int64_t countOf(std::uint32_t processes)
{
    return processes == GpuTelemetry::kUnknown ? stats::kUnknownProcesses : processes;
}

} // namespace

void Ingest::Statements::add(std::int64_t attempt, int rank, const Telemetry& t)
{
    addTelemetry(attempt, rank, t.atNs, share(t.cpuShare), share(t.ownCpuShare), share(t.foreignCpuShare),
                 t.memoryBytes, t.hostMemoryUsedBytes, t.diskReadBytes, t.networkSentBytes, told(t.foreignCoresShare),
                 told(t.ownCoresShare));
}

void Ingest::Statements::add(std::int64_t attempt, int rank, const GpuTelemetry& t)
{
    addGpuTelemetry(attempt, rank, t.atNs, share(t.busyShare), t.memoryUsedBytes, t.memoryBytes, t.powerMilliwatts,
                    t.smMegahertz, t.memoryMegahertz, t.clockReasons, t.pcieSentPerSecond, t.pcieReceivedPerSecond,
                    t.nvlinkSentBytes, t.nvlinkReceivedBytes, countOf(t.foreignProcesses), t.foreignMemoryBytes);
}

void Ingest::Statements::add(std::int64_t attempt, int rank, const BucketTimings& timings)
{
    for (const BucketTiming& b : timings.buckets)
        addBucket(attempt, rank, timings.seq, b.bucket, b.startNs, b.lengthNs, b.bytes);
}

void Ingest::Statements::add(std::int64_t attempt, int rank, const LayerTimings& timings)
{
    std::uint32_t layer = 0;
    for (const LayerTiming& t : timings.layers)
        addLayer(attempt, rank, timings.seq, layer++, t.forwardStartNs, t.forwardNs, t.backwardStartNs, t.backwardNs,
                 t.readyNs);
}

void Ingest::Statements::apply(const SpoolArrival& arrival)
{
    const auto attempt = attemptId(arrival.run, arrival.attempt);
    if (!attempt)
        return;
    if (arrival.header)
        addRank(*attempt, arrival.rank, arrival.header->worldSize, arrival.header->host);
    std::int64_t samples = 0;
    std::uint32_t lastSeq = 0;
    const std::int64_t before = sqlite3_total_changes64(db.getHandle());
    for (const Record& record : arrival.records) {
        const std::int64_t counted = sqlite3_total_changes64(db.getHandle());
        std::visit([&](const auto& value) { add(*attempt, arrival.rank, value); }, record);
        if (const auto* sample = std::get_if<Sample>(&record)) {
            samples += sqlite3_total_changes64(db.getHandle()) - counted;
            lastSeq = std::max(lastSeq, sample->seq);
        }
    }
    for (const RefusedRecord& record : arrival.refused)
        addRefused(*attempt, arrival.rank, record.seq, record.why);
    count(*attempt, samples, sqlite3_total_changes64(db.getHandle()) - before, lastSeq);
    newSamples += samples;
    moveCursor(arrival.campaign, arrival.cursor);
}

void Ingest::Statements::apply(const RunChange& change)
{
    const auto number = found(findRun, change.run);
    if (!number)
        return;
    if (change.attempt == 0)
        return setWaitingRun(*number, change.state, change.atNs, change.cause, change.reason);
    const std::int64_t attempt = *attemptId(change.run, change.attempt);
    setAttempt(attempt, change.state, change.cause, change.reason, change.lostRank, change.atNs);
    if (db.getChanges() > 0) // else it is a replay, and a later campaign may have put the run elsewhere
        return setRun(*number, change.attempt, change.state, change.atNs, change.cause, change.reason);
    if (change.state == RunState::starting)
        noteStart(attempt, change.atNs);
}

void Ingest::Statements::apply(const FactsArrival& facts)
{
    if (const auto attempt = attemptId(facts.run, facts.attempt))
        addFacts(*attempt, facts.json);
}

void Ingest::Statements::moveCursor(const CampaignId& campaign, const StoredCursor& cursor)
{
    auto known = prepare(db, "SELECT 1 FROM campaigns WHERE id = ?", campaign);
    if (known.executeStep())
        setCursor(campaign, cursor.path, cursor.file, cursor.offset);
}

Result<Ingest> Ingest::create(Database& db)
{
    return guarded(db.path(), [&] { return Ingest(std::make_unique<Statements>(db)); });
}

Ingest::Ingest(std::unique_ptr<Statements> statements)
    : m_statements(std::move(statements))
{
}
Ingest::Ingest(Ingest&&) noexcept = default;
Ingest::~Ingest() = default;

Result<std::int64_t> Ingest::drain(const std::vector<Arrival>& arrivals)
{
    return inTransaction(m_statements->db, m_statements->path, [&] { return add(arrivals); });
}

Result<std::int64_t> Ingest::add(const std::vector<Arrival>& arrivals)
{
    m_statements->attempts.clear();
    m_statements->newSamples = 0;
    return guarded(m_statements->path, [&] {
        for (const Arrival& arrival : arrivals)
            std::visit([&](const auto& value) { m_statements->apply(value); }, arrival);
        return m_statements->newSamples;
    });
}

} // namespace ringside::store
