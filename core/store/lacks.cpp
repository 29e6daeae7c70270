// SPDX-License-Identifier: MIT
#include "core/store/lacks.h"

#include "core/stats/window.h"
#include "core/store/statements.h"

namespace ringside::store {

namespace {

FlagReason reasonOf(const char* flag, std::string_view code, double value)
{
    FlagReason reason{flag, sqlText(code)};
    reason.value = value;
    return reason;
}

void addMissing(std::vector<FlagReason>& reasons, std::string_view code, std::int64_t found, std::int64_t all)
{
    if (found >= all)
        return;
    reasons.push_back(reasonOf(runflag::kIncomplete, code, static_cast<double>(found)));
    reasons.back().usual = static_cast<double>(all);
}

void addCount(std::vector<FlagReason>& reasons, const char* flag, std::string_view code, std::int64_t count)
{
    if (count > 0)
        reasons.push_back(reasonOf(flag, code, static_cast<double>(count)));
}

/// Returns after how many iterations the first process of a system ended, by what it printed, which the store has all
/// of; `iterations` if each came to its end. A last interval that is not full is none.
std::int64_t endOfSystem(SQLite::Database& db, std::int64_t attempt, int iterations)
{
    return valueOf(db, std::int64_t{iterations}, R"sql(
        SELECT coalesce(min(CASE WHEN last + length < ?2 THEN last + 1 ELSE ?2 END), ?2)
        FROM (SELECT max(seq) AS last, max(coalesce(iterations, 1)) AS length FROM samples
              WHERE attempt = ?1 AND seq < ?2 GROUP BY rank)
        WHERE (SELECT sum(samples_written) FROM ranks WHERE attempt = ?1) =
              (SELECT count(*) FROM samples WHERE attempt = ?1))sql",
                   attempt, iterations);
}

} // namespace

void addIncomplete(std::vector<FlagReason>& reasons, SQLite::Database& db, std::int64_t attempt, RunState state,
                   int iterations, bool isOfSystem)
{
    // A program that reports several iterations at a time says nothing of those that fill no such interval: the first,
    // and the last of each epoch. Iterations that one rank reports for others count as reported by these.
    auto query = prepare(db, R"sql(
        SELECT count(*), coalesce((SELECT json_extract(c.settings, '$.ranks') FROM attempts a JOIN runs r ON r.number = a.run
                                   JOIN configurations c ON c.key = r.configuration WHERE a.id = ?1), min(world_size), 1),
               max(world_size), coalesce(sum(samples_written IS NULL), 0), CAST(total(samples_dropped) AS INTEGER),
               (SELECT coalesce(sum(told), 0) FROM (
                    SELECT (CASE WHEN count(s.iterations) = 0 THEN count(*) ELSE min(max(s.seq) + max(s.iterations), ?2) END) *
                           coalesce(max(s.of_ranks), 1) AS told
                    FROM samples s WHERE s.attempt = ?1 AND s.seq < ?2 GROUP BY s.rank)),
               (SELECT count(*) FROM refused f WHERE f.attempt = ?1),
               (SELECT r.rank_processes FROM attempts a JOIN runs r ON r.number = a.run WHERE a.id = ?1)
        FROM ranks WHERE attempt = ?1)sql",
                         attempt, iterations);
    query.executeStep();
    std::int64_t spools = 0, training = 0, processes = 0, open = 0, dropped = 0, samples = 0, refused = 0;
    std::optional<std::int64_t> ofSeveral; // its heads count ranks, and there is nothing beside these
    readRow(query, spools, training, processes, open, dropped, samples, refused, ofSeveral);
    const std::size_t known = reasons.size();
    addCount(reasons, runflag::kIncomplete, flagcode::kDroppedSamples, dropped);
    addCount(reasons, runflag::kIncomplete, flagcode::kRefusedRecords, refused);
    if (state != RunState::done)
        return;
    addMissing(reasons, flagcode::kMissingSpools, spools, ofSeveral.value_or(std::max(processes, training)));
    addCount(reasons, runflag::kIncomplete, flagcode::kOpenSpools, open);
    const bool isAllThere = reasons.size() == known;
    const std::int64_t end = isOfSystem && isAllThere ? endOfSystem(db, attempt, iterations) : iterations;
    if (end < iterations)
        addMissing(reasons, flagcode::kEndedEarly, end, iterations);
    else
        addMissing(reasons, flagcode::kMissingSamples, samples, training * iterations);
}

void addNan(std::vector<FlagReason>& reasons, SQLite::Database& db, std::int64_t attempt, Losses losses)
{
    constexpr const char* kNotFinite =
        "SELECT count(*) - count(CASE WHEN abs(loss) < 9e999 THEN 1 END) FROM samples WHERE "
        "attempt = ?1";
    constexpr const char* kInfinite =
        "SELECT count(CASE WHEN abs(loss) >= 9e999 THEN 1 END) FROM samples WHERE attempt = ?1";
    addCount(reasons, runflag::kNan, flagcode::kLossNotANumber,
             valueOf(db, std::int64_t{0}, losses == Losses::allTold ? kNotFinite : kInfinite, attempt));
}

void addShort(std::vector<FlagReason>& reasons, SQLite::Database& db, std::int64_t attempt)
{
    auto query = prepare(db, "SELECT min(iterations), max(length_ns) FROM summary WHERE attempt = ?", attempt);
    query.executeStep();
    if (query.isColumnNull(0))
        return;
    const stats::Window window{0, query.getColumn(0).getInt(), query.getColumn(1).getDouble() / 1e9};
    if (window.iterations < stats::kLeastIterations) {
        reasons.push_back(reasonOf(runflag::kShort, flagcode::kFewIterations, window.iterations));
        reasons.back().limit = stats::kLeastIterations;
    }
    if (window.seconds < stats::kLeastSeconds) {
        reasons.push_back(reasonOf(runflag::kShort, flagcode::kLittleTime, window.seconds));
        reasons.back().limit = stats::kLeastSeconds;
    }
}

void addEmulated(std::vector<FlagReason>& reasons, SQLite::Database& db, std::int64_t attempt)
{
    if (valueOf(db, false,
                "SELECT coalesce(json_extract(c.settings, '$.compute'), '') = 'paced' FROM attempts a "
                "JOIN runs r ON r.number = a.run JOIN configurations c ON c.key = r.configuration WHERE a.id = ?",
                attempt))
        reasons.push_back({runflag::kEmulated, sqlText(flagcode::kPaced)});
}

} // namespace ringside::store
