// SPDX-License-Identifier: MIT
#include "core/store/summaries.h"

#include "core/stats/quantile.h"
#include "core/stats/throughput.h"
#include "core/store/canaries.h"
#include "core/store/disturbances.h"
#include "core/store/guard.h"
#include "core/store/lacks.h"
#include "core/store/statements.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace ringside::store {

const char* const kSummaryColumns =
    "s.rank, s.iterations, s.items, s.length_ns, s.input_wait_ns, s.h2d_ns, s.forward_ns, s.backward_ns, "
    "s.comm_exposed_ns, "
    "s.update_ns, s.other_ns, s.read_ns, s.decode_ns, s.comm_total_ns, s.bytes_sent, s.bad_items, s.last_loss";

const char* const kSampleColumns = "seq, start_ns, input_wait_ns, h2d_ns, forward_ns, backward_ns, comm_exposed_ns, "
                                   "update_ns, other_ns, read_ns, decode_ns, "
                                   "h2d_total_ns, comm_total_ns, bytes_sent, items, bad_items, loss";

namespace {

constexpr const char* kEnded = "state IN ('done', 'failed', 'cancelled', 'requeued')";

/// Steady iterations begin after `warmup`. A rank's time begins where its last warm-up iteration ends, or, without one,
/// where its first steady iteration begins.
constexpr const char* kWriteSummary = R"sql(
INSERT INTO summary
SELECT s.attempt, s.rank, ?2, count(*), sum(s.items),
       max(s.start_ns + s.input_wait_ns + s.h2d_ns + s.forward_ns + s.backward_ns + s.comm_exposed_ns + s.update_ns + s.other_ns)
       - coalesce((SELECT w.start_ns + w.input_wait_ns + w.h2d_ns + w.forward_ns + w.backward_ns + w.comm_exposed_ns
                          + w.update_ns + w.other_ns
                   FROM samples w WHERE w.attempt = s.attempt AND w.rank = s.rank AND w.seq = ?2 - 1), min(s.start_ns)),
       sum(s.input_wait_ns), sum(s.h2d_ns), sum(s.forward_ns), sum(s.backward_ns), sum(s.comm_exposed_ns), sum(s.update_ns),
       sum(s.other_ns), sum(s.read_ns), sum(s.decode_ns), sum(s.comm_total_ns), sum(s.bytes_sent), sum(s.bad_items),
       (SELECT l.loss FROM samples l WHERE l.attempt = s.attempt AND l.rank = s.rank ORDER BY l.seq DESC LIMIT 1)
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
                         runStateFromName(query.getColumn(2).getString()).value_or(RunState::unknown),
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
        prepare(db,
                "SELECT rank, seq, items, input_wait_ns + h2d_ns + forward_ns + backward_ns + comm_exposed_ns + "
                "update_ns + other_ns FROM samples WHERE attempt = ?",
                attempt);
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
    execute(db, kWriteSummary, attempt.id, attempt.warmup);
    writeSeries(db, attempt.id);
    writeResult(db, attempt);
}

Result<std::vector<RunId>> summariseWhere(Database& db, const std::string& condition)
{
    return guarded(db.path(), [&] {
        std::vector<RunId> runs;
        const std::vector<Attempt> attempts = attemptsWhere(db.handle(), condition);
        if (attempts.empty())
            return runs;
        SQLite::Transaction transaction(db.handle(), SQLite::TransactionBehavior::IMMEDIATE);
        for (const Attempt& attempt : attempts) {
            summarise(db.handle(), attempt);
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

Result<std::vector<RunId>> refreshSummaries(Database& db)
{
    return summariseWhere(db, sqlText(kEnded) + " AND summarised <> records");
}

float lossOf(const SQLite::Column& column)
{
    return column.isNull() ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(column.getDouble());
}

RankSummary readSummary(SQLite::Statement& row)
{
    RankSummary rank;
    rank.rank = row.getColumn(0);
    rank.iterations = row.getColumn(1).getUInt();
    rank.items = static_cast<std::uint64_t>(row.getColumn(2).getInt64());
    rank.lengthNs = row.getColumn(3);
    for (std::size_t phase = 0; phase < kPhaseCount; ++phase)
        rank.phaseSums[phase] = row.getColumn(4 + static_cast<int>(phase));
    rank.readSum = row.getColumn(11);
    rank.decodeSum = row.getColumn(12);
    rank.commTotalSum = row.getColumn(13);
    rank.bytesSent = static_cast<std::uint64_t>(row.getColumn(14).getInt64());
    rank.badItems = static_cast<std::uint64_t>(row.getColumn(15).getInt64());
    rank.lastLoss = lossOf(row.getColumn(16));
    return rank;
}

std::vector<RankSummary> summariesOf(SQLite::Database& db, std::int64_t attempt)
{
    auto query = prepare(
        db, sqlText("SELECT ") + kSummaryColumns + " FROM summary s WHERE s.attempt = ? ORDER BY s.rank", attempt);
    std::vector<RankSummary> ranks;
    while (query.executeStep())
        ranks.push_back(readSummary(query));
    return ranks;
}

} // namespace ringside::store
