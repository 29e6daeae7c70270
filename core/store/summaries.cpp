// SPDX-License-Identifier: MIT
#include "core/store/summaries.h"

#include "core/base/sequences.h"
#include "core/jobs/programs/table.h"
#include "core/stats/quantile.h"
#include "core/stats/throughput.h"
#include "core/store/canaries.h"
#include "core/store/disturbances.h"
#include "core/store/lacks.h"
#include "core/store/phasecolumns.h"
#include "core/store/statements.h"
#include "core/store/utilisation.h"

#include <SQLiteCpp/Savepoint.h>
#include <algorithm>
#include <limits>
#include <map>
#include <sqlite3.h>

namespace ringside::store {

std::string summaryColumns()
{
    return "s.rank, s.iterations, s.items, s.length_ns, " + forEachPhase("s.{}") +
           ", s.read_ns, s.decode_ns, s.comm_total_ns, s.bytes_sent, s.bad_items, s.last_loss, s.told, s.records, "
           "s.of_ranks, s.own_cores_share, s.gpu_busy_share";
}

std::string sampleColumns()
{
    return "seq, start_ns, " + forEachPhase("{}") +
           ", read_ns, decode_ns, h2d_total_ns, comm_total_ns, bytes_sent, items, bad_items, loss, told, iterations, "
           "of_ranks";
}

namespace {

/// Steady iterations begin after `warmup`: a sample of several that begins before is left out. A rank's time begins
/// where its last warm-up iteration ends, or, without one or if iterations are missing behind it, where its first
/// steady one begins; of samples in parts it is the sum of their lengths, since nothing shows what the rank did between
/// them. It uses total(), because sum()
/// fails where a sum is too large; up to 2^53 it is exact. The reported phases are looked at again only where a sample
/// does not report all. {0}, {1}: the ends of s and w; {2}: the sums of phases; {3}: their columns; {4}: those that are
/// reported; {5}: the length of s; {6}, {7}: the first iterations of s and t; {8}: whether they are in parts.
constexpr const char* kWriteSummary = R"sql(
INSERT INTO summary (attempt, rank, warmup, iterations, items, length_ns, {3}, read_ns, decode_ns, comm_total_ns,
                     bytes_sent, bad_items, last_loss, told, records, of_ranks)
SELECT s.attempt, s.rank, ?2, min(count(*) + coalesce(sum(s.iterations - 1), 0), 2147483647), CAST(total(s.items) AS INTEGER),
       CASE WHEN {8} THEN CAST(total({5}) AS INTEGER) ELSE
       max({0}) - coalesce(CASE WHEN min(s.seq) = ?2 THEN
           (SELECT {1} FROM samples w WHERE w.attempt = s.attempt AND w.rank = s.rank AND w.seq = ?2 - 1) END,
                           min(s.start_ns)) END,
       {2}, CAST(total(s.read_ns) AS INTEGER), CAST(total(s.decode_ns) AS INTEGER),
       CAST(total(s.comm_total_ns) AS INTEGER), CAST(total(s.bytes_sent) AS INTEGER), CAST(total(s.bad_items) AS INTEGER),
       (SELECT l.loss FROM samples l WHERE l.attempt = s.attempt AND l.rank = s.rank ORDER BY l.seq DESC LIMIT 1),
       CASE WHEN count(s.told) > 0 THEN
           (SELECT {4} FROM samples t WHERE t.attempt = s.attempt AND t.rank = s.rank AND t.seq >= ?2 AND {7} >= ?2) END,
       CASE WHEN {8} THEN count(*) END, max(s.of_ranks)
FROM samples s WHERE s.attempt = ?1 AND s.seq >= ?2 AND {6} >= ?2 GROUP BY s.rank)sql";

/// Samples of several iterations or ranks; or of single ones with gaps between them: a system's own lines may be of
/// each tenth, and those of our own engine may have been lost.
constexpr const char* kInParts = R"sql(
(count(s.iterations) + count(s.of_ranks) > 0 OR max(s.seq) - min(s.seq) >= count(*)))sql";

struct Attempt
{
    std::int64_t id = 0;
    RunId run;
    RunState state = RunState::unknown;
    int iterations = 0, warmup = 0;
    bool isOfSystem = false;
    RunKind kind = RunKind::run;
};

std::vector<Attempt> attemptsToSummarise(SQLite::Database& db)
{
    const auto read = [](SQLite::Statement& row, Attempt& attempt) {
        std::string engine;
        readRow(row, attempt.id, attempt.run, attempt.state, attempt.iterations, attempt.warmup, engine, attempt.kind);
        attempt.isOfSystem = !jobs::isOwn(engine);
    };
    return rowsOf<Attempt>(db, read,
                           "SELECT a.id, r.id, a.state, r.iterations, r.warmup, coalesce(json_extract(c.settings, "
                           "'$.engine'), 'ringside'), r.kind FROM attempts a JOIN runs r ON r.number = a.run "
                           "JOIN configurations c ON c.key = r.configuration WHERE a.id IN (SELECT id FROM attempts "
                           "WHERE state IN ('done', 'failed', 'cancelled', 'requeued') AND summarised <> "
                           "records) ORDER BY a.id");
}

std::vector<FlagReason> reasonsOf(SQLite::Database& db, const Attempt& attempt)
{
    const bool isDone = attempt.state == RunState::done; // another lacks what it lacks by its state
    std::vector<FlagReason> reasons;
    addDisturbances(reasons, db, attempt.id);
    addUnusualCanaries(reasons, db, attempt.id);
    std::ranges::stable_sort(reasons, {}, &FlagReason::flag); // disturbed before throttled
    if (attempt.kind != RunKind::imported) {                  // what a log does not state is noted where it is imported
        addIncomplete(reasons, db, attempt.id, attempt.state, attempt.iterations, attempt.isOfSystem);
        if (isDone)
            addUnobserved(reasons, db, attempt.id);
    }
    const bool isOthers = attempt.isOfSystem || attempt.kind == RunKind::imported;
    addNan(reasons, db, attempt.id, isOthers ? Losses::someTold : Losses::allTold);
    if (isDone)
        addShort(reasons, db, attempt.id);
    addEmulated(reasons, db, attempt.id);
    return reasons;
}

// ---- series

struct Iteration
{
    double items = 0;
    std::int64_t longestNs = 0;
    std::int64_t ranks = 0; ///< that samples cover
    std::uint32_t samples = 0, covered = 0;

    void add(const Sample& sample)
    {
        items += sample.items;
        longestNs = std::max(longestNs, sample.lengthNs());
        ranks += sample.ofRanks;
        covered = ++samples == 1 || covered == sample.iterations ? sample.iterations : 0;
    }
    /// Every rank has reported, and all of them the same iterations; more, where some report for others.
    bool isWhole(int worldSize) const
    {
        return covered > 0 && longestNs > 0 && (ranks == worldSize || (ranks > worldSize && ranks > samples));
    }
    double rate(int worldSize) const
    {
        const double all = items * 1e9 / static_cast<double>(longestNs);
        return ranks == worldSize ? all : all * worldSize / static_cast<double>(ranks);
    }
};

SeriesPoint pointOf(double middle, std::vector<double> rates)
{
    const auto [low, high] = std::ranges::minmax(rates);
    return {middle, low, stats::median(std::move(rates)), high};
}

int worldSizeOf(SQLite::Database& db, std::int64_t attempt)
{
    return valueOf(db, 1, "SELECT coalesce(min(world_size), 1) FROM ranks WHERE attempt = ?", attempt);
}

using Iterations = std::map<std::uint32_t, Iteration>;

/// Sample by sample: all of a long attempt would not be in memory at once.
Iterations iterationsOf(SQLite::Database& db, std::int64_t attempt)
{
    SQLite::Statement row(db, "SELECT s.seq, s.items, " + lengthOf("s") +
                                  ", s.iterations, s.of_ranks FROM samples s WHERE s.attempt = ?");
    bindAll(row, attempt);
    Iterations iterations;
    while (row.executeStep()) {
        Sample sample;
        readRow(row, sample.seq, sample.items, sample.phases[0], sample.iterations,
                sample.ofRanks); // the sum of its phases is all that a rate needs
        iterations[sample.seq].add(sample);
    }
    return iterations;
}

std::vector<SeriesPoint> seriesOf(const Iterations& iterations, int worldSize)
{
    if (iterations.empty())
        return {};
    const std::uint32_t span = iterations.rbegin()->first / kMaxSeriesPoints + 1;
    std::map<std::uint32_t, std::vector<double>> spans;
    for (const auto& [seq, iteration] : iterations)
        if (iteration.isWhole(worldSize))
            spans[(seq - iteration.covered / 2) / span].push_back(iteration.rate(worldSize));
    std::vector<SeriesPoint> points;
    for (auto& [number, rates] : spans)
        points.push_back(pointOf(number * static_cast<double>(span) + (span - 1) / 2.0, std::move(rates)));
    return points;
}

void writeSeries(SQLite::Database& db, std::int64_t attempt)
{
    const int size = worldSizeOf(db, attempt);
    Insert insert(db, "INSERT INTO series VALUES (?, ?, ?, ?, ?, ?)");
    int number = 0;
    for (const SeriesPoint& point : seriesOf(iterationsOf(db, attempt), size))
        insert(attempt, number++, point.iteration, point.low, point.median, point.high);
}

// ---- one attempt

std::optional<double> throughputOf(SQLite::Database& db, const Attempt& attempt)
{
    if (attempt.state != RunState::done)
        return std::nullopt;
    const Counts counts = attempt.isOfSystem ? Counts::mayDiffer : Counts::areEqual;
    return stats::runThroughput(workOf(summariesOf(db, attempt.id), counts), worldSizeOf(db, attempt.id));
}

void writeResult(SQLite::Database& db, std::int64_t attempt, std::optional<double> rate,
                 const std::vector<FlagReason>& reasons)
{
    writeReasons(db, attempt, reasons);
    execute(db, "UPDATE attempts SET items_per_second = ?, flags = ?, summarised = records WHERE id = ?", rate,
            flagsJson(reasons), attempt);
}

void forget(SQLite::Database& db, std::int64_t attempt)
{
    execute(db, "DELETE FROM summary WHERE attempt = ?", attempt);
    execute(db, "DELETE FROM series WHERE attempt = ?", attempt);
}

void summarise(SQLite::Database& db, const Attempt& attempt)
{
    forget(db, attempt.id);
    const std::string sums = forEachPhase("CAST(total(s.{}) AS INTEGER)");
    execute(db,
            fmt::format(kWriteSummary, endOf("s"), endOf("w"), sums, forEachPhase("{}"), toldByAll("t"), lengthOf("s"),
                        firstOf("s"), firstOf("t"), kInParts),
            attempt.id, attempt.warmup);
    writeUtilisation(db, attempt.id);
    writeSeries(db, attempt.id);
    writeResult(db, attempt.id, throughputOf(db, attempt), reasonsOf(db, attempt));
}

/// True if SQLite refuses this summary and would make another: the file and the disk are as they should be.
bool isItsOwn(const SQLite::Exception& exception)
{
    const int kind = exception.getErrorCode() & 0xFF;
    return kind == SQLITE_ERROR || kind == SQLITE_CONSTRAINT || kind == SQLITE_MISMATCH || kind == SQLITE_TOOBIG;
}

/// Flagged, and not tried again before something comes to it.
Error setAside(const Database& db, const Attempt& attempt, const SQLite::Exception& exception)
{
    forget(db.handle(), attempt.id);
    writeResult(db.handle(), attempt.id, {}, {{runflag::kIncomplete, sqlText(flagcode::kNoSummary)}});
    const int number = valueOf(db.handle(), 0, "SELECT number FROM runs WHERE id = ?", attempt.run);
    return {ErrorCode::damaged,
            Words::tr("Run {} has samples that cannot be summed up ({}).", number, exception.getErrorStr()),
            Words::tr("They are kept, and the run is marked incomplete.")};
}

void summariseOrSetAside(const Database& db, const Attempt& attempt, const ReportProblem& report)
{
    try {
        SQLite::Savepoint savepoint(db.handle(), "attempt");
        summarise(db.handle(), attempt);
        savepoint.release();
    } catch (const SQLite::Exception& exception) {
        if (!isItsOwn(exception))
            throw;
        const Error problem = setAside(db, attempt, exception);
        if (report)
            report(problem);
    }
}

} // namespace

std::vector<SeriesPoint> makeSeries(const std::vector<RankSample>& samples, int worldSize)
{
    Iterations iterations;
    for (const auto& [rank, sample] : samples)
        iterations[sample.seq].add(sample);
    return seriesOf(iterations, worldSize);
}

Result<std::vector<RunId>> refreshSummaries(Database& db, const ReportProblem& report)
{
    return guarded(db.path(), [&]() -> Result<std::vector<RunId>> {
        TRY(requireInPlace(db.handle(), db.path()));
        const std::vector<Attempt> attempts = attemptsToSummarise(db.handle());
        if (attempts.empty())
            return std::vector<RunId>();
        return inTransaction(db.handle(), db.path(), [&]() -> Result<std::vector<RunId>> {
            std::vector<RunId> runs;
            for (const Attempt& attempt : attempts) {
                summariseOrSetAside(db, attempt, report);
                runs.push_back(attempt.run);
            }
            return runs;
        });
    });
}

void readSummary(SQLite::Statement& row, RankSummary& of)
{
    of.lastLoss = std::numeric_limits<float>::quiet_NaN();
    readRow(row, of.rank, of.iterations, of.items, of.lengthNs, of.phaseSums, of.readSum, of.decodeSum, of.commTotalSum,
            of.bytesSent, of.badItems, of.lastLoss, of.told, of.records, of.ofRanks, of.ownCoresShare, of.gpuBusyShare);
}

std::vector<stats::RankWork> workOf(const std::vector<RankSummary>& ranks, Counts counts)
{
    return mapped(ranks, [counts](const RankSummary& rank) {
        return stats::RankWork{rank.items, rank.lengthNs, rank.isInParts(), rank.ofRanks,
                               counts == Counts::areEqual ? rank.iterations : 0};
    });
}

std::vector<RankSummary> summariesOf(SQLite::Database& db, std::int64_t attempt)
{
    return rowsOf<RankSummary>(
        db, readSummary, "SELECT " + summaryColumns() + " FROM summary s WHERE s.attempt = ? ORDER BY s.rank", attempt);
}

} // namespace ringside::store
