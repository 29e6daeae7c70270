// SPDX-License-Identifier: MIT
#include "core/store/canaries.h"

#include "core/base/sequences.h"
#include "core/protocol/facts.h"
#include "core/stats/disturbed.h"
#include "core/store/statements.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

namespace ringside::store {

namespace {

/// Readings of the same canaries before this attempt began: by as many ranks on as many nodes of the site, newest
/// first. The network that ranks use depends on settings, and on what the launcher made of them.
constexpr const char* kEarlier = R"sql(
SELECT c.rank, c.read_bytes_per_second, CASE WHEN e.same_network THEN c.all_reduce_ns END FROM (
    SELECT p.id,
           coalesce(json_extract(ps.settings, '$.interface'), ?2) = coalesce(json_extract(s.settings, '$.interface'), ?2)
           AND coalesce(json_extract(ps.settings, '$.backend'), 'launcher') = coalesce(json_extract(s.settings, '$.backend'), 'launcher')
           AND coalesce(json_extract(ps.settings, '$.device'), 'cpu') = coalesce(json_extract(s.settings, '$.device'), 'cpu')
           AND json_extract(pf.json, '$.transport') IS json_extract(f.json, '$.transport') AS same_network
    FROM attempts a JOIN runs r ON r.number = a.run JOIN configurations s ON s.key = r.configuration
    LEFT JOIN facts f ON f.attempt = a.id
    CROSS JOIN attempts p CROSS JOIN runs pr ON pr.number = p.run AND pr.site = r.site
    CROSS JOIN configurations ps ON ps.key = pr.configuration LEFT JOIN facts pf ON pf.attempt = p.id
    WHERE a.id = ?1 AND p.state = 'done' AND p.ended_ns <= a.started_ns
          AND coalesce(json_extract(ps.settings, '$.ranks'), 1) = coalesce(json_extract(s.settings, '$.ranks'), 1)
          AND coalesce(json_extract(ps.settings, '$.nodes'), 1) = coalesce(json_extract(s.settings, '$.nodes'), 1)
          AND EXISTS (SELECT 1 FROM canaries pc WHERE pc.attempt = p.id)
    ORDER BY p.ended_ns DESC LIMIT 100) e JOIN canaries c ON c.attempt = e.id)sql";

constexpr const char* kCalibrationsOf = R"sql(
SELECT r.number, a.ended_ns, a.flags, f.json, coalesce(i.title, '')
FROM configurations s CROSS JOIN runs r ON r.configuration = s.key CROSS JOIN attempts a ON a.run = r.number
JOIN facts f ON f.attempt = a.id LEFT JOIN imports i ON i.attempt = a.id AND i.number = 0
WHERE json_extract(s.settings, '$.engine') = ?1 AND r.site = ?2 AND a.state = 'done' AND (r.kind = 'imported') = ?3
ORDER BY a.ended_ns DESC, r.number DESC LIMIT 100)sql";

std::vector<RankCanary> canariesOf(SQLite::Database& db, std::int64_t attempt)
{
    const auto read = [](SQLite::Statement& row, RankCanary& of) {
        readRow(row, of.rank, of.canary.atNs, of.canary.after, of.canary.readBytesPerSecond, of.canary.allReduceNs);
    };
    return rowsOf<RankCanary>(db, read,
                              "SELECT rank, at_ns, is_after, read_bytes_per_second, all_reduce_ns FROM canaries "
                              "WHERE attempt = ? ORDER BY rank, is_after",
                              attempt);
}

/// Before and after are readings of one kind.
struct Earlier
{
    std::vector<double> read, allReduce;
};

std::map<int, Earlier> earlierOf(SQLite::Database& db, std::int64_t attempt)
{
    auto query = prepare(db, kEarlier, attempt, kAnyInterface);
    std::map<int, Earlier> ranks;
    while (query.executeStep()) {
        int rank = 0;
        std::optional<double> read, allReduce;
        readRow(query, rank, read, allReduce);
        if (read)
            ranks[rank].read.push_back(*read);
        if (allReduce)
            ranks[rank].allReduce.push_back(*allReduce);
    }
    return ranks;
}

void judge(std::vector<FlagReason>& reasons, std::string_view code, const RankCanary& of, double value,
           const std::vector<double>& earlier)
{
    const auto limits = stats::usualLimits(earlier);
    if (!(value > 0) || !limits || limits->contain(value))
        return;
    FlagReason reason{runflag::kDisturbed, sqlText(code), of.rank};
    reason.after = of.canary.after;
    reason.value = value;
    reason.usual = limits->usual;
    reason.limit = value < limits->low ? limits->low : limits->high;
    reasons.push_back(std::move(reason));
}

} // namespace

void addUnusualCanaries(std::vector<FlagReason>& reasons, SQLite::Database& db, std::int64_t attempt)
{
    const auto measured = canariesOf(db, attempt);
    if (measured.empty())
        return;
    std::map<int, Earlier> earlier = earlierOf(db, attempt);
    for (const RankCanary& each : measured) {
        const Earlier& before = earlier[each.rank];
        judge(reasons, flagcode::kUnusualRead, each, static_cast<double>(each.canary.readBytesPerSecond), before.read);
        judge(reasons, flagcode::kUnusualAllReduce, each, static_cast<double>(each.canary.allReduceNs),
              before.allReduce);
    }
}

Result<std::vector<RankCanary>> canaries(const Database& db, const RunId& run, int attempt)
{
    return guarded(db.path(), [&] {
        const auto id = attemptId(db.handle(), run, attempt);
        return id ? canariesOf(db.handle(), *id) : std::vector<RankCanary>();
    });
}

bool SiteCalibration::isDisturbed() const
{
    return contains(flags, runflag::kDisturbed);
}

namespace {

/// Those of each kind have a limit of their own.
std::vector<SiteCalibration> calibrationsOf(SQLite::Database& db, const std::string& site, bool areImported)
{
    auto query = prepare(db, kCalibrationsOf, kCalibrationEngine, site, areImported);
    std::vector<SiteCalibration> found;
    std::set<std::tuple<int, int, int, CalibrationMeans>> told, toldInPeace;
    while (query.executeStep()) {
        SiteCalibration known;
        std::string_view json;
        readRow(query, known.run, known.endedAt, known.flags, json, known.importedFrom);
        const auto facts = factsFromJson(json);
        if (!facts || !facts->calibration)
            continue; // of an attempt that wrote none, or by a later version
        const Calibration& each = *facts->calibration;
        const std::tuple shape(each.ranks, each.nodes, each.coresPerRank, each.means);
        const bool isFirst = told.insert(shape).second;
        if (!areImported && !(known.isDisturbed() ? isFirst : toldInPeace.insert(shape).second))
            continue;
        known.transport = facts->transport;
        known.calibration = each;
        found.push_back(std::move(known));
    }
    return found;
}

} // namespace

Result<std::vector<SiteCalibration>> calibrations(const Database& db, const std::string& site)
{
    return guarded(db.path(), [&] {
        std::vector<SiteCalibration> found = calibrationsOf(db.handle(), site, false);
        std::ranges::move(calibrationsOf(db.handle(), site, true), std::back_inserter(found));
        return found;
    });
}

} // namespace ringside::store
