// SPDX-License-Identifier: MIT
#include "core/store/summaries.h"

#include "core/stats/quantile.h"
#include "core/stats/throughput.h"
#include "core/store/canaries.h"
#include "core/store/disturbances.h"
#include "core/store/guard.h"
#include "core/store/lacks.h"
#include "core/store/phasecolumns.h"
#include "core/store/statements.h"

#include <SQLiteCpp/Savepoint.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sqlite3.h>

namespace ringside::store {

std::string summaryColumns()
{
    return "s.rank, s.iterations, s.items, s.length_ns, " + forEachPhase("s.{}") +
           ", s.read_ns, s.decode_ns, s.comm_total_ns, s.bytes_sent, s.bad_items, s.last_loss, s.told";
}

std::string sampleColumns()
{
    return "seq, start_ns, " + forEachPhase("{}") +
           ", read_ns, decode_ns, h2d_total_ns, comm_total_ns, bytes_sent, items, bad_items, loss, told";
}

namespace {

constexpr const char* kEnded = "state IN ('done', 'failed', 'cancelled', 'requeued')";

/// Steady iterations begin after `warmup`. A rank's time begins where its last warm-up iteration ends, or, without one,
/// where its first steady iteration begins. Of total(), because sum() fails where a sum is too large; up to 2^53 it is
/// exact. Which phases are told is looked at again only where a sample does not tell all. {0}, {1}: the ends of s and
/// w; {2}: the sums of phases; {3}: their columns; {4}: those that are told.
constexpr const char* kWriteSummary = R"sql(
INSERT INTO summary (attempt, rank, warmup, iterations, items, length_ns, {3}, read_ns, decode_ns, comm_total_ns,
                     bytes_sent, bad_items, last_loss, told)
SELECT s.attempt, s.rank, ?2, count(*), CAST(total(s.items) AS INTEGER),
       max({0}) - coalesce((SELECT {1} FROM samples w WHERE w.attempt = s.attempt AND w.rank = s.rank AND w.seq = ?2 - 1),
                           min(s.start_ns)),
       {2}, CAST(total(s.read_ns) AS INTEGER), CAST(total(s.decode_ns) AS INTEGER),
       CAST(total(s.comm_total_ns) AS INTEGER), CAST(total(s.bytes_sent) AS INTEGER), CAST(total(s.bad_items) AS INTEGER),
       (SELECT l.loss FROM samples l WHERE l.attempt = s.attempt AND l.rank = s.rank ORDER BY l.seq DESC LIMIT 1),
       CASE WHEN count(s.told) > 0 THEN
           (SELECT {4} FROM samples t WHERE t.attempt = s.attempt AND t.rank = s.rank AND t.seq >= ?2) END
FROM samples s WHERE s.attempt = ?1 AND s.seq >= ?2 GROUP BY s.rank)sql";

struct Attempt
{
    std::int64_t id = 0;
    RunId run;
    RunState state = RunState::unknown;
    int iterations = 0, warmup = 0;
};

std::vector<Attempt> attemptsWhere(SQLite::Database& db, const std::string& condition)
{
    SQLite::Statement query(
        db, "SELECT a.id, r.id, a.state, r.iterations, r.warmup FROM attempts a JOIN runs r ON r.number = a.run "
            "WHERE a.id IN (SELECT id FROM attempts WHERE " +
                condition + ") ORDER BY a.id");
    std::vector<Attempt> found;
    while (query.executeStep())
        found.push_back({query.getColumn(0), storedId<RunId>(query.getColumn(1)),
                         valueNamed<RunState>(query.getColumn(2).getString()).value_or(RunState::unknown),
                         query.getColumn(3), query.getColumn(4)});
    return found;
}

std::vector<FlagReason> reasonsOf(SQLite::Database& db, const Attempt& attempt)
{
    const bool isDone = attempt.state == RunState::done; // another lacks what it lacks by its state
    std::vector<FlagReason> reasons;
    addDisturbances(reasons, db, attempt.id);
    addUnusualCanaries(reasons, db, attempt.id);
    std::ranges::stable_sort(reasons, {}, &FlagReason::flag); // disturbed before throttled
    addIncomplete(reasons, db, attempt.id, attempt.state, attempt.iterations);
    if (isDone)
        addUnobserved(reasons, db, attempt.id);
    addNan(reasons, db, attempt.id);
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
    int ranks = 0;

    double rate() const { return items * 1e9 / static_cast<double>(longestNs); }
};

SeriesPoint pointOf(double middle, std::vector<double> rates)
{
    const auto [low, high] = std::ranges::minmax(rates);
    return {middle, low, stats::median(std::move(rates)), high};
}

std::vector<RankSample> lengthsOf(SQLite::Database& db, std::int64_t attempt)
{
    auto query =
        prepare(db, "SELECT s.rank, s.seq, s.items, " + lengthOf("s") + " FROM samples s WHERE s.attempt = ?", attempt);
    std::vector<RankSample> rows;
    while (query.executeStep()) {
        Sample sample;
        sample.seq = query.getColumn(1).getUInt();
        sample.items = query.getColumn(2).getUInt();
        sample.phases[0] = query.getColumn(3); // their sum is all that a rate needs
        rows.push_back({query.getColumn(0), sample});
    }
    return rows;
}

void writeSeries(SQLite::Database& db, std::int64_t attempt)
{
    auto size = prepare(db, "SELECT coalesce(min(world_size), 1) FROM ranks WHERE attempt = ?", attempt);
    size.executeStep();
    SQLite::Statement insert(db, "INSERT INTO series VALUES (?, ?, ?, ?, ?, ?)");
    int number = 0;
    for (const SeriesPoint& point : makeSeries(lengthsOf(db, attempt), size.getColumn(0))) {
        insert.bind(1, attempt);
        insert.bind(2, number++);
        insert.bind(3, point.iteration);
        insert.bind(4, point.low);
        insert.bind(5, point.median);
        insert.bind(6, point.high);
        insert.exec();
        insert.reset();
    }
}

// ---- one attempt

std::optional<double> throughputOf(SQLite::Database& db, const Attempt& attempt)
{
    if (attempt.state != RunState::done)
        return std::nullopt;
    std::vector<stats::RankWork> work;
    for (const RankSummary& rank : summariesOf(db, attempt.id))
        work.push_back({rank.items, rank.lengthNs});
    return stats::runThroughput(work);
}

void writeResult(SQLite::Database& db, const Attempt& attempt)
{
    SQLite::Statement update(db,
                             "UPDATE attempts SET items_per_second = ?, flags = ?, summarised = records WHERE id = ?");
    if (const auto rate = throughputOf(db, attempt))
        update.bind(1, *rate);
    const std::vector<FlagReason> reasons = reasonsOf(db, attempt);
    writeReasons(db, attempt.id, reasons);
    update.bind(2, flagsJson(reasons));
    update.bind(3, attempt.id);
    update.exec();
}

void summarise(SQLite::Database& db, const Attempt& attempt)
{
    execute(db, "DELETE FROM summary WHERE attempt = ?", attempt.id);
    execute(db, "DELETE FROM series WHERE attempt = ?", attempt.id);
    const std::string sums = forEachPhase("CAST(total(s.{}) AS INTEGER)");
    execute(db, fmt::format(kWriteSummary, endOf("s"), endOf("w"), sums, forEachPhase("{}"), toldByAll("t")),
            attempt.id, attempt.warmup);
    writeSeries(db, attempt.id);
    writeResult(db, attempt);
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
    execute(db.handle(), "DELETE FROM summary WHERE attempt = ?", attempt.id);
    execute(db.handle(), "DELETE FROM series WHERE attempt = ?", attempt.id);
    const std::vector<FlagReason> reasons = {FlagReason{"incomplete", sqlText(flagcode::kNoSummary)}};
    writeReasons(db.handle(), attempt.id, reasons);
    execute(db.handle(), "UPDATE attempts SET items_per_second = NULL, flags = ?, summarised = records WHERE id = ?",
            flagsJson(reasons), attempt.id);
    auto number = prepare(db.handle(), "SELECT number FROM runs WHERE id = ?", attempt.run.str());
    number.executeStep();
    return {ErrorCode::damaged,
            Words::tr("Run {} has samples that cannot be summed up ({}).", number.getColumn(0).getInt(),
                      exception.getErrorStr()),
            Words::tr("They are kept, and the run is marked incomplete.")};
}

void summariseOrSetAside(const Database& db, const Attempt& attempt, const TellProblem& tell)
{
    try {
        SQLite::Savepoint savepoint(db.handle(), "attempt");
        summarise(db.handle(), attempt);
        savepoint.release();
    } catch (const SQLite::Exception& exception) {
        if (!isItsOwn(exception))
            throw;
        const Error problem = setAside(db, attempt, exception);
        if (tell)
            tell(problem);
    }
}

Result<std::vector<RunId>> summariseWhere(Database& db, const std::string& condition, const TellProblem& tell = {})
{
    return guarded(db.path(), [&] {
        std::vector<RunId> runs;
        const std::vector<Attempt> attempts = attemptsWhere(db.handle(), condition);
        if (attempts.empty())
            return runs;
        SQLite::Transaction transaction(db.handle(), SQLite::TransactionBehavior::IMMEDIATE);
        for (const Attempt& attempt : attempts) {
            summariseOrSetAside(db, attempt, tell);
            runs.push_back(attempt.run);
        }
        transaction.commit();
        return runs;
    });
}

} // namespace

std::vector<SeriesPoint> makeSeries(const std::vector<RankSample>& samples, int worldSize)
{
    std::map<std::uint32_t, Iteration> iterations;
    for (const auto& [rank, sample] : samples) {
        Iteration& iteration = iterations[sample.seq];
        iteration.items += sample.items;
        iteration.longestNs = std::max(iteration.longestNs, sample.lengthNs());
        ++iteration.ranks;
    }
    if (iterations.empty())
        return {};
    const std::uint32_t span = iterations.rbegin()->first / kMaxSeriesPoints + 1;
    std::map<std::uint32_t, std::vector<double>> spans;
    for (const auto& [seq, iteration] : iterations)
        if (iteration.ranks == worldSize && iteration.longestNs > 0)
            spans[seq / span].push_back(iteration.rate());
    std::vector<SeriesPoint> points;
    for (auto& [number, rates] : spans)
        points.push_back(pointOf(number * static_cast<double>(span) + (span - 1) / 2.0, std::move(rates)));
    return points;
}

Result<void> rebuildSummaries(Database& db)
{
    TRY(summariseWhere(db, kEnded));
    return {};
}

Result<std::vector<RunId>> refreshSummaries(Database& db, const TellProblem& tell)
{
    return summariseWhere(db, sqlText(kEnded) + " AND summarised <> records", tell);
}

float lossOf(const SQLite::Column& column)
{
    return column.isNull() ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(column.getDouble());
}

PhaseSet toldOf(const SQLite::Column& column)
{
    return column.isNull() ? PhaseSet::all() : PhaseSet::ofBits(column.getUInt());
}

RankSummary readSummary(SQLite::Statement& row)
{
    int column = 0;
    const auto next = [&] { return row.getColumn(column++); };
    RankSummary rank;
    rank.rank = next();
    rank.iterations = next().getUInt();
    rank.items = static_cast<std::uint64_t>(next().getInt64());
    rank.lengthNs = next();
    for (std::int64_t& ns : rank.phaseSums)
        ns = next();
    rank.readSum = next();
    rank.decodeSum = next();
    rank.commTotalSum = next();
    rank.bytesSent = static_cast<std::uint64_t>(next().getInt64());
    rank.badItems = static_cast<std::uint64_t>(next().getInt64());
    rank.lastLoss = lossOf(next());
    rank.told = toldOf(next());
    return rank;
}

std::vector<RankSummary> summariesOf(SQLite::Database& db, std::int64_t attempt)
{
    auto query = prepare(
        db, sqlText("SELECT ") + summaryColumns() + " FROM summary s WHERE s.attempt = ? ORDER BY s.rank", attempt);
    std::vector<RankSummary> ranks;
    while (query.executeStep())
        ranks.push_back(readSummary(query));
    return ranks;
}

} // namespace ringside::store
